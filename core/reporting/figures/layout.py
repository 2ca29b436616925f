"""What all figures share: colours, their look in both themes, the place of their titles.

The colours are Okabe and Ito's (Color Universal Design, 2008), distinguishable for colour-blind
people and readable on light and on dark backgrounds.
"""

import html
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...interval import Interval

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


QUERY = "#D55E00"
CHOSEN = "#0072B2"
CANDIDATE = "#999999"
CORRECT = "#009E73"
INCORRECT = "#CC79A7"
DPO = "#56B4E9"
DIVERSITY = "#E69F00"
SEQUENTIAL = "Cividis"
SEQUENTIAL_STOPS = ((0, 32, 76), (66, 77, 107), (124, 123, 120), (187, 174, 104), (255, 233, 69))
"""The same as red, green and blue, at even distances from the least value to the greatest."""
NEUTRAL = "#808080"
"""For marks and reference lines: as far from white as from black."""

VARIABLES = (
    f":root {{ --shotlist-query: {QUERY}; --shotlist-chosen: {CHOSEN}; "
    f"--shotlist-correct: {CORRECT}; --shotlist-incorrect: {INCORRECT}; "
    f"--shotlist-diversity: {DIVERSITY}; --shotlist-neutral: {NEUTRAL}; }}\n"
)
"""The colours as the style sheets name them."""


_TITLE = 24  # pixels of the title
_LINE = 22  # pixels
_AXIS_LETTERS = 36
"""Letters of a horizontal axis's name that fit a line of the narrowest figure, 24 rem wide."""
_ROW = 34  # pixels a row whose name takes two lines or fewer
_NAME_LINE = 17  # pixels a line of a longer name
_NAME_LETTERS = 24
"""Letters of a row's name that fit a line beside the narrowest figure."""


def empty_figure() -> "Figure":
    """A figure without traces.

    pandas is imported completely first: while another thread imports it, plotly uses the unfinished
    module and fails.
    """
    import pandas  # noqa: F401
    from plotly.graph_objects import Figure

    return Figure()


def styled(
    figure: "Figure", title: str, *, height: int = 400, labels_on_top: bool = False
) -> "Figure":
    """The figure with title and look; backgrounds stay transparent, text the page's colour.

    The title is in one line, which plotly never breaks: whoever knows the page's width takes it out
    (`take_title`) and writes it above the figure. `labels_on_top` leaves a line free between title
    and plot for labels of vertical marks.
    """
    top = 12 + _TITLE + (_LINE if labels_on_top else 0)
    figure.update_layout(
        title={
            "text": html.escape(title, quote=False),
            "font": {"size": 16},
            "x": 0.0,
            "xanchor": "left",
            "y": 1.0 - 22 / height,  # the line's middle: plotly anchors there
            "yanchor": "top",
            "pad": {"l": 4},
        },
        height=height,
        margin={"t": top, "l": 88, "r": 56 if labels_on_top else 16, "b": 60},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        uirevision="shotlist",
        hovermode="closest",
        legend={
            "orientation": "h",
            # At the foot of the figure, however high the axis's name and the legend itself are.
            "yref": "container",
            "y": 0.0,
            "yanchor": "bottom",
            "x": 0.0,
            "xanchor": "left",
        },
    )
    figure.update_xaxes(automargin=True, title_standoff=10)
    figure.update_yaxes(automargin=True, title_standoff=8)
    for axis in figure.select_xaxes():
        axis.title.text = _broken(axis.title.text)
    return figure


def take_title(figure: "Figure") -> str:
    """The figure's title as plain text; it is removed from the figure, which shrinks as much."""
    title = html.unescape(figure.layout.title.text or "")
    if title:
        figure.update_layout(
            title=None,
            height=figure.layout.height - _TITLE,
            margin={"t": figure.layout.margin.t - _TITLE},
        )
    return title


def _broken(name: str | None) -> str | None:
    """An axis's name in lines that fit the narrowest figure; what is already broken stays so."""
    if name is None or "<br>" in name:
        return name
    return "<br>".join(textwrap.wrap(name, _AXIS_LETTERS, break_long_words=False))


