"""One query's DPO and diversity over lambda_d, for Explore."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...interval import Interval
from ...metrics.metric import MetricInfo
from ...metrics.registry import METRICS
from ..results.query import CurvePiece
from . import layout
from .curves import LAMBDA_D_AXIS, SAMENESS_AXIS, add_steps, name_axes, step_ends, two_panels
from .layout import add_marks, empty_figure, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_BELOW = 76  # pixels of ticks and name of the horizontal axis, in two lines
_SAME = 5e-4  # nats: what three decimals do not show is no difference
_AS_GOOD = 0.1  # of the curve's whole height: what is no further below its top is as good
_LEAST_WIDTH = 0.02  # of lambda_d: a narrower stretch is a needle that no setting would aim at


def query_curve(
    pieces: Sequence[CurvePiece], *, current: float | None = None, complete: bool = True
) -> "Figure":
    """One query's DPO and diversity over lambda_d, exactly; diversity alone without a DPO.

    Args:
        pieces: In the order of lambda_d, scored or not.
        current: The lambda_d in use, to be marked.
        complete: False while pieces are still to come.
    """
    metric = _query_metric(pieces)
    lows = [piece.low for piece in pieces]
    diversity = [piece.diversity for piece in pieces]
    if metric is None:
        figure = empty_figure()
        texts = _texts(lows, None, [None] * len(lows), diversity)
        add_steps(figure, lows, diversity, texts, (layout.DIVERSITY, "square"), None)
        figure.update_xaxes(title_text=LAMBDA_D_AXIS, range=[-0.03, 1.03])
        figure.update_yaxes(title_text=SAMENESS_AXIS)
        title, height = _diversity_title(diversity), 300
    else:
        facts = METRICS[metric]
        values = [getattr(piece, metric) for piece in pieces]
        texts = _texts(lows, facts, values, diversity)
        figure = two_panels()
        add_steps(figure, lows, values, texts, (layout.DPO, "circle"), 1)
        add_steps(figure, lows, diversity, texts, (layout.DIVERSITY, "square"), 2)
        name_axes(figure, facts)
        figure.update_yaxes(title_text="Sameness", row=2, col=1)  # its panel is low
        title, height = _query_title(lows, values), 440
    add_marks(figure, [] if current is None else [("now", current, "dot")])
    if not complete:
        title = f"Filling in, so far: {title[0].lower()}{title[1:]}"
    figure.update_layout(showlegend=False)
    return styled(figure, title, height=height, labels_on_top=True)


def mark_place(figure: "Figure", x: float) -> tuple[str, int, int]:
    """The place of a mark at x over a drawn figure: CSS of its left side, top and height in pixels.

    Streamlit redraws a figure when anything in it changes; a mark laid over it moves alone.
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
    return figure.update_layout(height=height, margin={"b": _BELOW}, dragmode=False)


def _query_metric(pieces: Sequence[CurvePiece]) -> str | None:
    for metric in ("dpo_per_triple", "dpo_correct_only"):
        if any(getattr(piece, metric) is not None for piece in pieces):
            return metric
    return None


def _query_title(lows: Sequence[float], values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    top = max(known)
    if top - min(known) < _SAME:
        return "lambda_d makes no difference to this query"
    near = _AS_GOOD * (top - min(known))
    low, high = _widest(lows, [value is not None and top - value <= near for value in values])
    if high - low < _LEAST_WIDTH:
        return "For this query DPO is best in narrow stretches of lambda_d only"
    stretch = f"lambda_d from {low:.2f} to {high:.2f}"
    return f"For this query {stretch} is within {near:.2f} nats of the best"


def _widest(lows: Sequence[float], good: Sequence[bool]) -> tuple[float, float]:
    """The widest stretch of pieces that are all good; of equal ones the last."""
    found, start = (0.0, 0.0), None
    for low, high, each in zip(lows, step_ends(lows), good, strict=True):
        start = (low if start is None else start) if each else None
        if start is not None and high - start >= found[1] - found[0]:
            found = (start, high)
    return found


def _diversity_title(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "Sameness needs at least two demonstrations"
    low, high = min(known), max(known)
    if high - low < _SAME:
        return f"lambda_d does not change the context's sameness: {high:.2f}"
    return f"Sameness runs from {low:.2f} to {high:.2f}"


def _texts(
    lows: Sequence[float],
    facts: MetricInfo | None,
    values: Sequence[float | None],
    diversity: Sequence[float | None],
) -> list[str]:
    """The hover text of each piece."""
    texts = []
    highs = step_ends(lows)
    for low, high, value, cosine in zip(lows, highs, values, diversity, strict=True):
        lines = [f"lambda_d from {low:.3f} to {high:.3f}"]
        if facts is not None:
            lines.append(f"{facts.label} {Interval(value, None, None)}")
        lines.append(f"sameness {Interval(cosine, None, None)}")
        texts.append("<br>".join(lines))
    return texts
