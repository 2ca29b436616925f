// What stands beside the triangle: the demonstrations of a context, the answers, the figures.

const MISSES = 5;

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// Does one thing when a mouse comes to an element, and another when it leaves.
function pointedAt(item, comes, leaves) {
  item.addEventListener('pointerenter', ({ pointerType }) => pointerType === 'mouse' && comes());
  item.addEventListener('pointerleave', leaves);
}

class Rows {
  // `act` does something to a demonstration, named by its id; `point` marks where it is chosen.
  constructor(list, left, act, point) {
    this.act = act;
    this.point = point;
    this.list = list;
    this.left = left;
    this.open = new Set(); // ids
    this.typed = new Map(); // the tag that is being typed for an id
    this.rows = [];
  }

  fill(demonstrations, k) {
    this.demonstrations = demonstrations;
    this.rows = Array.from({ length: k }, (_, place) => this.row(place));
    this.list.replaceChildren(...this.rows.map(({ item }) => item));
  }

  row(place) {
    const item = element('li', 'row');
    const button = element('button', 'open');
    const [query, answer] = [element('span', 'query'), element('span', 'answer')];
    const parts = ['relevance', 'quality', 'redundancy'].map((name) => element('span', `part ${name}`));
    const fresh = element('span', 'fresh');
    button.append(element('span', 'rank', String(place + 1)), query, answer, fresh, ...parts);
    item.append(button, this.acts(place));
    const row = { item, button, query, answer, parts, fresh, shown: -1 };
    pointedAt(item, () => this.point(this.id(row)), () => this.point(null));
    button.addEventListener('click', () => {
      const id = this.id(row);
      if (this.open.has(id)) this.open.delete(id);
      else this.open.add(id);
      this.expand(row);
    });
    return row;
  }

  // The id of what a row shows; null while that is nothing.
  id({ shown }) {
    return this.demonstrations[shown]?.id ?? null;
  }

  // What can be done to the demonstration of a row.
  acts(place) {
    const bar = element('div', 'acts');
    const id = () => this.id(this.rows[place]);
    const add = (text, does) => {
      const button = element('button', 'act', text);
      button.addEventListener('click', () => does());
      bar.append(button);
      return button;
    };
    const tag = element('input', 'tag');
    tag.placeholder = 'a tag';
    tag.setAttribute('aria-label', 'Tag');
    const give = () => {
      if (tag.value.trim()) this.act({ does: 'tag', id: id(), tag: tag.value });
      tag.value = '';
      this.typed.delete(id());
    };
    tag.addEventListener('input', () => this.typed.set(id(), tag.value));
    // Enter also ends a composition (Chinese, Japanese); Safari reports it as 229, after its end.
    const composes = (event) => event.isComposing || event.keyCode === 229;
    tag.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.repeat && !composes(event)) give();
    });
    add('Exclude', () => this.act({ does: 'exclude', id: id() }));
    const pinned = () => this.demonstrations[this.rows[place].shown].pinned;
    const pin = add('Pin', () => this.act({ does: pinned() ? 'unpin' : 'pin', id: id() }));
    pin.classList.add('pin');
    add('Edit', () => this.act({ does: 'edit', id: id() }));
    bar.append(tag);
    add('Tag', give);
    return bar;
  }

  expand(row) {
    const open = this.open.has(this.id(row));
    row.item.classList.toggle('expanded', open);
    row.button.setAttribute('aria-expanded', String(open));
  }

  // The demonstrations in the order chosen, beside those of where the way began.
  show(chosen, redundancy, before) {
    this.rows.forEach((row, place) => {
      const number = chosen[place];
      row.item.hidden = number === undefined; // where few fit the window and ties decide
      if (row.item.hidden) return;
      const { query, answer, relevance, quality, pinned } = this.demonstrations[number];
      if (row.shown !== number) {
        row.shown = number;
        row.query.textContent = query;
        row.answer.textContent = answer;
        row.parts[0].textContent = short(relevance);
        row.parts[1].textContent = short(quality);
        row.item.classList.toggle('pinned', pinned);
        row.item.querySelector('.tag').value = this.typed.get(this.id(row)) ?? '';
        row.item.querySelector('.pin').textContent = pinned ? 'Unpin' : 'Pin';
        this.expand(row);
      }
      row.parts[2].textContent = place ? short(redundancy[place]) : '–';
      row.item.classList.toggle('entered', !before.has(number));
    });
    const now = new Set(chosen);
    const gone = [...before].filter((number) => !now.has(number));
    const texts = gone.map((number) => this.demonstrations[number].query);
    this.left.textContent = texts.length ? `Left: ${texts.join(' · ')}` : '';
    return { entered: chosen.filter((number) => !before.has(number)).length, gone: gone.length };
  }

  // The last so many have no room in the model's window.
  leaveOut(count) {
    this.rows.forEach((row, place) => {
      const dropped = place >= this.rows.length - count;
      row.item.classList.toggle('dropped', dropped);
      row.fresh.textContent = dropped ? 'no room' : 'new';
    });
  }
}

