"""One query's DPO and diversity over lambda_d, for Explore."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..estimates import NO_FIGURE, Estimate, MetricFacts, metric_facts
from . import palette
from .layout import add_marks, styled
from .panels import DIVERSITY_AXIS, LAMBDA_D_AXIS, add_line, name_axes, two_panels

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_SAME = 5e-4  # nats: what three decimals do not show is no difference


class CurvePoint(Protocol):
    """What a point of a query's curve must have to be drawn."""

    @property
    def lambda_d(self) -> float:
        """Relevance (1) against diversity (0)."""
        ...

    @property
    def diversity(self) -> float | None:
        """Mean pairwise cosine of the context; None below two demonstrations."""
        ...


def query_curve(
    points: Sequence[CurvePoint], *, current: float | None = None, complete: bool = True
) -> "Figure":
    """One query's DPO and diversity over lambda_d; diversity alone while no DPO is known.

    Args:
        points: In the order of lambda_d. Points of a `QueryCurve` carry `dpo_per_triple` or
            `dpo_correct_only`, points of `diversity_curve` neither.
        current: The lambda_d in use, to be marked.
        complete: False while points are still to come.
    """
    from plotly.graph_objects import Figure

    metric = _query_metric(points)
    xs = [point.lambda_d for point in points]
    diversity = [point.diversity for point in points]
    if metric is None:
        figure = Figure()
        texts = [_point_text(x, None, None, d) for x, d in zip(xs, diversity, strict=True)]
        add_line(figure, xs, diversity, texts, (palette.DIVERSITY, "square"), None)
        figure.update_xaxes(title_text=LAMBDA_D_AXIS, range=[-0.03, 1.03])
        figure.update_yaxes(title_text=DIVERSITY_AXIS)
        title, height = _diversity_title(diversity), 300
    else:
        facts = metric_facts(metric)
        values = [getattr(point, metric) for point in points]
        texts = [_point_text(x, facts, v, d) for x, v, d in zip(xs, values, diversity, strict=True)]
        figure = two_panels()
        add_line(figure, xs, values, texts, (palette.DPO, "circle"), 1)
        add_line(figure, xs, diversity, texts, (palette.DIVERSITY, "square"), 2)
        name_axes(figure, facts)
        title, height = _query_title(xs, values), 440
    add_marks(figure, [] if current is None else [("now", current, "dot")])
    if not complete:
        title = f"Filling in, so far: {title[0].lower()}{title[1:]}"
    figure.update_layout(showlegend=False)
    return styled(figure, title, height=height, labels_on_top=True)


def mark_place(figure: "Figure", x: float) -> tuple[str, int, int]:
    """Where a mark at x stands over a drawn figure: CSS of its left side, top and height in pixels.

    Streamlit draws a figure anew when anything in it changes; a mark laid over it moves alone.
    The figure needs a fixed range and margins that do not grow (`for_overlay`).
    """
    margin, (low, high) = figure.layout.margin, figure.layout.xaxis.range
    share = (x - low) / (high - low)
    left = f"calc({margin.l:.0f}px + (100% - {margin.l + margin.r:.0f}px) * {share:.4f})"
    return left, int(margin.t), int(figure.layout.height - margin.t - margin.b)


def for_overlay(figure: "Figure", height: int) -> "Figure":
    """The figure with nothing that moves its axes, so that a mark can be laid over it."""
    figure.update_xaxes(fixedrange=True, automargin=False)
    figure.update_yaxes(fixedrange=True, automargin=False)
    return figure.update_layout(height=height, dragmode=False, title_automargin=False)


def _query_metric(points: Sequence[CurvePoint]) -> str | None:
    for metric in ("dpo_per_triple", "dpo_correct_only"):
        if any(getattr(point, metric, None) is not None for point in points):
            return metric
    return None


def _query_title(xs: Sequence[float], values: Sequence[float | None]) -> str:
    known = [(x, value) for x, value in zip(xs, values, strict=True) if value is not None]
    if len(known) < 2:
        return NO_FIGURE
    top = max(value for _, value in known)
    if top - min(value for _, value in known) < _SAME:
        return "lambda_d makes no difference to this query"
    # Equally good stretches need not touch: the one with the largest lambda_d is named.
    last = max(at for at, (_, value) in enumerate(known) if top - value < _SAME)
    first = last
    while first > 0 and top - known[first - 1][1] < _SAME:
        first -= 1
    low, high = known[first][0], known[last][0]
    where = f"at lambda_d {high:.2f}" if first == last else f"from {low:.2f} to {high:.2f}"
    return f"For this query DPO is best {where}"


def _diversity_title(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "Diversity needs at least two demonstrations"
    low, high = min(known), max(known)
    if high - low < _SAME:
        return f"lambda_d does not change the context's diversity: mean cosine {high:.2f}"
    return f"The mean cosine runs from {low:.2f} to {high:.2f}"


def _point_text(
    lambda_d: float, facts: MetricFacts | None, value: float | None, diversity: float | None
) -> str:
    lines = [f"lambda_d {lambda_d:.2f}"]
    if facts is not None:
        lines.append(f"{facts.label} {Estimate(value, None, None)}")
    lines.append(f"mean cosine {Estimate(diversity, None, None)}")
    return "<br>".join(lines)
