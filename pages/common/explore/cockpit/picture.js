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

  paint(colourOf) {
    const pen = this.canvas.getContext('2d');
    const ratio = window.devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.lineJoin = 'round';
    if (this.cells.edge) this.frame(pen);
    for (let cell = 0; cell < this.cells.count; cell += 1) {
      const colour = colourOf(this.cells.contexts[cell]);
      pen.fillStyle = colour;
      pen.strokeStyle = colour;
      pen.lineWidth = this.cells.edge ? 14 : 1.1; // what is between two cells is in their colours
      pen.beginPath();
      this.cells.polygon(cell).forEach((corner, i) => {
        const [x, y] = this.pixel(corner);
        if (i) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      });
      pen.closePath();
      if (!this.cells.edge) pen.fill();
      pen.stroke();
    }
  }

  // The triangle of which only one edge is open.
  frame(pen) {
    pen.strokeStyle = 'rgba(128, 128, 128, 0.5)';
    pen.lineWidth = 1;
    pen.beginPath();
    for (const corner of [[1, 0], [0, 1], [0, 0]]) pen.lineTo(...this.pixel(corner));
    pen.closePath();
    pen.stroke();
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

  // The ends of the line through a place along which only this lambda changes.
  ends([x, y], [lambdaD, lambdaB]) {
    if (this.knob === 'lambda_b') {
      return [this.cells.place(lambdaD, 0), this.cells.place(lambdaD, 1)];
    }
    return [[0, 0], this.cells.place(1, lambdaB)];
  }

  show(place, lambdas, colourOf) {
    this.line = this.ends(place, lambdas);
    const [[px, py], [qx, qy]] = this.line;
    const [wx, wy] = [qx - px, qy - py];
    const length = wx * wx + wy * wy;
    const at = length > 1e-18 ? ((place[0] - px) * wx + (place[1] - py) * wy) / length : 1;
    this.value.textContent = short(lambdas[this.knob === 'lambda_d' ? 0 : 1]);
    const { width, height } = this.canvas;
    this.mark.style.transform = `translateX(${at * this.strip.clientWidth}px)`;
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
