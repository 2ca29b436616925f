"""What each program of a trial reached, side by side."""

from typing import TYPE_CHECKING

from ...interval import Interval
from ...programs.trial import Trial
from ..figures.layout import add_row_dots, empty_figure, list_rows, rows_height, styled
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
        values: dict[str, Interval] = {row.name: getattr(row, measure) for row in rows}
        add_row_dots(figure, word, values, f"<br>{measure}", symbol=symbol)
    list_rows(figure, names, f"{measure}: {MEANINGS[measure].partition(' after')[0]}")
    figure.update_xaxes(range=[-0.02, 1.02])
    return styled(figure, figure_title(trial, measure), height=170 + rows_height(names))
