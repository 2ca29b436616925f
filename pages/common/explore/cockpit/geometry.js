// The triangle of weights: where its cells are, and which one a place is in. A place is (x, y), the
// shares of relevance and of quality as drawn; the rest, to 1, is that of diversity.

const KINDS = { f8: Float64Array, f4: Float32Array, u2: Uint16Array, u1: Uint8Array };

// Numbers as they were sent: an array's bytes in base64, and its kind.
function numbers({ kind, bytes }) {
  const raw = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  return new KINDS[kind](raw.buffer);
}

// The inner product of two ways, as they are in a triangle with three equal sides.
function inner([ux, uy], [vx, vy]) {
  return ux * vx + uy * vy + (ux * vy + uy * vx) / 2;
}

class Cells {
  constructor({ corners, counts, contexts, spread }) {
    this.corners = numbers(corners); // x and y of every corner, cell after cell
    this.contexts = numbers(contexts); // the context of each cell
    this.spread = spread;
    this.starts = [0];
    for (const count of numbers(counts)) this.starts.push(this.starts.at(-1) + count);
    this.count = this.starts.length - 1;
    // Where a method fixes a lambda, all cells lie along one edge.
    this.edge = this.starts[1] === 2 ? this.ends() : null;
    this.senses = Int8Array.from({ length: this.count }, (_, cell) => this.sense(cell));
    this.cellsOf = new Map();
    this.contexts.forEach((context, cell) => {
      if (!this.cellsOf.has(context)) this.cellsOf.set(context, []);
      this.cellsOf.get(context).push(cell);
    });
  }

  polygon(cell) {
    const points = [];
    for (let i = this.starts[cell]; i < this.starts[cell + 1]; i += 1) {
      points.push([this.corners[2 * i], this.corners[2 * i + 1]]);
    }
    return points;
  }

  middle(cell) {
    const points = this.polygon(cell);
    const sum = points.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
    return [sum[0] / points.length, sum[1] / points.length];
  }

  ends() {
    const ends = [this.polygon(0)[0], this.polygon(this.count - 1)[1]];
    // On a full edge these are corners but for rounding.
    return ends.map((end) => end.map((share) => (share < 0.5 ? 0 : 1)));
  }

  sense(cell) {
    let twice = 0;
    const points = this.polygon(cell);
    points.forEach(([x, y], i) => {
      const [before, above] = points.at(i - 1);
      twice += before * y - x * above;
    });
    return twice < 0 ? -1 : 1;
  }

  // How far inside a cell a place is; below 0 outside.
  depth(cell, x, y) {
    const { corners, starts } = this;
    const last = starts[cell + 1] - 1;
    if (this.edge) {
      const [low, high] = [this.along(corners[2 * last - 2], corners[2 * last - 1]),
        this.along(corners[2 * last], corners[2 * last + 1])];
      const at = this.along(x, y);
      return Math.min(at - low, high - at);
    }
    let least = Infinity;
    let [before, above] = [corners[2 * last], corners[2 * last + 1]];
    for (let i = starts[cell]; i <= last; i += 1) {
      const [cx, cy] = [corners[2 * i], corners[2 * i + 1]];
      const across = (cx - before) * (y - above) - (cy - above) * (x - before);
      const depth = this.senses[cell] * across;
      if (depth < least) least = depth;
      [before, above] = [cx, cy];
    }
    return least;
  }

  // How far along the one edge a place is, from 0 to 1.
  along(x, y) {
    const [[ax, ay], [bx, by]] = this.edge;
    const [wx, wy] = [bx - ax, by - ay];
    return ((x - ax) * wx + (y - ay) * wy) / (wx * wx + wy * wy);
  }

  // The cell at a place; `near` is looked at first.
  at(x, y, near = 0) {
    if (this.depth(near, x, y) > 0) return near;
    let [best, deepest] = [near, -Infinity];
    for (let cell = 0; cell < this.count; cell += 1) {
      const depth = this.depth(cell, x, y);
      if (depth > deepest) [best, deepest] = [cell, depth];
      if (depth > 0) break;
    }
    return best;
  }

  // The nearest place to (x, y) that is in the triangle, or on its one edge.
  inside(x, y) {
    if (this.edge) {
      const [[ax, ay], [bx, by]] = this.edge;
      const t = Math.min(1, Math.max(0, this.along(x, y)));
      return [ax + t * (bx - ax), ay + t * (by - ay)];
    }
    [x, y] = [Math.max(0, x), Math.max(0, y)];
    const sum = x + y;
    return sum <= 1 ? [x, y] : [x / sum, y / sum];
  }

  // The nearest place to (x, y) in a cell, and how far that is on the screen, squared.
  nearest(cell, x, y) {
    if (!this.edge && this.depth(cell, x, y) >= 0) return { place: [x, y], far: 0 };
    const points = this.polygon(cell);
    let best = { place: points[0], far: Infinity };
    points.forEach(([ax, ay], i) => {
      const [bx, by] = points.at(i - 1);
      const way = [bx - ax, by - ay];
      const length = inner(way, way);
      const t = length ? Math.min(1, Math.max(0, inner([x - ax, y - ay], way) / length)) : 0;
      const place = [ax + t * way[0], ay + t * way[1]];
      const apart = [x - place[0], y - place[1]];
      const far = inner(apart, apart);
      if (far < best.far) best = { place, far };
    });
    return best;
  }

  // From where to where, in [0, 1], the straight way from one place to another is in each cell.
  crossed([px, py], [qx, qy]) {
    const found = [];
    const { corners, starts, senses } = this;
    for (let cell = 0; cell < this.count; cell += 1) {
      let [low, high] = [0, 1];
      const last = starts[cell + 1] - 1;
      let [before, above] = [corners[2 * last], corners[2 * last + 1]];
      for (let i = starts[cell]; i <= last && low < high; i += 1) {
        const [cx, cy] = [corners[2 * i], corners[2 * i + 1]];
        const [ex, ey] = [cx - before, cy - above];
        const start = senses[cell] * (ex * (py - above) - ey * (px - before));
        const rise = senses[cell] * (ex * (qy - py) - ey * (qx - px));
        if (rise > 0) low = Math.max(low, -start / rise);
        else if (rise < 0) high = Math.min(high, -start / rise);
        else if (start < 0) high = -1;
        [before, above] = [cx, cy];
      }
      if (high > low + 1e-9) found.push([low, high, cell]);
    }
    return found.sort((one, other) => one[0] - other[0]);
  }

  // The same along the one edge.
  stretches() {
    const found = [];
    for (let cell = 0; cell < this.count; cell += 1) {
      const [low, high] = this.polygon(cell).map(([x, y]) => this.along(x, y));
      found.push([Math.min(low, high), Math.max(low, high), cell]);
    }
    return found.sort((one, other) => one[0] - other[0]);
  }

  // Where both lambdas are drawn; right before the corner "diverse", where all lambda_b meet.
  place(lambdaD, lambdaB) {
    lambdaD = Math.max(lambdaD, 1e-6);
    const [x, y, z] = [lambdaD * lambdaB, this.spread * lambdaD * (1 - lambdaB), 1 - lambdaD];
    return [x / (x + y + z), y / (x + y + z)];
  }

  // Both lambdas at a place; at the corner "diverse" lambda_b may be anything, so it stays.
  lambdas(x, y, lambdaB) {
    const quality = y / this.spread;
    const diversity = Math.max(0, 1 - x - y);
    const rest = x + quality;
    if (rest < 1e-12) return [0, lambdaB];
    return [rest / (rest + diversity), x / rest];
  }
}