def add_band(
    figure: "Figure",
    xs: Sequence[float],
    estimates: Sequence[Interval],
    colour: str,
    *,
    legend: bool,
    **place: int,
) -> None:
    """Draw the 95 % intervals as a band; where one is undefined the band has a gap."""
    shown = not legend
    for low, high in _defined_stretches(estimates):
        stretch = range(low, high)
        figure.add_scatter(
            x=[*(xs[i] for i in stretch), *(xs[i] for i in reversed(stretch))],
            y=[
                *(estimates[i].high for i in stretch),
                *(estimates[i].low for i in reversed(stretch)),
            ],
            fill="toself",
            fillcolor=faded(colour),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            name="95 % interval",
            legendgroup=f"band {colour}",
            showlegend=not shown,
            **place,
        )
        shown = True


def error_bars(estimates: Sequence[Interval]) -> dict[str, str | bool | float | list[float]]:
    """The 95 % intervals as error bars around the means; none where undefined."""
    sides = [_sides(each) for each in estimates]
    return {
        "type": "data",
        "symmetric": False,
        "array": [up for up, _ in sides],
        "arrayminus": [down for _, down in sides],
        "thickness": 1.5,
        "width": 4,
    }


def faded(colour: str, opacity: float = 0.22) -> str:
    """A colour #rrggbb as a translucent one."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def add_marks(figure: "Figure", marks: Sequence[tuple[str, float, str]]) -> None:
    """Vertical lines through all panels, (word, x, dash) each, labelled above the plot.

    Labels lean away from each other, so that marks side by side can be read; marks at one place
    share a line and a label.
    """
    places: dict[float, list[tuple[str, str]]] = {}
    for word, x, dash in marks:
        places.setdefault(x, []).append((word, dash))
    ordered = sorted(places)
    for x in ordered:
        words, dashes = zip(*places[x], strict=True)
        figure.add_vline(x=x, line={"color": NEUTRAL, "width": 1.5, "dash": dashes[0]}, opacity=0.9)
        leaning = "center" if len(ordered) == 1 else "right" if x == ordered[0] else "left"
        figure.add_annotation(
            text=f"{' and '.join(words)} {x:.2f}",
            x=x,
            xref="x",
            xanchor=leaning,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
        )


def add_row_dots(
    figure: "Figure",
    word: str,
    values: Mapping[str, Interval],
    label: str,
    *,
    symbol: str,
    size: int = 11,
) -> None:
    """Add a dot with its 95 % interval for each of some rows (`list_rows`).

    Args:
        figure: Gets one trace more.
        word: What these rows are, in the legend.
        values: The rows' names with their values.
        label: What is between name and value where the mouse is, as HTML.
        symbol: The dot's, as of plotly.
        size: Its pixels.
    """
    names = [html.escape(name) for name in values]
    figure.add_scatter(
        x=[each.mean for each in values.values()],
        y=names,
        error_x=error_bars(list(values.values())) | {"color": CHOSEN},
        mode="markers",
        marker={
            "symbol": symbol,
            "size": size,
            "color": CHOSEN,
            "line": {"width": 2, "color": CHOSEN},
        },
        hovertext=[f"{n}{label} {v}" for n, v in zip(names, values.values(), strict=True)],
        hoverinfo="text",
        name=word,
    )


def list_rows(figure: "Figure", names: list[str], axis: str) -> None:
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


def rows_height(names: list[str]) -> int:
    """Pixels that the rows need, all as high as the one with the longest name."""
    lines = max((len(_name_lines(name)) for name in names), default=1)
    return max(_ROW, _NAME_LINE * lines) * len(names)


def _sides(each: Interval) -> tuple[float, float]:
    if each.mean is None or each.low is None or each.high is None:
        return 0.0, 0.0
    return each.high - each.mean, each.mean - each.low


def _defined_stretches(estimates: Sequence[Interval]) -> list[tuple[int, int]]:
    """Half-open index ranges within which every interval is defined."""
    stretches: list[tuple[int, int]] = []
    start = None
    for index, each in enumerate([*estimates, None]):
        defined = each is not None and each.low is not None and each.high is not None
        if defined and start is None:
            start = index
        elif not defined and start is not None:
            stretches.append((start, index))
            start = None
    return stretches


def _name_lines(name: str) -> list[str]:
    """The name in lines that leave the figure room: broken at spaces, after "@" and commas."""
    if len(name) <= _NAME_LETTERS:
        return [name]
    mark = "\N{ZERO WIDTH SPACE}"
    pieces = re.sub(r"(?<=[@,])(?=\S)", f"{mark} ", name)
    lines = textwrap.wrap(pieces, _NAME_LETTERS + 1, break_on_hyphens=False)
    return [line.replace(f"{mark} ", "").removesuffix(mark) for line in lines]
