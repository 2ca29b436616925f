"""What all figures share: how they look, in light and in dark, and how titles are broken."""

import html
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..estimates import Estimate

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

NEUTRAL = "#808080"
"""For marks and reference lines: as far from white as from black."""

HALF_PAGE = 58
"""Letters that fit a line of the title of a figure half a page wide."""

_LINE = 22  # pixels
_BELOW_AXIS = 54  # pixels that ticks and title of the horizontal axis take
_LEGEND = 30  # pixels of a legend in one line


def styled(
    figure: "Figure",
    title: str,
    *,
    height: int = 400,
    labels_on_top: bool = False,
    letters: int = HALF_PAGE,
) -> "Figure":
    """The figure with title and look; backgrounds stay transparent, text the page's colour.

    `labels_on_top` leaves a line free between title and plot for labels of vertical marks;
    `letters` is how many of the title's fit a line.
    """
    lines = textwrap.wrap(title, letters)
    top = 18 + _LINE * len(lines) + (_LINE if labels_on_top else 0)
    figure.update_layout(
        title={
            "text": "<br>".join(html.escape(line, quote=False) for line in lines),
            "font": {"size": 16},
            "x": 0.0,
            "xanchor": "left",
            "y": 1.0 - 22 / height,  # the first line's middle: plotly anchors there
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
            # Plotly counts in heights of the plot, which the legend itself makes lower.
            "y": -_BELOW_AXIS / max(height - top - _BELOW_AXIS - _LEGEND, _BELOW_AXIS),
            "yanchor": "top",
            "x": 0.0,
            "xanchor": "left",
        },
    )
    figure.update_xaxes(automargin=True, title_standoff=10)
    figure.update_yaxes(automargin=True, title_standoff=8)
    return figure


def add_band(
    figure: "Figure",
    xs: Sequence[float],
    estimates: Sequence[Estimate],
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


def error_bars(estimates: Sequence[Estimate]) -> dict[str, Any]:
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
    """A colour #rrggbb let through by most of what lies behind it."""
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


def _sides(each: Estimate) -> tuple[float, float]:
    if each.mean is None or each.low is None or each.high is None:
        return 0.0, 0.0
    return each.high - each.mean, each.mean - each.low


def _defined_stretches(estimates: Sequence[Estimate]) -> list[tuple[int, int]]:
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
