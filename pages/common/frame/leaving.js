// A link of the menu, or a choice of a section, that is clicked while something is being typed, or
// right after, is followed when what was typed has reached the server. A cell, and at times a text,
// tells what was typed only after the click. Following it first would lose the text, or the text's
// own run would bring the visitor back to what was left. The browser's own Back and Forward wait in
// the same way; a reload or a closed window cannot wait, so the browser asks first.
const AFTER = 600; // after the end of typing, milliseconds, a click is still held
const LONGEST = 2500; // for a cell that was open, nothing need be told: no run then begins
const LINK = 'a[data-testid="stPageLink-NavLink"], [data-testid="stButtonGroup"] button';
const TEXT = 'textarea, input:is([type=text], [type=number], :not([type])):not([role=combobox])';
const PLACE = 'input, textarea, [data-testid="stDataFrame"]';

let typing = false;
let told = -Infinity;
let pressed = Infinity;

function noteTyping(event) {
  if (event.target.matches?.(TEXT)) typing = true;
}

function noteEnd(event) {
  if (event.type === 'pointerdown') pressed = event.timeStamp;
  const ends = event.type !== 'keydown' || event.key === 'Enter' || event.key === 'Tab';
  if (ends && (typing || event.type === 'pointerdown') && event.target.closest?.(PLACE)) {
    told = event.timeStamp;
    typing = false;
  }
}

function running() {
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.getAttribute('data-test-script-state') === 'running';
}

function again(link) {
  if (link.isConnected) return link;
  const address = link.getAttribute('href');
  return address && document.querySelector(`a[href="${CSS.escape(address)}"]`);
}

function hold(event) {
  const link = event.target.closest?.(LINK);
  if (!link || link.dataset.followed || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const ended = typing || told >= pressed; // by this very click
  if (!ended && event.timeStamp - told > AFTER) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  whenTold(ended ? LONGEST : AFTER, () => {
    const found = again(link);
    if (!found) return;
    found.dataset.followed = 'yes';
    found.click();
    delete found.dataset.followed;
  });
}

function whenTold(longest, act) {
  const until = performance.now() + longest;
  let before = running();
  const look = setInterval(() => {
    const now = running();
    if ((before || !now) && performance.now() < until) {
      before &&= now;
      return;
    }
    clearInterval(look);
    typing = false;
    act();
  }, 25);
}

// A page writes its view into its address whenever it is drawn. Were that a new step of the history,
// Back would lead to the address without the view, which the page would fill again: it never left.
const push = window.history.pushState.bind(window.history);

function pushPages(state, title, address) {
  const to = new URL(address ?? '', window.location.href);
  if (to.pathname === window.location.pathname) window.history.replaceState(state, title, address);
  else push(state, title, address);
}

// What was typed and given up (Escape in a cell) leaves nothing to wait for.
function isOpen() {
  return typing && Boolean(document.activeElement?.matches(TEXT));
}

function finishTyping() {
  const place = document.activeElement;
  const enter = { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true };
  if (place.closest('#portal')) place.dispatchEvent(new KeyboardEvent('keydown', enter));
  else place.blur();
}

function holdBack(event) {
  if (!isOpen() || event.navigationType !== 'traverse' || !event.cancelable) return;
  event.preventDefault();
  finishTyping();
  whenTold(LONGEST, () => window.navigation.traverseTo(event.destination.key));
}

function ask(event) {
  if (isOpen()) event.preventDefault();
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
  window.history.pushState = pushPages;
  window.navigation?.addEventListener('navigate', holdBack);
  window.addEventListener('beforeunload', ask);
}
