const figures = [...document.querySelectorAll("script[data-figure]")].map((source) => ({
  place: document.getElementById(source.dataset.figure),
  drawing: JSON.parse(source.textContent),
}));
const axisNames = (layout) => Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
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
