// A key that is held down presses a button once: what comes after it in the same breath, nobody has
// read. In a text, where a letter may be repeated, only a shortcut with Enter is concerned. An Enter
// that ends a composition chooses what is composed, and nothing else. `?`, which Streamlit takes for
// no shortcut, opens and closes the list of the page's keys.

const TEXT = 'input, textarea, [contenteditable="true"]';
const KEYS = '.st-key-keys_of_the_page button';
const DIALOG = '[data-testid="stDialog"]';

function composes(event) {
  return event.key === 'Enter' && (event.isComposing || event.keyCode === 229);
}

function repeats(event) {
  if (!event.repeat) return false;
  const place = event.composedPath()[0]; // within a component, too
  const withEnter = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (place.closest?.(TEXT)) return withEnter;
  if (event.key === 'Enter') return withEnter || Boolean(place.closest?.('button'));
  return event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey;
}

// Once for the window: every page draws this. On the window, which hears a key before the document,
// where Streamlit listens.
export default function () {
  if (window.shotlistPressesOnce) return;
  window.shotlistPressesOnce = true;
  const drop = (event) => {
    if (composes(event)) event.stopImmediatePropagation();
    if (event.key === '?' && !event.repeat && !event.composedPath()[0].closest?.(TEXT)) {
      if (!document.querySelector(DIALOG)) document.querySelector(KEYS)?.click();
    }
    if (!repeats(event)) return;
    event.stopImmediatePropagation();
    if (event.key === 'Enter') event.preventDefault(); // else it clicks the button again
  };
  window.addEventListener('keydown', drop, true);
}
