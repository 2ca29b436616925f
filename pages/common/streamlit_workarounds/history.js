// A change of the address that stays on the page takes the place of the last one: no new step.

// Once for the window: every page draws this.
export default function () {
  if (window.shotlistKeepsSteps) return;
  window.shotlistKeepsSteps = true;
  const push = window.history.pushState.bind(window.history);
  window.history.pushState = (state, title, address) => {
    const to = new URL(address ?? '', window.location.href);
    const stays = to.pathname === window.location.pathname;
    if (stays) window.history.replaceState(state, title, address);
    else push(state, title, address);
  };
}
