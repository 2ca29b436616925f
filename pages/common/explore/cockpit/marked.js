// Which demonstration's cells keep their colours in the triangle, as long as this is on the page.

function mark(id) {
  globalThis.shotlistMarked = id;
  document.dispatchEvent(new CustomEvent('shotlist-marked'));
}

export default function ({ data }) {
  mark(data);
  return () => mark(null);
}
