"""Each row of a comparison against the reference, query by query: wins, and what sums are worth."""

from collections.abc import Callable

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.evaluation.results.pairs import SUM
from core.metrics.registry import METRICS
from core.reporting.figures.methods import sum_against_answers
from core.reporting.results.story import SumsOfRow
from core.reporting.tables.comparison import wins_table
from core.reporting.words.rows import RHO, WIN_INTERVALS, row_name, win_sentence
from pages.common.frame.text import plain
from pages.common.runs.run import show_figure


def has_pairs(comparison: Comparison) -> bool:
    """Whether there is another row than the reference to count its wins."""
    return bool(comparison.pairs) and len(comparison.methods) > 1


def draw_pairs(
    comparison: Comparison,
    metric: str,
    points: Callable[[str], SumsOfRow | None] | None,
    key: str = "",
) -> None:
    """The table of wins, a sentence, and whether a better sum means better answers.

    Args:
        comparison: Whole or so far.
        metric: The metric whose wins are shown.
        points: The queries of a row against the comparison's reference; None while a run goes on,
            which shows the table alone.
        key: Ends the keys of what is drawn, where there are several models.
    """
    rows = [name for name in comparison.methods if name != comparison.reference]
    label, reference = METRICS[metric].label, row_name(comparison, comparison.reference)
    st.markdown(f"**{plain(f'{label}, query by query: who wins against {reference}')}**")
    if table := wins_table(comparison, metric):
        st.html(table)
        st.caption(plain(f"{WIN_INTERVALS}."))
    else:
        st.write(plain(win_sentence(comparison, rows[0], metric)))
    if points is not None:
        _draw_row(comparison, metric, rows, points, key)


def _draw_row(
    comparison: Comparison,
    metric: str,
    rows: list[str],
    points: Callable[[str], SumsOfRow | None],
    key: str,
) -> None:
    """One row, chosen here: its wins in words, its queries as points."""
    row = st.selectbox(
        "Compared with the reference",
        rows,
        index=_first(comparison, rows),
        key=f"compare_pair{key}",
        persist_state="session",
        help="Which row the sentences and the picture below compare with the reference.",
    )
    for name in dict.fromkeys((metric, SUM)):
        st.markdown(plain(win_sentence(comparison, row, name)))
    sums = points(row)
    if sums is None or not sums.points:
        return
    traced = f"{len(sums.points):,} queries on which both settings have both numbers. {RHO}."
    show_figure(sum_against_answers(sums), f"compare_sums{key}_chart", traced)


def _first(comparison: Comparison, rows: list[str]) -> int:
    """Where the row is that maximises the sum, else the first that has one to compare."""
    by_method = [comparison.methods[name].request.method for name in rows]
    if "vrsd" in by_method:
        return by_method.index("vrsd")
    having = [place for place, name in enumerate(rows) if comparison.wins(name, SUM) is not None]
    return having[0] if having else 0
