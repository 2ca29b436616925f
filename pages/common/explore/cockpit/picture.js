// The triangle as a picture: cells in their colours, the handle, and the outline of its context.

const ABOVE = 22; // pixels for the name of the corner above
const SIDE = 16; // pixels beside the triangle
const STEEP = Math.sqrt(3) / 2;

class Picture {
  constructor(stage, cells) {
    this.stage = stage;
    this.canvas = stage.querySelector('.cells');
    this.outline = stage.querySelector('.outline');
    this.handle = stage.querySelector('.handle');
    this.cells = cells;
  }

  resize() {
    const width = this.stage.clientWidth;
    this.side = Math.min(width - 2 * SIDE, (this.stage.clientHeight - 2 * ABOVE) / STEEP);
    this.left = (width - this.side) / 2;
    this.high = this.side * STEEP;
    this.stage.classList.toggle('one-edge', Boolean(this.cells.edge));
    for (const [name, place] of Object.entries({ similar: [1, 0], likely: [0, 1], diverse: [0, 0] })) {
      const [x, y] = this.pixel(place);
      const label = this.stage.querySelector(`.corner.${name}`);
      label.style.transform = `translate(${x}px, ${y}px)`;
    }
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.stage.clientHeight * ratio);
    this.outline.setAttribute('viewBox', `0 0 ${width} ${this.stage.clientHeight}`);
  }

  pixel([x, y]) {
    const z = 1 - x - y;
    return [this.left + this.side * (y + z / 2), ABOVE + this.high * (1 - z)];
  }

  place(px, py) {
    const z = 1 - (py - ABOVE) / this.high;
    const y = (px - this.left) / this.side - z / 2;
    return [1 - z - y, y];
  }

  // With `marked` cells, all others are pale.
  paint(colourOf, marked = null) {
    const pen = this.canvas.getContext('2d');
    const ratio = window.devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.lineJoin = 'round';
    // Where only one edge is open, this is what is there of the triangle.
    if (this.cells.edge) this.frame(pen, 'rgba(128, 128, 128, 0.5)', 1);
    for (let cell = 0; cell < this.cells.count; cell += 1) this.cell(pen, cell, colourOf);
    if (!marked) return;
    pen.globalAlpha = 0.8;
    this.frame(pen, getComputedStyle(this.stage).getPropertyValue('--st-background-color'),
      this.cells.edge ? 16 : 1);
    if (!this.cells.edge) pen.fill();
    pen.globalAlpha = 1;
    for (const cell of marked) this.cell(pen, cell, colourOf);
  }

  cell(pen, cell, colourOf) {
    const colour = colourOf(this.cells.contexts[cell]);
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.lineWidth = this.cells.edge ? 14 : 1.1; // what is between two cells is in their colours
    this.trace(pen, this.cells.polygon(cell));
    if (!this.cells.edge) pen.fill();
    pen.stroke();
  }

  frame(pen, colour, wide) {
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.lineWidth = wide;
    this.trace(pen, [[1, 0], [0, 1], [0, 0]]);
    pen.stroke();
  }

  trace(pen, corners) {
    pen.beginPath();
    for (const corner of corners) pen.lineTo(...this.pixel(corner));
    pen.closePath();
  }

  // Around all cells of a context: a broad line, and its cells over the inner half of that.
  surround(context, colour) {
    const paths = this.cells.cellsOf.get(context).map((cell) => {
      const points = this.cells.polygon(cell).map((corner) => this.pixel(corner).map(
        (value) => value.toFixed(1),
      ).join(' '));
      return `M${points.join('L')}Z`;
    });
    const [edge, inside] = this.outline.children;
    edge.setAttribute('d', paths.join(''));
    inside.setAttribute('d', this.cells.edge ? '' : paths.join(''));
    inside.style.fill = colour;
    inside.style.stroke = colour;
  }

  move(place) {
    const [x, y] = this.pixel(place);
    this.handle.style.transform = `translate(${x}px, ${y}px)`;
  }
}

// The cross section of the triangle along one lambda, through the handle.
class Strip {
  constructor(strip, cells, knob) {
    this.strip = strip;
    this.canvas = strip.querySelector('canvas');
    this.mark = strip.querySelector('.mark');
    this.value = strip.parentElement.querySelector('.value');
    this.cells = cells;
    this.knob = knob;
  }

  resize() {
    this.wide = this.strip.clientWidth;
    this.canvas.width = Math.round(this.wide * (window.devicePixelRatio || 1));
  }

  // The ends of the line through a place along which only this lambda changes.
  ends([x, y], [lambdaD, lambdaB]) {
    if (this.knob === 'lambda_b') {
      return [this.cells.place(lambdaD, 0), this.cells.place(lambdaD, 1)];
    }
    return [[0, 0], this.cells.place(1, lambdaB)];
  }

  // `painted` is what it was as long as no colour and no size changes.
  show(place, lambdas, colourOf, painted) {
    this.line = this.ends(place, lambdas);
    const [[px, py], [qx, qy]] = this.line;
    const [wx, wy] = [qx - px, qy - py];
    const length = wx * wx + wy * wy;
    const at = length > 1e-18 ? ((place[0] - px) * wx + (place[1] - py) * wy) / length : 1;
    this.value.textContent = short(lambdas[this.knob === 'lambda_d' ? 0 : 1]);
    const { width, height } = this.canvas;
    this.mark.style.transform = `translateX(${at * this.wide}px)`;
    const line = this.line.flat().join(' ');
    if (painted === this.painted && line === this.drawn) return;
    this.painted = painted;
    this.drawn = line;
    const pen = this.canvas.getContext('2d');
    pen.clearRect(0, 0, width, height);
    if (length <= 1e-18) return;
    const stretches = this.cells.edge ? this.cells.stretches() : this.cells.crossed(...this.line);
    for (const [low, high, cell] of stretches) {
      pen.fillStyle = colourOf(this.cells.contexts[cell]);
      pen.fillRect(low * width, 0, (high - low) * width + 0.5, height);
    }
  }

  // The place on the strip's line under a pointer.
  place(clientX) {
    const box = this.strip.getBoundingClientRect();
    const t = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
    const [[px, py], [qx, qy]] = this.line;
    return [px + t * (qx - px), py + t * (qy - py)];
  }
}

// A number as people read it: two decimals, a true minus sign, a dash where it is not known.
function short(value, decimals = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}
