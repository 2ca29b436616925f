"""How near the nearest demonstrations are, and how values are distributed over tags."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...types import FloatArray
from .layout import CHOSEN, NEUTRAL, QUERY, empty_figure, faded, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


WIDTH = 0.02
"""Of a bar, in cosine."""
_ROW, _AROUND = 30, 110  # pixels


def nearest_figure(similarity: FloatArray, below: float, title: str) -> "Figure":
    """How many queries have their nearest demonstration how near, and the line below holes.

    Args:
        similarity: Cosine of each query with its nearest demonstration, shape (m,).
        below: Below it a query is a hole.
        title: Of the figure.
    """
    figure = empty_figure()
    figure.add_histogram(
        x=similarity,
        xbins={"start": -1.0, "end": 1.0 + WIDTH, "size": WIDTH},
        marker={"color": faded(CHOSEN, 0.5), "line": {"width": 1, "color": CHOSEN}},
        hovertemplate="cosine %{x}: %{y} queries<extra></extra>",
        showlegend=False,
    )
    figure.add_vline(below, line={"color": QUERY, "width": 2, "dash": "dash"})
    figure.update_xaxes(title_text="cosine with the nearest demonstration (right is nearer)")
    figure.update_yaxes(title_text="queries")
    return styled(figure, title, height=300)


def by_tag_figure(tags: Sequence[str], quantiles: FloatArray, unit: str, title: str) -> "Figure":
    """A box for each tag from its quartiles, with whiskers to the 5th and 95th percentile.

    Args:
        tags: Their names with what is to be read beside them, from the bottom up.
        quantiles: At 5, 25, 50, 75 and 95 %, shape (tags, 5).
        unit: Name of the value and its unit.
        title: Of the figure.
    """
    figure = empty_figure()
    low, first, middle, third, high = quantiles.T.tolist() if len(quantiles) else [[]] * 5
    figure.add_box(
        y=[html.escape(tag, quote=False) for tag in tags],
        lowerfence=low,
        q1=first,
        median=middle,
        q3=third,
        upperfence=high,
        orientation="h",
        fillcolor=faded(CHOSEN, 0.25),
        line={"color": CHOSEN, "width": 1.5},
        showlegend=False,
    )
    figure.update_xaxes(title_text=unit, zeroline=False, gridcolor=faded(NEUTRAL, 0.3))
    figure.update_yaxes(automargin=True, type="category")
    return styled(figure, title, height=_AROUND + _ROW * max(1, len(tags)))
