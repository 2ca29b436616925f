"""How every page looks: one sheet of styles, one icon, columns that stack, figures with titles."""

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from core.reporting.figures import layout
from core.reporting.figures.layout import take_title
from core.reporting.templates.rendering import style_sheet
from pages.common.streamlit_workarounds.style_sheets import STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure
    from streamlit.delta_generator import DeltaGenerator

CHART, PANEL = 384, 304
"""Pixels that a chart and a panel need."""
_HERE = Path(__file__).parent
_SHEETS = ("tables.css", "explore.css", "path_strip.css", "prompt.css", "start_page.css")
SHEET = "".join(
    (
        STYLES,
        (_HERE / "look.css").read_text(encoding="utf-8"),
        layout.VARIABLES,
        *map(style_sheet, _SHEETS),
    )
)
"""All styles; the server puts them into the document that the browser loads first."""


def side_by_side(count: int, least: int = CHART) -> "list[DeltaGenerator]":
    """Places of one width; fewer in a row where each would have less than `least` pixels."""
    grid = st.grid(count, min_column_width=least)
    return [grid.cell() for _ in range(count)]


def beside(
    key: str, spec: "Sequence[float]", room: Literal["panels", "tables"]
) -> "list[DeltaGenerator]":
    """The same for places of several widths.

    Args:
        key: A name of their own.
        spec: Their widths, as of `st.columns`.
        room: What each needs room for; its least width is in the style sheet.
    """
    return st.container(key=f"beside_{room}_{key}").columns(spec)


def draw_figure(figure: "Figure", key: str, *, alt: str = "", **options: Any) -> Any:
    """The figure, below its title as text of the page: plotly would not break that into lines.

    Args:
        figure: With its title, which is taken out of it.
        key: Of the chart.
        alt: The text in place of the picture; its title unless given.
        options: Of `st.plotly_chart`.
    """
    title = take_title(figure)
    draw_title(title)
    # Its height keeps its place while the browser still fetches what draws it.
    height = int(figure.layout.height)
    return st.plotly_chart(figure, key=key, alt=alt or title, height=height, **options)


def draw_title(title: str) -> None:
    """A figure's title as text of the page."""
    st.html(f'<p class="figure-title">{html.escape(title)}</p>')
