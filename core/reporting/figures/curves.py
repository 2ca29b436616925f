"""DPO and diversity over lambda_d, above each other and against each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import CalibrationCell, ExactCurve
from ...interval import Interval
from ...metrics.metric import MetricInfo
from ...metrics.preference import NO_EFFECT
from ...metrics.registry import METRICS
from ..words.calibration_findings import (
    LambdaDEffect,
    effect_of_lambda_d,
    equally_good_range,
    exact_curve,
    finding_of,
    for_drawing,
    lambda_d_finding,
    line_of,
    marked_best,
)
from . import layout
from .layout import NEUTRAL, add_band, add_marks, empty_figure, error_bars, faded, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


T = TypeVar("T")

LAMBDA_D_AXIS = "lambda_d<br>(0 = diversity only, 1 = relevance only)"
SAMENESS_AXIS = "Sameness<br>(lower is more diverse)"


def two_panels() -> "Figure":
    """An empty figure of two panels, the upper one larger, that share lambda_d."""
    from plotly.subplots import make_subplots

    return make_subplots(
        rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.56, 0.44]
    )


def name_axes(figure: "Figure", facts: MetricInfo) -> None:
    """Name the axes of both panels: the metric above, sameness below, lambda_d at the foot."""
    figure.update_yaxes(title_text=f"{facts.label}<br>({facts.unit})", row=1, col=1)
    figure.update_yaxes(title_text=SAMENESS_AXIS, row=2, col=1)
    figure.update_xaxes(range=[-0.03, 1.03])
    figure.update_xaxes(title_text=LAMBDA_D_AXIS, row=2, col=1)
    if not any(y is not None for trace in figure.select_traces(row=2) for y in trace.y or ()):
        figure.update_yaxes(range=[0, 1], row=2, col=1)


def add_line(
    figure: "Figure",
    xs: Sequence[float],
    ys: Sequence[float | None],
    texts: Sequence[str],
    look: tuple[str, str],
    row: int | None,
) -> None:
    """Add a line with markers; None among `ys` leaves a gap.

    `look` is colour and symbol; whatever is not a circle is dashed as well. `row` None is for a
    figure without panels.
    """
    colour, symbol = look
    figure.add_scatter(
        x=list(xs),
        y=list(ys),
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": "solid" if symbol == "circle" else "dash"},
        marker={"color": colour, "size": 7, "symbol": symbol},
        hovertext=list(texts),
        hoverinfo="text",
        showlegend=False,
        **({} if row is None else {"row": row, "col": 1}),
    )


def add_steps(
    figure: "Figure",
    lows: Sequence[float],
    ys: Sequence[float | None],
    texts: Sequence[str],
    look: tuple[str, str],
    row: int | None,
) -> None:
    """Add a step function: each of `ys` from its low up to the next one, the last up to 1.

    As `add_line`, without markers; a step that is None leaves a gap of its own width.
    """
    xs = [x for step in zip(lows, step_ends(lows), strict=True) for x in step]
    add_line(figure, xs, _twice(ys), _twice(texts), look, row)
    figure.data[-1].mode = "lines"


def step_ends(lows: Sequence[float]) -> list[float]:
    """Where each step ends: where the next one begins, the last one at 1."""
    return [*lows, 1.0][1:]


def _twice(values: Sequence[T]) -> list[T]:
    """Each value twice, once for each end of its step."""
    return [value for value in values for _ in range(2)]


NO_CONTEXT = "no context: -0.69; below it see delta"
"""The label of the line of no context: a figure below it does not show that contexts harm."""


def lambda_curve(
    calibration: Calibration,
    *,
    k: int | None = None,
    lambda_b: float | None = None,
    current: float | None = None,
) -> "Figure":
    """DPO with its 95 % band over lambda_d, and diversity below it on the same axis.

    The line is exact at every lambda_d where the calibration made it so; its cells, with the
    intervals, are the markers on it.

    Args:
        calibration: Complete or partial.
        k: Which k to draw; None is the best cell's.
        lambda_b: Which lambda_b to draw; None is the best cell's.
        current: The lambda_d in use, to be marked.
    """
    line, best = line_of(calibration, k, lambda_b), marked_best(calibration)
    exact, facts = exact_curve(calibration, k, lambda_b), METRICS[calibration.metric]
    figure = two_panels()
    xs = [cell.lambda_d for cell in line]
    hover = [_cell_text(cell, facts) for cell in line]
    for row, facts_of_row, colour, symbol in (
        (1, facts, layout.DPO, "circle"),
        (2, METRICS["diversity"], layout.DIVERSITY, "square"),
    ):
        estimates = [cell.value if row == 1 else cell.diversity for cell in line]
        add_band(figure, xs, estimates, colour, legend=row == 1, row=row, col=1)
        if exact is not None:
            _add_exact(figure, exact, facts, (colour, symbol), row)
        add_line(figure, xs, [e.mean for e in estimates], hover, (colour, symbol), row)
        figure.data[-1].update(
            name=facts_of_row.label, mode="lines+markers" if exact is None else "markers"
        )
    marks = [] if current is None else [("now", current, "dot")]
    if best is not None and best.knobs in [cell.knobs for cell in line]:
        marks.append(("best", best.lambda_d, "solid"))
        _add_point(figure, best.lambda_d, best.value.mean, _BEST, "best mean")
    add_marks(figure, marks)
    name_axes(figure, facts)
    _no_effect_line(figure, facts, line)
    title = finding_of(calibration, lambda best: lambda_d_finding(line, best))
    return styled(figure, title, height=540, labels_on_top=True)


def dpo_by_diversity(
    calibration: Calibration,
    *,
    k: int | None = None,
    lambda_b: float | None = None,
    current: float | None = None,
) -> "Figure":
    """RAGSys's Figure 1: DPO against diversity, one point a lambda_d, joined in its order.

    The arguments are those of `lambda_curve`.
    """
    line, best = line_of(calibration, k, lambda_b), marked_best(calibration)
    facts = METRICS[calibration.metric]
    shown = [c for c in line if c.diversity.mean is not None and c.value.mean is not None]
    xs, ys = [c.diversity.mean for c in shown], [c.value.mean for c in shown]
    figure, bars = empty_figure(), error_bars([cell.value for cell in shown])
    bounded = any(cell.value.low is not None for cell in shown)
    figure.add_scatter(
        x=xs,
        y=ys,
        error_y=bars | {"color": faded(layout.DPO, 0.45), "width": 0},
        mode="lines+markers",
        line={"color": layout.DPO, "width": 2},
        marker={"size": 8, "color": layout.DPO},
        hovertext=[_cell_text(cell, facts) for cell in shown],
        hoverinfo="text",
        name="one point per lambda_d" + (", with its 95 % interval" if bounded else ""),
    )
    in_line = best is not None and best.knobs in [cell.knobs for cell in shown]
    if best is not None and in_line:
        _add_point(figure, best.diversity.mean, best.value.mean, _BEST, "best mean")
    now = next(
        (c for c in shown if current is not None and abs(c.lambda_d - current) < 0.005), None
    )
    if now is not None:
        _add_point(figure, now.diversity.mean, now.value.mean, _NOW, "in use now")
    _name_ends(figure, shown)
    figure.update_xaxes(title_text="Sameness of the context (lower is more diverse)")
    figure.update_yaxes(title_text=facts.axis)
    if not shown:  # plotly would number the axes of nothing
        figure.update_layout(xaxis_visible=False, yaxis_visible=False)
    title = finding_of(calibration, lambda best: _figure_1_title(shown, best))
    return styled(figure, title, height=540)


def _figure_1_title(shown: Sequence[CalibrationCell], best: CalibrationCell) -> str:
    if best.k < 2 or not shown:
        return "Sameness needs at least two demonstrations"
    spread = [cell.diversity.mean for cell in shown if cell.diversity.mean is not None]
    if effect_of_lambda_d(shown, best) is LambdaDEffect.NO_DIFFERENCE:
        low, high = min(spread), max(spread)
        return f"No clear difference in DPO from a sameness of {low:.2f} to {high:.2f}"
    in_line = best.knobs in [cell.knobs for cell in shown]
    low, high = equally_good_range(shown, best) if in_line else (best.lambda_d, best.lambda_d)
    if low == high:
        at = f"{best.diversity.mean:.2f} (lambda_d {best.lambda_d:.2f})"
        return f"DPO is best at a sameness of {at}"
    around = [cell.diversity.mean or 0.0 for cell in shown if low <= cell.lambda_d <= high]
    return (
        f"Nothing is clearly worse at a sameness of {min(around):.2f} to {max(around):.2f} "
        f"(lambda_d {low:.2f} to {high:.2f})"
    )


def _name_ends(figure: "Figure", shown: Sequence[CalibrationCell]) -> None:
    """Label both ends of the line with their lambda_d, away from the other points."""
    if len(shown) < 2:
        return
    words = {0.0: ": diversity only", 1.0: ": relevance only"}
    for cell, near in ((shown[0], shown[1:6]), (shown[-1], shown[-6:-1])):
        around = [each.value.mean for each in near if each.value.mean is not None]
        low = (cell.value.mean or 0.0) < sum(around) / len(around)
        figure.add_annotation(
            x=cell.diversity.mean,
            y=cell.value.mean,
            text=f"{cell.lambda_d:.2f}{words.get(cell.lambda_d, '')}",
            showarrow=True,
            arrowhead=0,
            arrowcolor=NEUTRAL,
            ax=0,
            ay=34 if low else -34,
        )


def _add_exact(
    figure: "Figure", exact: ExactCurve, facts: MetricInfo, look: tuple[str, str], row: int
) -> None:
    """The exact steps of one panel: DPO in the first, diversity in the second."""
    curve = for_drawing(exact)
    texts = [
        f"lambda_d from {low:.4f}<br>{facts.label} {Interval(value, None, None)}"
        f"<br>sameness {Interval(diversity, None, None)}"
        for low, value, diversity in zip(curve.lows, curve.values, curve.diversity, strict=True)
    ]
    add_steps(figure, curve.lows, curve.values if row == 1 else curve.diversity, texts, look, row)


_BEST = {
    "symbol": "diamond",
    "size": 14,
    "color": layout.CHOSEN,
    "line": {"width": 1.5, "color": "white"},
}
_NOW = {"symbol": "circle-open", "size": 17, "color": NEUTRAL, "line": {"width": 2.5}}


def _add_point(
    figure: "Figure", x: float | None, y: float | None, marker: dict[str, object], name: str
) -> None:
    figure.add_scatter(x=[x], y=[y], mode="markers", marker=marker, hoverinfo="skip", name=name)


def _no_effect_line(figure: "Figure", facts: MetricInfo, line: Sequence[CalibrationCell]) -> None:
    """Draw the value without context, where it is near enough not to flatten the curve."""
    if facts.name != "dpo_per_triple":
        return
    ends = [
        end
        for cell in line
        for end in (cell.value.mean, cell.value.low, cell.value.high)
        if end is not None
    ]
    if not ends:
        return
    low, high = min(ends), max(ends)
    if low - (high - low) <= NO_EFFECT <= high + (high - low):
        figure.add_hline(
            y=NO_EFFECT,
            line={"color": NEUTRAL, "width": 1, "dash": "dash"},
            annotation_text=NO_CONTEXT,
            annotation_position="bottom left",
            row=1,
            col=1,
        )


def _cell_text(cell: CalibrationCell, facts: MetricInfo) -> str:
    behind = f"<br>behind the best by {cell.behind}" if cell.behind is not None else ""
    delta = "" if cell.delta is None else f"<br>delta {cell.delta}"
    return (
        f"lambda_d {cell.lambda_d:.2f}, lambda_b {cell.lambda_b:.2f}, k {cell.k}"
        f"<br>{facts.label} {cell.value}{behind}{delta}<br>sameness {cell.diversity}"
    )
