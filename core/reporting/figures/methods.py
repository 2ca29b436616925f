"""The rows of a comparison side by side on one metric, and each against the reference."""

import html
from typing import TYPE_CHECKING

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.labels import CONSISTENCY, LabelFigures
from ...interval import CLEAR
from ...metrics.registry import METRICS
from ...text import three_decimals
from ..words.findings.comparison_findings import difference_finding, leaders, method_finding
from ..words.rows import row_word
from .layout import add_row_dots, empty_figure, list_rows, rows_height, styled
from .palette import NEUTRAL

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
