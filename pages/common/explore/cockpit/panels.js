// What stands beside the triangle: the demonstrations of a context, the answers, the figures.

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

class Rows {
  constructor(list, left) {
    this.list = list;
    this.left = left;
    this.open = new Set();
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
    item.append(button);
    const row = { item, button, query, answer, parts, fresh, shown: -1 };
    button.addEventListener('click', () => {
      if (this.open.has(row.shown)) this.open.delete(row.shown);
      else this.open.add(row.shown);
      this.expand(row);
    });
    return row;
  }

  expand(row) {
    const open = this.open.has(row.shown);
    row.item.classList.toggle('expanded', open);
    row.button.setAttribute('aria-expanded', String(open));
  }

  // The demonstrations in the order chosen, beside those of where the way began.
  show(chosen, redundancy, before) {
    this.rows.forEach((row, place) => {
      const number = chosen[place];
      row.item.hidden = number === undefined; // where few fit the window and ties decide
      if (row.item.hidden) return;
      const { query, answer, relevance, quality } = this.demonstrations[number];
      if (row.shown !== number) {
        row.shown = number;
        row.query.textContent = query;
        row.answer.textContent = answer;
        row.parts[0].textContent = short(relevance);
        row.parts[1].textContent = short(quality);
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
