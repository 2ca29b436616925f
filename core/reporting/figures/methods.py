"""The rows of a comparison side by side on one metric, and each against the reference."""

import html
import re
import textwrap
from typing import TYPE_CHECKING

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.labels import CONSISTENCY, LabelFigures
from ...interval import CLEAR
from ...metrics.registry import METRICS
from ...text import three_decimals
from ..words.comparison_findings import difference_finding, leaders, method_finding
from ..words.rows import row_word
from . import palette
from .layout import empty_figure, error_bars, styled
from .palette import NEUTRAL

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_ROW = 34  # pixels a row whose name takes two lines or fewer
_NAME_LINE = 17  # pixels a line of a longer name
_NAME_LETTERS = 24
"""Letters of a row's name that fit a line beside the narrowest figure."""


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
        values = [comparison.value(name, metric) for name in chosen]
        figure.add_scatter(
            x=[each.mean for each in values],
            y=[html.escape(name) for name in chosen],
            error_x=error_bars(values) | {"color": palette.CHOSEN},
            mode="markers",
            marker={
                "symbol": symbol,
                "size": size,
                "color": palette.CHOSEN,
                "line": {"width": 2, "color": palette.CHOSEN},
            },
            hovertext=[
                f"{html.escape(n)}<br>{facts.label} {v}"
                for n, v in zip(chosen, values, strict=True)
            ],
            hoverinfo="text",
            name=word,
        )
    _list_methods(figure, names, facts.axis)
    if metric == CONSISTENCY and comparison.labels is not None:
        _add_chance(figure, comparison.labels)
    return styled(figure, method_finding(comparison, metric), height=170 + _height(names))


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
        values = [found[name] for name in chosen]
        figure.add_scatter(
            x=[each.mean for each in values],
            y=[html.escape(name) for name in chosen],
            error_x=error_bars(values) | {"color": palette.CHOSEN},
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 11,
                "color": palette.CHOSEN,
                "line": {"width": 2, "color": palette.CHOSEN},
            },
            hovertext=[
                f"{html.escape(n)} minus {html.escape(reference)}<br>{facts.label} {v}"
                for n, v in zip(chosen, values, strict=True)
            ],
            hoverinfo="text",
            name=word,
        )
    figure.add_vline(x=0, line={"color": NEUTRAL, "width": 1.5})
    axis = f"{facts.label} minus that of {html.escape(reference)} ({_difference_unit(metric)})"
    _list_methods(figure, list(found), axis)
    height = 170 + _height(list(found) or [""])
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


def _list_methods(figure: "Figure", names: list[str], axis: str) -> None:
    """List the rows from top to bottom in their order, also those without a figure."""
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=[html.escape(name) for name in reversed(names)],
        tickvals=[html.escape(name) for name in names],
        ticktext=["<br>".join(map(html.escape, _name_lines(name))) for name in names],
        range=[-0.6, max(len(names), 1) - 0.4],
        automargin=True,
    )
    figure.update_xaxes(title_text=axis, zeroline=False)


def _height(names: list[str]) -> int:
    """Pixels that the rows need, all as high as the one with the longest name."""
    lines = max((len(_name_lines(name)) for name in names), default=1)
    return max(_ROW, _NAME_LINE * lines) * len(names)


def _name_lines(name: str) -> list[str]:
    """The name in lines that leave the figure room: broken at spaces, after "@" and commas."""
    if len(name) <= _NAME_LETTERS:
        return [name]
    mark = "\N{ZERO WIDTH SPACE}"
    pieces = re.sub(r"(?<=[@,])(?=\S)", f"{mark} ", name)
    lines = textwrap.wrap(pieces, _NAME_LETTERS + 1, break_on_hyphens=False)
    return [line.replace(f"{mark} ", "").removesuffix(mark) for line in lines]
