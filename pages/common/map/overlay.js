// Draws a query, its context and what is selected over the map, without touching the map's own picture: redrawing
// thousands of points on every move of a slider would take most of a second.

const SVG = 'http://www.w3.org/2000/svg';
const RADIUS = 10; // of a numbered disc, pixels
const LOOK = 250; // milliseconds between two looks whether the map moved without telling

export default function ({ data, parentElement }) {
  const overlay = (parentElement.mapOverlay ??= new Overlay());
  overlay.show(data);
  return () => overlay.close();
}

class Overlay {
  svg = element('svg', { role: 'img' });
  drawn = '';

  constructor() {
    Object.assign(this.svg.style, {
      position: 'absolute', inset: '0', width: '100%', height: '100%',
      pointerEvents: 'none', overflow: 'hidden',
    });
  }

  show(data) {
    this.data = data;
    this.drawn = '';
    this.timer ??= setInterval(() => this.draw(), LOOK);
    this.draw();
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.svg.remove();
  }

  draw = () => {
    const plot = document.querySelector(`${this.data.plot} .js-plotly-plot`);
    const area = plot?._fullLayout;
    if (!area?.xaxis?._length || !area?.yaxis?._length) return;
    const layers = plot.querySelectorAll('.svg-container > .main-svg');
    if (!layers.length) return;
    if (this.svg.nextSibling !== layers[layers.length - 1]) {
      // Under the last layer, which has the labels of the points.
      layers[layers.length - 1].before(this.svg);
      for (const event of ['plotly_relayouting', 'plotly_relayout', 'plotly_afterplot']) {
        plot.on?.(event, this.draw);
      }
    }
    const view = JSON.stringify([
      area.xaxis.range, area.yaxis.range, area.xaxis._length, area.yaxis._length,
      area.xaxis._offset, area.yaxis._offset,
    ]);
    if (view === this.drawn) return;
    this.drawn = view;
    this.paint(area.xaxis, area.yaxis);
  };

  paint(xaxis, yaxis) {
    const pixel = ([x, y]) => [xaxis._offset + xaxis.l2p(x), yaxis._offset + yaxis.l2p(y)];
    // The query has no point while its state is still being read.
    const query = this.data.query && pixel(this.data.query);
    const spots = this.data.chosen.map(pixel);
    const labels = apart(query ? [query] : [], spots);
    const { queryColour, chosenColour, numbers } = this.data;
    const area = `overlay-area-${this.data.name}`;
    const clip = element('clipPath', { id: area });
    clip.append(element('rect', {
      x: xaxis._offset, y: yaxis._offset, width: xaxis._length, height: yaxis._length,
    }));
    const group = element('g', { 'clip-path': `url(#${area})` });
    for (const [x, y] of query ? spots : []) {
      group.append(element('line', {
        x1: query[0], y1: query[1], x2: x, y2: y,
        stroke: chosenColour, 'stroke-width': 1.5, opacity: 0.6,
      }));
    }
    group.append(...this.data.holes.map((point) => square(pixel(point), queryColour)));
    group.append(...this.data.selected.map((point) => ring(pixel(point))));
    spots.forEach((spot, place) => group.append(...pin(spot, labels[place], chosenColour)));
    labels.forEach((label, place) => group.append(...disc(label, numbers[place], chosenColour)));
    if (query) group.append(star(query, queryColour));
    const title = element('title', {});
    title.textContent = this.data.description;
    this.svg.replaceChildren(title, clip, group);
  }
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The places of the discs, so that none hides another or the star: on their point, or near it.
function apart(stars, spots) {
  const taken = [...stars];
  return spots.map((spot) => {
    for (let ring = 0; ; ring += 1) {
      const turns = ring === 0 ? 1 : 6 * ring;
      for (let turn = 0; turn < turns; turn += 1) {
        const angle = (2 * Math.PI * turn) / turns - Math.PI / 2;
        const reach = ring * (2 * RADIUS + 2);
        const place = [spot[0] + reach * Math.cos(angle), spot[1] + reach * Math.sin(angle)];
        const free = taken.every(
          ([x, y]) => Math.hypot(place[0] - x, place[1] - y) > 2 * RADIUS + 1,
        );
        if (free) {
          taken.push(place);
          return place;
        }
      }
    }
  });
}

// Where a query is that has no demonstration near it.
function square([x, y], colour) {
  return element('rect', {
    x: x - 5, y: y - 5, width: 10, height: 10, fill: 'none', stroke: colour, 'stroke-width': 2,
  });
}

// Around a demonstration that is selected.
function ring([x, y]) {
  return element('circle', {
    cx: x, cy: y, r: 7, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5,
  });
}

// Where a demonstration lies, tied to its disc.
function pin([x, y], [labelX, labelY], colour) {
  return [
    element('circle', { cx: x, cy: y, r: 4, fill: colour, stroke: 'white', 'stroke-width': 1 }),
    element('line', { x1: x, y1: y, x2: labelX, y2: labelY, stroke: colour, 'stroke-width': 1.5 }),
  ];
}

function disc([x, y], number, colour) {
  const text = element('text', {
    x, y, fill: 'white', 'font-size': 12, 'font-weight': 600,
    'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-family': 'sans-serif',
  });
  text.textContent = String(number);
  return [
    element('circle', { cx: x, cy: y, r: RADIUS, fill: colour, stroke: 'white', 'stroke-width': 1.5 }),
    text,
  ];
}

function star([x, y], colour) {
  const points = Array.from({ length: 10 }, (_, corner) => {
    const reach = corner % 2 === 0 ? 13 : 5.5;
    const angle = (Math.PI * corner) / 5 - Math.PI / 2;
    return `${x + reach * Math.cos(angle)},${y + reach * Math.sin(angle)}`;
  });
  return element('polygon', {
    points: points.join(' '), fill: colour, stroke: 'white', 'stroke-width': 1.5,
  });
}
