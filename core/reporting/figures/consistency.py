"""PGRA's Figure 2: queries and right answers by how many demonstrations have the query's label."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.label_figures import (
    BY_EMBEDDING,
    CONSISTENCY,
    RIGHT,
    Consistent,
    LabelFigures,
    LabelsOfRow,
)
from ...interval import Sign
from ...metrics.registry import METRICS
from ..words.comparison_findings import best_method
from ..words.verdict import RIGHT_ANSWERS
from . import layout
from .layout import error_bars, faded, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_ROWS = 4
"""The largest number of panels, one below the other."""
_PANEL, _REST = 220, 110  # pixels


def rows_to_show(comparison: Comparison) -> list[str]:
    """The best row by label consistency, `rel`, the best row that sorts by task states.

    Fewer where some of these are the same or missing; none without labels.
    """
    labels, best = comparison.labels, best_method(comparison, CONSISTENCY)
    if labels is None or best is None:
        return []
    requests = {name: each.request for name, each in comparison.methods.items()}
    similar = [name for name, each in requests.items() if each.method == BY_EMBEDDING]
    sorting = [each.row for each in labels.sorted]
    sorting.sort(key=lambda row: -(comparison.value(row, CONSISTENCY).mean or 0.0))
    return list(dict.fromkeys([best, *similar[:1], *sorting[:1]]))


def consistent_queries(comparison: Comparison, rows: Sequence[str]) -> "Figure":
    """A panel for each of these rows: queries as bars, the right answers among them as points.

    Args:
        comparison: With labels, complete or partial.
        rows: Rows that show demonstrations, at most `MOST_ROWS` of them are drawn.

    Source: PGRA, figure 2, with true labels.
    """
    labels, figure = comparison.labels, _panels([html.escape(row) for row in rows[:MOST_ROWS]])
    right = RIGHT_ANSWERS if labels is not None and labels.all_offered else METRICS[RIGHT].label
    for place, row in enumerate(rows[:MOST_ROWS], start=1):
        found = labels.rows[row].by_consistent if labels is not None else ()
        _draw_panel(figure, found, right, place)
    figure.update_xaxes(
        title_text="Demonstrations with the query's label", row=len(rows[:MOST_ROWS]) or 1, col=1
    )
    figure.update_layout(barmode="overlay", bargap=0.25)
    title = _title(labels, rows)
    height = _REST + _PANEL * max(len(rows[:MOST_ROWS]), 1)
    return styled(figure, title, height=height, labels_on_top=True)


def _panels(names: list[str]) -> "Figure":
    import pandas  # noqa: F401  (see `layout.empty_figure`)
    from plotly.subplots import make_subplots

    rows = max(len(names), 1)
    return make_subplots(
        rows=rows,
        cols=1,
        specs=[[{"secondary_y": True}]] * rows,
        subplot_titles=names,
        vertical_spacing=min(0.2, 0.5 / rows),
    )


def _draw_panel(figure: "Figure", found: Sequence[Consistent], right: str, place: int) -> None:
    first = place == 1
    figure.add_bar(
        x=[each.count for each in found],
        y=[each.queries for each in found],
        marker={"color": faded(layout.CANDIDATE, 0.55)},
        hovertext=[
            f"{each.count} of the demonstrations: {each.queries:,} queries" for each in found
        ],
        hoverinfo="text",
        name="queries",
        legendgroup="queries",
        showlegend=first,
        row=place,
        col=1,
    )
    figure.update_yaxes(
        title_text="Queries", rangemode="tozero", row=place, col=1, secondary_y=False
    )
    most = max((each.count for each in found), default=0)
    figure.update_xaxes(
        range=[-0.6, most + 0.6], dtick=1 if most <= 12 else 4, row=place, col=1, zeroline=False
    )
    answered = [each for each in found if each.accuracy.mean is not None]
    if answered:
        _draw_right(figure, answered, right, place)


def _draw_right(figure: "Figure", answered: Sequence[Consistent], right: str, place: int) -> None:
    """The right answers, on an axis of their own: none where no example has incorrect answers."""
    estimates = [each.accuracy for each in answered]
    figure.add_scatter(
        x=[each.count for each in answered],
        y=[each.mean for each in estimates],
        error_y=error_bars(estimates) | {"color": layout.CHOSEN},
        mode="lines+markers",
        line={"color": layout.CHOSEN, "width": 2},
        marker={"color": layout.CHOSEN, "size": 8},
        hovertext=[
            f"{each.count} of the demonstrations: {right} {each.accuracy} "
            f"({each.queries:,} queries)"
            for each in answered
        ],
        hoverinfo="text",
        name=f"{right} among them",
        legendgroup="right",
        showlegend=place == 1,
        row=place,
        col=1,
        secondary_y=True,
    )
    figure.update_yaxes(
        title_text=right[0].upper() + right[1:],
        range=[-0.04, 1.04],
        tickvals=[0, 0.5, 1],
        showgrid=False,
        zeroline=False,
        row=place,
        col=1,
        secondary_y=True,
    )


def _title(labels: LabelFigures | None, rows: Sequence[str]) -> str:
    """Whether contexts of the query's own label bring right answers, by the first row's link."""
    if labels is None or not rows:
        return "No context has labels to count"
    row = labels.rows[rows[0]]
    return _finding(rows[0], row)


def _finding(name: str, row: LabelsOfRow) -> str:
    link, many = row.link, "more demonstrations with the query's label"
    if all(each.accuracy.mean is None for each in row.by_consistent):
        return (
            "Queries by how many demonstrations have their label; there is no right answer to "
            "count, as no example has incorrect ones"
        )
    if link.needed:
        return (
            f"Too few examples to say whether {many} go with more right answers: it takes about "
            f"{link.needed:,}"
        )
    if link.sign not in _WITH_MORE:
        return f"With {name} the right answers cannot be ordered by the labels in the context"
    return f"With {name}, {many} {_WITH_MORE[link.sign]} (rank correlation {link})"


_WITH_MORE = {
    Sign.POSITIVE: "go with more right answers",
    Sign.NEGATIVE: "go with fewer right answers",
    Sign.UNCLEAR: "say nothing about the right answers",
}
