"""A metric over the knob that rows differ in, or over the models: a line for each kind of row."""

import html
from typing import TYPE_CHECKING

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.label_figures import CONSISTENCY
from ...metrics.registry import METRICS
from ...text import three_decimals
from ..results.sweeps import MODEL, Sweep, SweepLine, SweepPoint
from ..words.calibration_findings import MEANINGLESS, is_meaningless
from . import layout
from .layout import NEUTRAL, empty_figure, error_bars, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_COLOURS = (
    *(layout.CHOSEN, layout.QUERY, layout.CORRECT),
    *(layout.DIVERSITY, layout.INCORRECT, layout.DPO),
)
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def sweep_figure(sweep: Sweep, metric: str) -> "Figure":
    """A line for each kind of row, a point with its 95 % interval for each row.

    The comparison's reference is a dotted line unless it is a point of a line, and chance a dashed
    one where the metric is label consistency.

    Args:
        sweep: The rows by what they differ in.
        metric: One of `sweep.metrics()`.
    """
    facts, figure = METRICS[metric], empty_figure()
    for place, line in enumerate(sweep.lines):
        shown = [point for point in line.points if point.estimate(metric).mean is not None]
        colour = _COLOURS[place % len(_COLOURS)]
        estimates = [point.estimate(metric) for point in shown]
        figure.add_scatter(
            x=[_shown(point) for point in shown],
            y=[each.mean for each in estimates],
            error_y=error_bars(estimates) | {"color": colour},
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": _DASHES[place % len(_DASHES)]},
            marker={"color": colour, "size": 9, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
            hovertext=[
                f"{html.escape(point.row)}<br>{facts.label} {point.estimate(metric)}"
                for point in shown
            ],
            hoverinfo="text",
            name=html.escape(line.name),
            showlegend=True,
        )
    _name_axes(figure, sweep)
    figure.update_yaxes(title_text=facts.axis)
    _add_reference(figure, sweep, metric)
    if metric == CONSISTENCY:
        _add_chance(figure, sweep)
    return styled(figure, sweep_finding(sweep, metric), height=380)


def swept_metric(sweep: Sweep, comparison: Comparison) -> str | None:
    """The metric to draw first: label consistency, else the one that leads; None for no figure."""
    offered = sweep.metrics()
    first = (name for name in (CONSISTENCY, comparison.metric) if name in offered)
    return next(first, next(iter(offered), None))


def sweep_finding(sweep: Sweep, metric: str) -> str:
    """What the metric does over the knob: for the longest line, or over models the steepest."""
    facts, key = METRICS[metric], _spread if sweep.knob == MODEL else _length
    line = max(sweep.lines, key=lambda each: key(each, metric))
    known = [point for point in line.points if point.estimate(metric).mean is not None]
    if any(is_meaningless(point.of, metric) for point in known):
        return MEANINGLESS
    if len(known) < 2 or facts.higher_is_better is None:
        return f"{facts.label} by {_word(sweep)}"
    sign = 1.0 if facts.higher_is_better else -1.0
    best = max(known, key=lambda point: sign * (point.estimate(metric).mean or 0.0))
    at = html.unescape(_text(best))
    if sweep.knob == MODEL:
        return f"{facts.label} of {line.name}: the best mean is that of {at}"
    where = f"{line.name} has its best mean {facts.label} at {_word(sweep)} {at}"
    return f"{where}{_clearness(line, metric)}"


def _length(line: SweepLine, metric: str) -> float:
    return len([point for point in line.points if point.estimate(metric).mean is not None])


def _spread(line: SweepLine, metric: str) -> float:
    """By how much the means of the line differ: some methods do not ask the model at all."""
    means = [point.estimate(metric).mean for point in line.points]
    known = [mean for mean in means if mean is not None]
    return max(known) - min(known) if known else 0.0


def _clearness(line: SweepLine, metric: str) -> str:
    """Whether the values of the line differ beyond chance, by which of them are in the lead."""
    front = line.points[0].of.fronts.get(metric)
    if front is None:
        return ""
    if front.needed:
        return f", but it takes about {front.needed:,} examples to decide"
    leading = [point.row in front.best for point in line.points]
    if all(leading):
        return ", with no clear difference between the values"
    return ", and some of its values are clearly behind" if any(leading) else ""


def _name_axes(figure: "Figure", sweep: Sweep) -> None:
    points = [point for line in sweep.lines for point in line.points]
    if sweep.knob == MODEL:
        names = list(dict.fromkeys(_shown(point) for point in points))
        figure.update_xaxes(
            title_text="Model", type="category", categoryorder="array", categoryarray=names
        )
        return
    values = sorted({float(point.value) for point in points})
    figure.update_xaxes(title_text=_word(sweep), tickvals=values, tickformat=",.6~g")


def _add_reference(figure: "Figure", sweep: Sweep, metric: str) -> None:
    of = sweep.lines[0].points[0].of
    drawn = {point.row for line in sweep.lines for point in line.points}
    if sweep.knob == MODEL or of.reference in drawn or of.reference not in of.methods:
        return
    mean = of.value(of.reference, metric).mean
    if mean is not None:
        figure.add_hline(
            y=mean,
            line={"color": NEUTRAL, "width": 1.5, "dash": "dot"},
            annotation_text=f"{html.escape(of.reference)} {three_decimals(mean)}",
            annotation_position="top right",
        )


def _add_chance(figure: "Figure", sweep: Sweep) -> None:
    """A dashed line at what random contexts would have; of several models, for the last one."""
    labels = sweep.lines[-1].points[-1].of.labels
    if labels is None or labels.chance is None:
        return
    figure.add_hline(
        y=labels.chance,
        line={"color": NEUTRAL, "width": 1.5, "dash": "dash"},
        annotation_text=f"chance {three_decimals(labels.chance)}",
        annotation_position="bottom right",
    )


def _word(sweep: Sweep) -> str:
    return sweep.knob.replace("_", " ")


def _shown(point: SweepPoint) -> float | str:
    return html.escape(point.value) if isinstance(point.value, str) else point.value


def _text(point: SweepPoint) -> str:
    return point.value if isinstance(point.value, str) else f"{point.value:,.6g}"
