// Hands what changes on the server on to the cockpit, which itself is not sent again.

export default function ({ data }) {
  globalThis.shotlistCockpit = { ...globalThis.shotlistCockpit, [data.at ? 'live' : 'scores']: data };
  document.dispatchEvent(new CustomEvent('shotlist-cockpit'));
}
