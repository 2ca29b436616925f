// A link of the menu, or a choice of a section, that is clicked while something is being typed, or
// right after, is followed when a run with what was typed has begun. A cell, and at times a text,
// sends what was typed only after the click; and a page requested before that run has begun
// takes its place on the server, with nothing of what was typed. The browser's own Back and Forward
// wait in the same way; a reload or a closed window cannot wait, so the browser asks first.
const LOOK = 25; // milliseconds; a window that is busy looks less often
const COLLECTED = 16; // looks after the end of typing, a table has sent what was typed
const UNCHANGED = 40; // looks after it, with nothing sent, there was nothing to send
const NEXT = 300; // milliseconds after a run has ended, the one that was asked for has begun
const TAKEN = 500; // milliseconds after a run has begun, it has taken what was sent to it
const BUSY = 5000; // however many runs come and go, one of them has had what was typed
const SLOWER = 4; // times as long as a run took to begin of late, where that is longer
const DEAD = 30000; // with no run at all, the server is not there
const REQUEST = 11; // in what Streamlit's page sends: the request for a run
const BY_ITSELF = 6; // in a request: a part of the page asks again by itself, as time goes by
const BEGUN = 4; // in what the server sends: a run has begun
const ENDED = 6; // in what the server sends: a run has ended
const LINK = 'a[data-testid="stPageLink-NavLink"], [data-testid="stButtonGroup"] button';
const TEXT = 'textarea, input:is([type=text], [type=number], :not([type])):not([role=combobox])';
const PLACE = 'input, textarea, [data-testid="stDataFrame"]';
const STATE = 'data-test-script-state';

let typing = false;
let typedAt = -Infinity;
let pressed = Infinity;
let waiting;
const asked = {
  at: -Infinity, runs: 0, since: -Infinity, begun: -Infinity, ended: -Infinity, lost: DEAD,
  running: undefined, late: 0,
};

function noteTyping(event) {
  if (event.target.matches?.(TEXT)) typing = true;
}

function noteEnd(event) {
  if (event.type === 'pointerdown') pressed = event.timeStamp;
  const composes = event.isComposing || event.keyCode === 229;
  const keys = event.key === 'Tab' || (event.key === 'Enter' && !composes);
  const ends = event.type !== 'keydown' || keys;
  if (ends && (typing || event.type === 'pointerdown') && event.target.closest?.(PLACE)) {
    typedAt = event.timeStamp;
    typing = false;
  }
}

// A run that was under way when the listening began has sent no message that it has begun.
function running() {
  const app = document.querySelector('[data-testid="stApp"]');
  return asked.running ?? app?.getAttribute(STATE) === 'running';
}

// The fields of a message, by their numbers: protobuf's numbers and pieces, all that Streamlit sends.
function fields(message) {
  const found = new Map();
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = number();
    const value = number();
    found.set(key >> 3, key & 7 ? message.subarray(at, at += value) : value);
  }
  return found;
}

// A part that asks again by itself is not heard where a run has just drawn the page without it: no
// run begins then, and nothing that was typed is lost.
function noteSent(message) {
  const request = message instanceof Uint8Array && fields(message).get(REQUEST);
  if (!request) return;
  asked.at = performance.now();
  if (!waits()) Object.assign(asked, { runs: 0, since: asked.at, lost: NEXT });
  asked.runs += 1;
  if (!fields(request).get(BY_ITSELF)) asked.lost = DEAD;
}

// Every run sends messages, also one so short that the page has shown neither its begin nor its end.
function noteReceived({ data }) {
  const message = fields(new Uint8Array(data));
  const now = performance.now();
  if (message.has(BEGUN)) {
    if (asked.runs > 0 && asked.begun < asked.since) {
      asked.late = Math.max(asked.late / 2, now - asked.since);
    }
    Object.assign(asked, { runs: asked.runs - 1, begun: now, running: true });
  }
  if (message.has(ENDED)) Object.assign(asked, { ended: now, running: false });
}

function waits() {
  const now = performance.now();
  if (asked.runs <= 0) return running() && now - asked.begun < TAKEN;
  if (Math.max(asked.begun, asked.ended) < asked.since) return now - asked.since < asked.lost;
  const over = !running() && now - asked.ended > atLeast(NEXT);
  return !over && now - asked.since < atLeast(BUSY);
}

// The time in milliseconds, or more where the server has been late.
function atLeast(time) {
  return Math.min(Math.max(time, SLOWER * asked.late), DEAD);
}

function again(link) {
  if (link.isConnected) return link;
  const address = link.getAttribute('href');
  return address && document.querySelector(`a[href="${CSS.escape(address)}"]`);
}

function delayClick(event) {
  const link = event.target.closest?.(LINK);
  if (!link || link.dataset.followed || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const ended = typing || typedAt >= pressed; // by this very click
  if (!ended && event.timeStamp - typedAt > UNCHANGED * LOOK && !waits()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (ended) typedAt = event.timeStamp;
  afterTyping(() => {
    const found = again(link);
    if (!found) return;
    found.dataset.followed = 'yes';
    found.click();
    delete found.dataset.followed;
  });
}

function afterTyping(act) {
  clearInterval(waiting);
  let looks = 0;
  waiting = setInterval(() => {
    looks += 1;
    if (waits() || looks < (asked.at > typedAt ? COLLECTED : UNCHANGED)) return;
    clearInterval(waiting);
    typing = false;
    act();
  }, LOOK);
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

function delayBack(event) {
  if (!isOpen() || event.navigationType !== 'traverse' || !event.cancelable) return;
  event.preventDefault();
  typedAt = performance.now();
  finishTyping();
  afterTyping(() => window.navigation.traverseTo(event.destination.key));
}

function ask(event) {
  if (isOpen()) event.preventDefault();
}

const LISTENERS = [
  ['input', noteTyping], ['focusout', noteEnd], ['keydown', noteEnd], ['pointerdown', noteEnd],
  ['click', delayClick],
];

// Once for the window: every page draws this, and the next page's comes before the last one's goes.
export default function () {
  if (window.shotlistDelaysLinks) return;
  window.shotlistDelaysLinks = true;
  for (const [name, listener] of LISTENERS) document.addEventListener(name, listener, true);
  const { send } = WebSocket.prototype;
  const heard = new WeakSet();
  WebSocket.prototype.send = function (...message) {
    if (!heard.has(this)) this.addEventListener('message', noteReceived);
    heard.add(this);
    noteSent(message[0]);
    return send.apply(this, message);
  };
  window.navigation?.addEventListener('navigate', delayBack);
  window.addEventListener('beforeunload', ask);
}
