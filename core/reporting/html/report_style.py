"""How a report looks, on screen in light and dark and on paper, and how its figures are drawn."""

STYLE = """
:root { --text: #1d232b; --ground: #ffffff; --soft: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --ground: #14181d; --soft: #1f252c; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.5rem; max-width: 75rem; color: var(--text);
  background: var(--ground); font: 16px/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
header p { margin: 0.3rem 0 1.2rem; opacity: 0.8; overflow-wrap: anywhere; }
.reading { background: var(--soft); padding: 1rem 1.2rem; border-radius: 0.5rem; }
.reading p { margin: 0.35rem 0; overflow-wrap: anywhere; }
.headline { font-size: 1.15rem; font-weight: 600; }
.mind { border-left: 4px solid #e69f00; padding-left: 0.8rem; margin: 0.6rem 0; }
.mind ul { margin: 0; padding-left: 1.1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(28rem, 1fr)); gap: 1rem; }
h3 { font-size: 1rem; line-height: 1.35; margin: 0 0 0.3rem; overflow-wrap: anywhere; }
figure { margin: 1.2rem 0 0; min-width: 0; break-inside: avoid; }
figcaption, footer { font-size: 0.8rem; opacity: 0.8; overflow-wrap: anywhere; }
footer { margin-top: 2rem; }
@media (max-width: 34rem) { .figures { grid-template-columns: 1fr; } }
@media print {
  :root { --text: #000000; --ground: #ffffff; --soft: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .figures { grid-template-columns: 1fr; }
  .shotlist-table { font-size: 7pt; }
  .shotlist-table th, .shotlist-table td { padding: 1pt 3pt; white-space: normal; }
  .scroll { overflow: visible; }
  tr { break-inside: avoid; }
}
"""

SCRIPT = """
const figures = [...document.querySelectorAll("script[data-figure]")].map((source) => ({
  place: document.getElementById(source.dataset.figure),
  drawing: JSON.parse(source.textContent),
}));
const axisNames = (layout) => Object.keys(layout).filter((name) => /^[xy]axis\\d*$/.test(name));
function coloured(layout, printing) {
  const text = printing ? "#000000" : getComputedStyle(document.body).color;
  const changes = { "font.color": text, "title.font.color": text };
  for (const axis of axisNames(layout)) {
    changes[axis + ".gridcolor"] = "rgba(128, 128, 128, 0.25)";
    changes[axis + ".linecolor"] = "rgba(128, 128, 128, 0.6)";
    changes[axis + ".zeroline"] = false;
    changes[axis + ".automargin"] = true;
  }
  return changes;
}
const recolour = (printing) =>
  figures.forEach(({ place }) => Plotly.relayout(place, coloured(place.layout, printing)));
const resize = () => figures.forEach(({ place }) => Plotly.Plots.resize(place));
for (const { place, drawing } of figures) {
  Plotly.newPlot(place, drawing.data, drawing.layout, { responsive: true, displaylogo: false });
}
recolour(false);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => recolour(false));
matchMedia("print").addEventListener("change", (now) => { recolour(now.matches); resize(); });
"""
"""Plotly takes colours as values: they are read from the page, and again when these change."""
