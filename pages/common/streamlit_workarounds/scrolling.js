// Brings the place where it is drawn to the top of the window, once for each number.

// Below the bar at the top of the page.
const BELOW_THE_BAR = '5rem';

export default function ({ data, parentElement }) {
  if (window.shotlistScrolledTo === data) return;
  window.shotlistScrolledTo = data;
  const place = parentElement.host ?? parentElement;
  place.style.scrollMarginTop = BELOW_THE_BAR;
  place.scrollIntoView({ block: 'start' });
}
