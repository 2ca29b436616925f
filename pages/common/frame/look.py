"""How every page looks: one sheet of styles, one icon, columns that stack, figures with titles."""

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from core.reporting.figures import palette
from core.reporting.figures.layout import take_title
from core.reporting.templates.rendering import style_sheet
from pages.common.streamlit_workarounds.style_sheets import STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure
    from streamlit.delta_generator import DeltaGenerator

_HERE = Path(__file__).parent
_SHEETS = ("tables.css", "explore.css", "path_strip.css", "start_page.css")
SHEET = "".join(
    (
        STYLES,
        (_HERE / "look.css").read_text(encoding="utf-8"),
        palette.VARIABLES,
        *map(style_sheet, _SHEETS),
    )
)
"""All styles; the server puts them into the document that the browser loads first."""


def beside(
    key: str, spec: "int | Sequence[float]", room: Literal["panels", "charts", "tables"] = "charts"
) -> "list[DeltaGenerator]":
    """Columns that stand side by side where each has room, below each other where not.

    Args:
        key: A name of their own.
        spec: As of `st.columns`.
        room: For what each needs it; the widths stand in the style sheet.
    """
    return st.container(key=f"beside_{room}_{key}").columns(spec)


def draw_figure(figure: "Figure", key: str, *, alt: str = "", **options: Any) -> Any:
    """The figure, below its title as text of the page: plotly would not break that into lines.

    Args:
        figure: With its title, which is taken out of it.
        key: Of the chart.
        alt: What is said instead of the picture; its title unless given.
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
