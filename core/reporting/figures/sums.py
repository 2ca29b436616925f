"""Whether a better sum means better answers: a row against its reference, a point a query."""

import html
import textwrap
from typing import TYPE_CHECKING

from ...evaluation.outcomes.pairs import SUM
from ...metrics.registry import METRICS
from ...text import three_decimals
from ..results.sums import SumPoint, SumsOfRow
from ..words.pairs import sums_finding
from . import palette
from .layout import empty_figure, faded, styled
from .palette import NEUTRAL

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LETTERS, _LINES = 60, 4


def sum_against_answers(sums: SumsOfRow) -> "Figure":
    """Each query's difference in the cosine of the sum against its difference in the answers.

    Lines at zero separate the queries on which the row is above its reference from those on which
    it is below. The query is the hover text.
    """
    of_sums, of_answers = METRICS[SUM], METRICS[sums.found.metric]
    figure = empty_figure()
    figure.add_scatter(
        x=[point.sums for point in sums.points],
        y=[point.answers for point in sums.points],
        mode="markers",
        marker={
            "size": 9,
            "color": faded(palette.CHOSEN, 0.5),
            "line": {"width": 1.5, "color": palette.CHOSEN},
        },
        hovertext=[_text(point, of_answers.label) for point in sums.points],
        hoverinfo="text",
        name="query",
        showlegend=False,
    )
    for add in (figure.add_vline, figure.add_hline):
        add(0, line={"color": NEUTRAL, "width": 1.5})
    minus = f"{html.escape(sums.row)} minus {html.escape(sums.reference)}"
    figure.update_xaxes(
        title_text=f"{of_sums.label}, {minus} (right is nearer to the query)",
        zeroline=False,
    )
    figure.update_yaxes(
        title_text=f"{of_answers.label}, {minus}<br>({of_answers.unit}; up is better)",
        zeroline=False,
    )
    return styled(figure, sums_finding(sums.found.rho))


def _text(point: SumPoint, label: str) -> str:
    """The hover text of a point: the query in lines, then both differences."""
    lines = textwrap.wrap(point.query, _LETTERS, max_lines=_LINES, placeholder=" ...")
    return "<br>".join(
        (
            *(html.escape(line, quote=False) for line in lines),
            f"cosine of the sum {three_decimals(point.sums, sign='+')}",
            f"{label} {three_decimals(point.answers, sign='+')}",
        )
    )