// How many letters texts begin with in common, in whole words; 0 where that hides little.
function sharedStart(texts) {
  if (texts.length < 2) return 0;
  let length = 0;
  while (length < texts[0].length && texts.every((text) => text[length] === texts[0][length])) {
    length += 1;
  }
  const words = texts[0].lastIndexOf(' ', length - 1) + 1;
  return words > 10 ? words : 0;
}

class Answers {
  constructor(list, scale) {
    this.list = list;
    this.scale = scale;
  }

  fill(answers) {
    this.correct = answers.map(({ correct }) => correct);
    this.best = Math.max(0, answers.findIndex(({ best }) => best));
    this.compared = this.correct.includes(false);
    this.scale.textContent = this.compared
      ? 'Probability among these answers'
      : 'Probability per token';
    this.tokens = answers.map(() => 1);
    const shared = [true, false].map((side) => sharedStart(
      answers.filter(({ correct }) => correct === side).map(({ text }) => text),
    ));
    this.bars = answers.map((answer) => this.bar(answer, shared[answer.correct ? 0 : 1]));
    for (const [name, correct] of [['right', true], ['wrong', false]]) {
      this.list.querySelector(`.${name}`).replaceChildren(
        ...this.bars.filter((_, i) => this.correct[i] === correct).map(({ item }) => item),
      );
    }
  }

  bar({ text, correct }, shared) {
    const item = element('li', correct ? 'correct' : 'incorrect');
    const words = element('span', 'text', shared ? `…${text.slice(shared)}` : text);
    words.title = text;
    const track = element('span', 'track');
    const [alone, after] = [element('span', 'alone'), element('span', 'after')];
    track.append(alone, after);
    const value = element('span', 'value');
    item.append(element('span', 'kind', correct ? '✓' : '✗'), words, track, value);
    return { item, alone, after, value };
  }

  // Their probabilities: of all answers together 1, or by itself where none is incorrect.
  shares(logProbs) {
    if (!this.compared) {
      return logProbs.map((logProb, i) => Math.exp(logProb / Math.max(1, this.tokens[i])));
    }
    const most = Math.max(...logProbs);
    const weights = logProbs.map((logProb) => Math.exp(logProb - most));
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map((weight) => weight / sum);
  }

  // Whether the best correct answer is more probable than every incorrect one (MC1).
  wins(logProbs) {
    return logProbs.every((logProb, i) => this.correct[i] || logProbs[this.best] > logProb);
  }

  // The probability of the most probable correct answer.
  bestCorrect(logProbs) {
    return Math.max(...this.shares(logProbs).filter((_, i) => this.correct[i]));
  }

  // Log-probabilities with the context and alone, each null while it is not known.
  show(logProbs, alone) {
    this.list.classList.toggle('unknown', !logProbs);
    const after = logProbs ? this.shares(logProbs) : [];
    const before = alone ? this.shares(alone) : [];
    this.bars.forEach((bar, i) => {
      bar.after.style.transform = `scaleX(${after[i] ?? 0})`;
      bar.alone.style.transform = `scaleX(${before[i] ?? 0})`;
      bar.value.textContent = logProbs ? `${short(100 * after[i], 0)} %` : '–';
    });
  }
}

// The demonstrations that are not chosen and would be after the smallest change of the weights.
class Misses {
  // `go` moves the handle to where one of them enters; `point` marks where it is chosen.
  constructor(list, go, point) {
    this.list = list;
    this.go = go;
    this.point = point;
  }

  // Each with the nearest place at which it is chosen, the nearest first.
  find({ cells, lists, k }, place, chosen) {
    const found = new Map();
    for (let cell = 0; cell < cells.count; cell += 1) {
      const near = cells.nearest(cell, ...place);
      for (const number of lists.subarray(cell * k, (cell + 1) * k)) {
        const known = found.get(number);
        if (!known || near.far < known.far) found.set(number, { ...near, cell, number });
      }
    }
    return [...found.values()]
      .filter(({ number }) => !chosen.includes(number))
      .sort((one, other) => one.far - other.far)
      .slice(0, MISSES);
  }

  show(misses, demonstrations, lambdasOf) {
    this.point(null); // what the mouse is on is not here any more
    this.list.replaceChildren(...misses.map(({ number, place, cell }) => {
      const { id, query, answer, relevance, quality } = demonstrations[number];
      const [lambdaD, lambdaB] = lambdasOf(place).map((value) => short(value));
      const button = element('button', 'miss');
      button.title = `${query}\n${answer}`;
      button.append(
        element('span', 'query', query),
        element('span', 'enters', `from lambda_d ${lambdaD}, lambda_b ${lambdaB}`),
        element('span', 'part', short(relevance)),
        element('span', 'part', short(quality)),
      );
      button.addEventListener('click', () => this.go(cell, place));
      const item = element('li', '');
      pointedAt(item, () => this.point(id), () => this.point(null));
      item.append(button);
      return item;
    }));
  }
}
