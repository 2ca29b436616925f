// The cockpit of Explore: everything that the handle can show is here already, so that it follows
// while the handle is dragged; only where it is let go is sent to the server.

const NOWHERE = -1;
const UNKNOWN = '#b8b8b8'; // a cell that is not scored, in both themes
const KEYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export default function ({ data, parentElement, setTriggerValue }) {
  const cockpit = (parentElement.cockpit ??= new Cockpit(parentElement));
  cockpit.send = setTriggerValue;
  cockpit.show(data);
  cockpit.observe();
  const listen = () => cockpit.follow(globalThis.shotlistCockpit ?? {});
  const mark = () => cockpit.repaint();
  document.addEventListener('shotlist-cockpit', listen);
  document.addEventListener('shotlist-marked', mark);
  listen();
  return () => {
    document.removeEventListener('shotlist-cockpit', listen);
    document.removeEventListener('shotlist-marked', mark);
    cockpit.rest();
  };
}

class Cockpit {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.stage = this.find('.stage');
    this.handle = this.find('.handle');
    const act = (wanted) => this.send('acted', wanted);
    const point = (id) => this.point(id);
    this.rows = new Rows(this.find('.chosen'), this.find('.left'), act, point);
    this.find('.undo').addEventListener('click', () => act({ does: 'undo' }));
    const enter = (cell, place) => this.enter(cell, place);
    this.misses = new Misses(this.find('.misses'), enter, point);
    this.answers = new Answers(this.find('.answers'), this.find('.scale'));
    this.stage.addEventListener('pointerdown', (event) => this.grab(event, this.stage, this.onStage));
    this.handle.addEventListener('keydown', (event) => this.step(event));
    this.handle.addEventListener('keyup', (event) => event.key in KEYS && this.release());
    this.find('.measure').addEventListener('change', (event) => {
      this.send('colour', event.target.value);
      this.recolour();
    });
    this.sizes = new ResizeObserver(() => this.resize());
    this.find('.progress .act').addEventListener('click', (event) => {
      this.send('clicked', event.target.dataset.does);
    });
  }

  observe() {
    this.sizes.observe(this.stage);
  }

  show(data) {
    if (data.key === this.key) return;
    this.key = data.key;
    this.data = data;
    this.k = data.k;
    this.cells = new Cells(data);
    this.lists = numbers(data.lists);
    this.redundancy = numbers(data.redundancy);
    this.sameness = numbers(data.sameness);
    this.picture = new Picture(this.stage, this.cells);
    this.strips = [...this.root.querySelectorAll('.strip')]
      .filter((strip) => data.open.includes(strip.dataset.knob))
      .map((strip) => this.strip(strip));
    for (const name of ['lambda_d', 'lambda_b']) {
      this.find(`.section.${name}`).hidden = !data.open.includes(name);
    }
    this.find('.corner.likely').textContent = data.open.includes('lambda_b') ? data.likely : '';
    this.find('.measure').replaceChildren(...data.measures.map(([name, label]) => {
      const option = element('option', '', label);
      option.value = name;
      return option;
    }));
    this.find('.ramp').style.background = `linear-gradient(to right, ${
      data.colours.map((stop) => `rgb(${stop.join(',')})`).join(',')})`;
    this.rows.fill(data.demonstrations, data.k);
    this.answers.fill(data.answers);
    this.find('.judged').hidden = !data.answers.length;
    for (const name of ['dpo', 'delta']) {
      this.find(`.figure.${name}`).hidden = !this.answers.compared;
    }
    this.pointed = null;
    this.scores = null;
    this.values = null;
    this.range = null;
    this.tied = null;
    this.tokens = null;
    this.leftOut = null;
    this.followed = null;
    this.measure = null;
    this.at = null;
    this.known = null;
    this.sent = null;
    this.cell = NOWHERE;
    this.context = NOWHERE;
    this.size = null;
    this.resize();
  }

  strip(strip) {
    const made = new Strip(strip, this.cells, strip.dataset.knob);
    strip.onpointerdown = (event) => this.grab(event, strip, (moved) => made.place(moved.clientX));
    return made;
  }

  // What the server knows: what is scored, where the handle is, which colours are wanted.
  follow({ scores, live }) {
    if (scores?.key === this.key && scores !== this.followed) this.learn(scores);
    if (live?.key !== this.key) return;
    const { at, measure, tied } = live;
    this.find('.measure').value = measure;
    this.progress(live.progress);
    this.find('.note').textContent = live.notice.text;
    this.find('.note').title = live.notice.text;
    this.find('.undo').textContent = live.notice.back;
    this.find('.undo').hidden = !live.notice.back;
    if (measure !== this.measure) this.recolour();
    const same = (one, other) => one && other && one[0] === other[0] && one[1] === other[1];
    if (this.grabbed) return;
    if (!same(at, this.known)) {
      this.known = at;
      if (!same(at, this.sent)) {
        this.begin();
        this.go(this.cells.place(...at), at);
      }
    }
    const there = same(at, this.lambdas) || (same(at, this.sent) && !this.moved);
    if (tied && there) this.showTied(tied);
  }

  // What is scored of every context.
  learn(scores) {
    this.followed = scores;
    if (scores.answerTokens) this.answers.tokens = scores.answerTokens;
    const alone = [...numbers(scores.alone)];
    this.scores = {
      logProbs: numbers(scores.logProbs), alone: alone.some(Number.isNaN) ? null : alone,
      dpo: numbers(scores.dpo), delta: numbers(scores.delta),
    };
    this.tokens = numbers(scores.tokens);
    this.leftOut = numbers(scores.leftOut);
    this.recolour();
  }

  // On an edge of a cell, ties can give another context than any that is inside.
  showTied(tied) {
    if (JSON.stringify(tied) === this.tied?.text) return;
    const { demonstrations } = this.data;
    const chosen = tied.chosen.map((number) => {
      if (number >= 0) return number;
      const other = tied.others[-1 - number];
      const known = demonstrations.findIndex(({ id }) => id === other.id);
      return known < 0 ? demonstrations.push(other) - 1 : known;
    });
    this.tied = { ...tied, chosen, text: JSON.stringify(tied) };
    this.change = this.rows.show(chosen, tied.redundancy, this.before);
    this.miss(chosen);
    this.refresh();
  }

  // How far scoring is, and the button that stops it or goes on.
  progress({ text, label, does }) {
    const [words, act] = [this.find('.progress .words'), this.find('.progress .act')];
    if (words.textContent !== text) words.textContent = text;
    words.title = text;
    act.hidden = !label;
    act.textContent = label;
    act.dataset.does = does;
  }

  rest() {
    this.sizes.disconnect();
  }

  // Whoever begins to observe an element is called once, although its size is what it was.
  resize() {
    const size = `${this.stage.clientWidth} ${this.stage.clientHeight} ${window.devicePixelRatio}`;
    if (!this.cells || !this.stage.clientWidth || size === this.size) return;
    this.size = size;
    this.picture.resize();
    for (const strip of this.strips) strip.resize();
    this.repaint();
  }

  // The colours, from the values of the chosen measure.
  recolour() {
    this.measure = this.find('.measure').value;
    this.values = this.valuesOf(this.measure);
    const known = this.values.filter((value) => !Number.isNaN(value));
    const [low, high] = [Math.min(...known), Math.max(...known)];
    this.range = known.length ? [low, high] : null;
    const digits = this.measure === 'tokens' ? 0 : 2;
    this.find('.least').textContent = known.length ? short(low, digits) : '';
    this.find('.most').textContent = known.length ? short(high, digits) : '';
    this.repaint();
    this.refresh();
  }

  valuesOf(measure) {
    if (measure === 'sameness') return [...this.sameness];
    if (measure === 'tokens' && this.tokens) return [...this.tokens];
    const { scores } = this;
    if (!scores) return Array.from(this.sameness, () => NaN);
    if (measure === 'probability') {
      return Array.from(this.sameness, (_, context) => {
        const logProbs = this.logProbs(context);
        return Number.isNaN(logProbs[0] ?? NaN) ? NaN : this.answers.bestCorrect(logProbs);
      });
    }
    return [...scores[measure]];
  }

  logProbs(context) {
    const many = this.data.answers.length;
    return [...this.scores.logProbs.subarray(context * many, (context + 1) * many)];
  }

  colourOf = (context) => {
    const value = this.values?.[context];
    if (!this.range || Number.isNaN(value)) return UNKNOWN;
    const [low, high] = this.range;
    const stops = this.data.colours;
    const place = high > low ? ((value - low) / (high - low)) * (stops.length - 1) : stops.length - 1;
    const below = Math.min(Math.floor(place), stops.length - 2);
    const mixed = stops[below].map((from, i) => Math.round(
      from + (place - below) * (stops[below + 1][i] - from),
    ));
    return `rgb(${mixed.join(',')})`;
  };

  repaint() {
    if (!this.picture?.side) return;
    this.painted = {}; // another one whenever colours or sizes are others
    this.picture.paint(this.colourOf, this.marked());
    if (!this.at) return;
    this.picture.move(this.at);
    if (this.context !== NOWHERE) this.picture.surround(this.context, this.colourOf(this.context));
    for (const strip of this.strips) {
      strip.show(this.at, this.lambdas, this.colourOf, this.painted);
    }
  }

  onStage = (event) => {
    const box = this.stage.getBoundingClientRect();
    return this.cells.inside(...this.picture.place(event.clientX - box.left, event.clientY - box.top));
  };

  // A pointer takes hold of the triangle or of a strip, until it lets go.
  grab(event, surface, placeOf) {
    if (event.button || !this.at) return;
    event.preventDefault();
    surface.setPointerCapture(event.pointerId);
    this.grabbed = true;
    this.moved = true;
    this.begin();
    this.handle.focus({ preventScroll: true });
    let latest = event;
    let waiting = 0;
    const follow = () => {
      waiting = 0;
      this.go(placeOf(latest));
    };
    const move = (moved) => {
      latest = moved;
      waiting ||= requestAnimationFrame(follow);
    };
    const end = (ended) => {
      cancelAnimationFrame(waiting);
      surface.removeEventListener('pointermove', move);
      surface.removeEventListener('pointerup', end);
      surface.removeEventListener('pointercancel', end);
      if (ended.type === 'pointerup') this.go(placeOf(ended));
      this.grabbed = false;
      this.release();
    };
    surface.addEventListener('pointermove', move);
    surface.addEventListener('pointerup', end);
    surface.addEventListener('pointercancel', end);
    this.go(placeOf(event));
  }

  // From here on, rows are shown as entered or gone.
  begin() {
    this.change = null;
    this.before = this.cell === NOWHERE ? null : new Set(this.tied?.chosen ?? this.chosen(this.cell));
  }

  // With an arrow key into the next cell that way.
  step(event) {
    const way = KEYS[event.key];
    if (!way || !this.at) return;
    event.preventDefault();
    if (!event.repeat) this.begin();
    this.moved = true;
    const [px, py] = this.picture.pixel(this.at);
    const far = 2 * this.picture.side;
    const end = this.picture.place(px + way[0] * far, py + way[1] * far);
    // Where the triangle ends that way, it goes on along its edge.
    const next = this.nextCell(end) ?? this.nextCell(this.cornerThatWay(event.key));
    if (next) this.go(next);
    this.say();
  }

  cornerThatWay(key) {
    const [x, y] = this.at;
    if (key === 'ArrowUp') return [0, 0];
    return key === 'ArrowLeft' || (key === 'ArrowDown' && x > y) ? [1, 0] : [0, 1];
  }

  nextCell(end) {
    const stretches = this.cells.edge
      ? this.onEdge(end)
      : this.cells.crossed(this.at, end);
    const [point, found] = this.cells.edge ? [stretches.point, stretches.found] : [null, stretches];
    const ahead = found.find(([low, high, cell]) => cell !== this.cell && high - low > 1e-7
      && low > -1e-9);
    if (!ahead) return null;
    const middle = (ahead[0] + ahead[1]) / 2;
    if (point) return point(middle);
    return [this.at[0] + middle * (end[0] - this.at[0]), this.at[1] + middle * (end[1] - this.at[1])];
  }

  // Along the one edge, the key that points more along it than against it goes that way.
  onEdge(end) {
    const [[ax, ay], [bx, by]] = this.cells.edge;
    const from = this.cells.along(...this.at);
    const to = this.cells.along(...end) > from ? 1 : 0;
    const found = this.cells.stretches().map(([low, high, cell]) => (to > from
      ? [low - from, high - from, cell] : [from - high, from - low, cell]));
    const point = (t) => {
      const at = to > from ? from + t : from - t;
      return [ax + at * (bx - ax), ay + at * (by - ay)];
    };
    return { point, found: found.sort((one, other) => one[0] - other[0]) };
  }

  // To where a miss is chosen: from the edge of the cell a little into it.
  enter(cell, [x, y]) {
    const [mx, my] = this.cells.middle(cell);
    this.begin();
    this.moved = true;
    this.go([x + 0.05 * (mx - x), y + 0.05 * (my - y)]);
    this.release();
    this.handle.focus({ preventScroll: true });
  }

  // Those that would be chosen nearby.
  miss(chosen) {
    const misses = this.misses.find(this, this.at, chosen);
    const lambdasOf = (place) => this.cells.lambdas(...place, this.lambdas[1]);
    this.misses.show(misses, this.data.demonstrations, lambdasOf);
  }

  // Only the cells that choose this demonstration keep their colours; null: all do.
  point(id) {
    if (id === this.pointed) return;
    this.pointed = id;
    this.picture.paint(this.colourOf, this.marked());
  }

  marked() {
    const id = this.pointed ?? globalThis.shotlistMarked ?? null;
    if (id === null) return null;
    const number = this.data.demonstrations.findIndex((one) => one.id === id);
    return [...Array(this.cells.count).keys()].filter((cell) => this.chosen(cell).includes(number));
  }

  chosen(cell) {
    return [...this.lists.subarray(cell * this.k, (cell + 1) * this.k)];
  }

  go(place, lambdas = null) {
    this.at = place;
    this.lambdas = lambdas ?? this.cells.lambdas(...place, this.lambdas[1]);
    const wasTied = this.tied;
    this.tied = null;
    const cell = this.cells.at(...place, Math.max(0, this.cell));
    if (!this.picture.side) return;
    this.picture.move(place);
    for (const strip of this.strips) strip.show(place, this.lambdas, this.colourOf, this.painted);
    if (cell === this.cell && !wasTied) return;
    this.cell = cell;
    this.before ??= new Set(this.chosen(cell));
    const redundancy = this.redundancy.subarray(cell * this.k, (cell + 1) * this.k);
    this.change = this.rows.show(this.chosen(cell), redundancy, this.before);
    this.miss(this.chosen(cell));
    const context = this.cells.contexts[cell];
    if (context === this.context && !wasTied) return;
    this.context = context;
    this.picture.surround(context, this.colourOf(context));
    this.refresh();
  }

  // What is known of the context at the handle; where a number is not known, it is not there.
  here() {
    if (this.tied) return this.tied;
    const { context, scores } = this;
    const logProbs = scores && this.logProbs(context);
    return {
      logProbs: logProbs?.length && !logProbs.some(Number.isNaN) ? logProbs : null,
      dpo: scores?.dpo[context],
      delta: scores?.delta[context],
      sameness: this.sameness[context],
      tokens: this.tokens?.[context],
      leftOut: this.leftOut?.[context] ?? 0,
    };
  }

  // The answers and figures of the context at the handle.
  refresh() {
    if (this.context === NOWHERE) return;
    const { logProbs, dpo, delta, sameness, tokens, leftOut } = this.here();
    if (this.data.answers.length) this.answers.show(logProbs, this.scores?.alone ?? null);
    this.rows.leaveOut(leftOut);
    this.find('.figure.dpo b').textContent = short(dpo);
    this.find('.figure.delta b').textContent = short(delta);
    this.find('.figure.sameness b').textContent = short(sameness);
    this.find('.figure.tokens b').textContent = short(tokens, 0);
    const verdict = this.find('.verdict');
    const [words, changes] = this.verdict(logProbs, this.scores?.alone);
    verdict.className = `verdict ${changes}`;
    verdict.textContent = words;
  }

  // Who wins with the context and without; coloured where the context decides it.
  verdict(logProbs, alone) {
    if (!logProbs || !this.answers.compared) return ['', ''];
    const wins = this.answers.wins(logProbs);
    const which = wins ? 'right' : 'wrong';
    if (!alone?.length || alone.some(Number.isNaN)) return [`The answer is ${which}`, ''];
    if (wins === this.answers.wins(alone)) return [wins ? 'Right, as without the context' : 'Wrong, as without the context', ''];
    return [`The context makes it ${which}`, wins ? 'wins' : 'loses'];
  }

  words() {
    const [lambdaD, lambdaB] = this.lambdas.map((value) => short(value));
    const { entered } = this.change ?? { entered: 0 };
    const changed = entered === 1 ? '1 demonstration is new' : `${entered} demonstrations are new`;
    const dpo = this.find('.figure.dpo b').textContent;
    const verdict = this.find('.verdict').textContent;
    return [`lambda_d ${lambdaD}, lambda_b ${lambdaB}`, changed,
      ...(dpo === '–' ? [] : [`DPO ${dpo}`]), ...(verdict ? [verdict] : [])].join('; ');
  }

  say() {
    const words = this.words();
    this.handle.setAttribute('aria-valuenow', this.lambdas[0].toFixed(2));
    this.handle.setAttribute('aria-valuetext', words);
    this.find('.spoken').textContent = words;
  }

  // Sends both lambdas, with as few decimals as stay in the cell of the handle.
  release() {
    this.say();
    let rounded = this.lambdas;
    for (let decimals = 2; decimals <= 6; decimals += 1) {
      rounded = this.lambdas.map((value) => Number(value.toFixed(decimals)));
      if (this.cells.at(...this.cells.place(...rounded), this.cell) === this.cell) break;
    }
    this.sent = rounded;
    this.moved = false;
    this.send('released', { lambda_d: rounded[0], lambda_b: rounded[1] });
  }
}
