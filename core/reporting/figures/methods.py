"""Rows side by side on one metric, of a comparison or a trial; sums against answers."""

import html
import textwrap
from typing import TYPE_CHECKING

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.label_figures import CONSISTENCY, LabelFigures
from ...evaluation.results.pairs import SUM
from ...interval import CLEAR, Interval
from ...metrics.registry import METRICS
from ...programs.trial import Trial
from ...text import three_decimals
from ..results.story import SumPoint, SumsOfRow
from ..words.comparison_findings import difference_finding, leaders, method_finding
from ..words.programs import MEANINGS, figure_title
from ..words.rows import row_word, sums_finding
from . import layout
from .layout import NEUTRAL, add_row_dots, empty_figure, faded, list_rows, rows_height, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def method_dots(comparison: Comparison, metric: str | None = None) -> "Figure":
    """One line per row: the metric's mean as a dot with its 95 % interval.

    The best are diamonds, all that tie; the reference is a hollow circle.

    Args:
        comparison: Complete or partial.
        metric: A metric of the registry; None is the one that leads.
    """
    metric = metric or comparison.metric
    facts, best = METRICS[metric], leaders(comparison, metric)
    names = list(comparison.methods)
    reference, figure = {comparison.reference}, empty_figure()
    for word, symbol, size, chosen in (
        (row_word(comparison), "circle", 10, [n for n in names if n not in best | reference]),
        ("reference", "circle-open", 11, [n for n in names if n in reference - best]),
        ("best mean", "diamond", 13, [n for n in names if n in best]),
    ):
        values = {name: comparison.value(name, metric) for name in chosen}
        add_row_dots(figure, word, values, f"<br>{facts.label}", symbol=symbol, size=size)
    list_rows(figure, names, facts.axis)
    if metric == CONSISTENCY and comparison.labels is not None:
        _add_chance(figure, comparison.labels)
    return styled(figure, method_finding(comparison, metric), height=170 + rows_height(names))


def method_differences(comparison: Comparison, metric: str | None = None) -> "Figure":
    """One line per row: its metric minus the reference's, paired, with a line at zero.

    Filled dots where the 95 % interval excludes zero, hollow ones where it does not.

    Args:
        comparison: Complete or partial.
        metric: A metric of the registry; None is the one that leads.
    """
    metric = metric or comparison.metric
    facts, reference = METRICS[metric], comparison.reference
    found = {
        name: difference
        for name in comparison.methods
        if (difference := comparison.difference(name, metric)) is not None
    }
    clear = [n for n, d in found.items() if d.sign in CLEAR]
    figure = empty_figure()
    for word, symbol, chosen in (
        ("clear difference", "circle", clear),
        ("no clear difference", "circle-open", [n for n in found if n not in clear]),
    ):
        values = {name: found[name] for name in chosen}
        label = f" minus {html.escape(reference)}<br>{facts.label}"
        add_row_dots(figure, word, values, label, symbol=symbol)
    figure.add_vline(x=0, line={"color": NEUTRAL, "width": 1.5})
    axis = f"{facts.label} minus that of {html.escape(reference)} ({_difference_unit(metric)})"
    list_rows(figure, list(found), axis)
    height = 170 + rows_height(list(found) or [""])
    return styled(figure, difference_finding(comparison, metric), height=height)


def _add_chance(figure: "Figure", labels: LabelFigures) -> None:
    """A dashed line at what random contexts would have."""
    if labels.chance is not None:
        figure.add_vline(
            x=labels.chance,
            line={"color": NEUTRAL, "width": 1.5, "dash": "dash"},
            annotation_text=f"chance {three_decimals(labels.chance)}",
            annotation_position="bottom right",
        )


def _difference_unit(metric: str) -> str:
    facts = METRICS[metric]
    return facts.unit if facts.ends is None else f"below 0 is {facts.ends[0]}"


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
            "color": faded(layout.CHOSEN, 0.5),
            "line": {"width": 1.5, "color": layout.CHOSEN},
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
