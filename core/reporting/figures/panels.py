"""DPO above sameness on one axis of lambda_d: what a calibration and a query share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ...metrics.registry import MetricInfo

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
