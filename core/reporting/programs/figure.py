"""What each program of a trial reached, side by side."""

import html
from typing import TYPE_CHECKING

from ...interval import Interval
from ...programs.trial import Trial
from ..figures import palette
from ..figures.layout import empty_figure, error_bars, list_rows, rows_height, styled
from .words import MEANINGS, figure_title

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def program_dots(trial: Trial, measure: str) -> "Figure":
    """One line per row: its mean as a dot with its 95 % interval; the first is hollow.

    Args:
        trial: What is drawn.
        measure: `em`, `f1` or `nf1`.
    """
    figure, names = empty_figure(), [row.name for row in trial.rows]
    for word, symbol, rows in (
        ("program", "circle", trial.rows[1:]),
        ("reference", "circle-open", trial.rows[:1]),
    ):
        values: list[Interval] = [getattr(row, measure) for row in rows]
        figure.add_scatter(
            x=[each.mean for each in values],
            y=[html.escape(row.name) for row in rows],
            error_x=error_bars(values) | {"color": palette.CHOSEN},
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 11,
                "color": palette.CHOSEN,
                "line": {"width": 2, "color": palette.CHOSEN},
            },
            hovertext=[
                f"{html.escape(row.name)}<br>{measure} {value}"
                for row, value in zip(rows, values, strict=True)
            ],
            hoverinfo="text",
            name=word,
        )
    list_rows(figure, names, f"{measure}: {MEANINGS[measure].partition(' after')[0]}")
    figure.update_xaxes(range=[-0.02, 1.02])
    return styled(figure, figure_title(trial, measure), height=170 + rows_height(names))
