// A link of the menu that is clicked while something is being typed, or right after, is followed a
// moment later. A cell, and at times a text, tells what was typed only after the click. Following
// the link first would lose the text, or its own run would bring the visitor back to the page that
// was left.
const WAIT = 600;
const LINK = 'a[data-testid="stPageLink-NavLink"]';
const PLACE = 'input, textarea, [data-testid="stDataFrame"]';

let typing = false;
let told = -Infinity;

function noteTyping() {
  typing = true;
}

function noteEnd(event) {
  const ends = event.type !== 'keydown' || event.key === 'Enter' || event.key === 'Tab';
  if (ends && (typing || event.type === 'pointerdown') && event.target.closest?.(PLACE)) {
    told = performance.now();
    typing = false;
  }
}

function hold(event) {
  const link = event.target.closest?.(LINK);
  if (!link || link.dataset.followed || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!typing && performance.now() - told > WAIT) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const address = link.getAttribute('href');
  setTimeout(() => {
    const again = document.querySelector(`${LINK}[href="${CSS.escape(address)}"]`) ?? link;
    again.dataset.followed = 'yes';
    again.click();
    delete again.dataset.followed;
    typing = false;
  }, WAIT);
}

const LISTENERS = [
  ['input', noteTyping], ['focusout', noteEnd], ['keydown', noteEnd], ['pointerdown', noteEnd],
  ['click', hold],
];

// Once for the window: every page draws this, and the next page's comes before the last one's goes.
export default function () {
  if (window.shotlistHoldsLinks) return;
  window.shotlistHoldsLinks = true;
  for (const [name, listener] of LISTENERS) document.addEventListener(name, listener, true);
}
