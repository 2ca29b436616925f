// A link that is clicked while a cell of a table is being edited, or right after, is followed a
// moment later. The table tells its edit after the click; following the link first, the edit's own
// run would bring the visitor back to the page that was left.
const WAIT = 600;
const LINK = 'a[data-testid="stPageLink-NavLink"]';

let edited = -Infinity;

const open = () => document.querySelector('#portal textarea, #portal input') !== null;

function noteEdit(event) {
  if (open() || event.target.closest?.('[data-testid="stDataFrame"]')) edited = performance.now();
}

function hold(event) {
  const link = event.target.closest?.(LINK);
  if (!link || link.dataset.followed || performance.now() - edited > WAIT) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => {
    link.dataset.followed = 'yes';
    link.click();
    delete link.dataset.followed;
  }, WAIT);
}

export default function () {
  const listeners = [['pointerdown', noteEdit], ['keydown', noteEdit], ['click', hold]];
  for (const [name, listener] of listeners) document.addEventListener(name, listener, true);
  return () => {
    for (const [name, listener] of listeners) document.removeEventListener(name, listener, true);
  };
}
