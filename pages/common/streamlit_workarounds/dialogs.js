// The dialog in which this is drawn begins in its first field; on Escape what was typed is sent and
// its button pressed. A list that is open, and a composition, take Escape for themselves.

const FIELD = 'textarea:not(:disabled), input:not(:disabled)';
const COMING = '[data-testid="stSkeleton"]';
const LOOKS = 40; // the script of the fields may still be on its way
const LOOK = 50; // milliseconds

function begin(dialog, looks) {
  const field = dialog.querySelector(COMING) ? null : dialog.querySelector(FIELD);
  if (field) {
    if (!dialog.contains(document.activeElement?.closest(FIELD) ?? null)) {
      field.focus();
      field.setSelectionRange?.(field.value.length, field.value.length);
    }
  } else if (looks > 0) {
    setTimeout(() => begin(dialog, looks - 1), LOOK);
  }
}

export default function ({ data, parentElement }) {
  const place = parentElement.host ?? parentElement;
  const dialog = place.closest('[role="dialog"]');
  if (!dialog || dialog.shotlistBegun) return undefined;
  dialog.shotlistBegun = true;
  begin(dialog, LOOKS);
  const press = (event) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.keyCode === 229) return;
    const at = document.activeElement;
    if (at?.getAttribute('aria-expanded') === 'true') return;
    event.stopImmediatePropagation();
    if (dialog.contains(at)) at.blur();
    dialog.querySelector(`.st-key-${data} button`)?.click();
  };
  window.addEventListener('keydown', press, true);
  return () => {
    window.removeEventListener('keydown', press, true);
    dialog.shotlistBegun = false;
  };
}
