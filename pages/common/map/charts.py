"""The map's chart, or the two side by side, and how they were made."""

from functools import partial

import streamlit as st

from core.reporting.figures.pool_map import DRAWN, HEIGHT, RAREST, map_figure
from core.reporting.figures.same_label import reading_line
from core.reporting.results.pool_map import PoolMap, SameLabel
from core.studio.map.pool_map import LAID_OUT
from core.studio.map.task_map import TaskLayout
from core.text import counted
from pages.common.frame.look import draw_figure, side_by_side
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.map.overlay import plot_key
from pages.common.map.points import show_same_label
from pages.common.map.query import Maps
from pages.common.map.selection import chart_key, keep_selection

SIDE_BY_SIDE = 480
"""Height of each of two maps, in pixels."""
_FAR = "Near points are alike; how far apart groups are means little."


def draw_map(
    found: PoolMap, colour: str, same: SameLabel | None = None, height: int = HEIGHT
) -> None:
    """The chart; its picture stays the same while sliders move, so that it is not sent again."""
    tags = st.session_state.get("map_coloured", ())
    decides = st.session_state.get("map_decides", RAREST)
    with st.container(key=plot_key(found.by)):
        draw_figure(
            map_figure(found, colour, tags, decides=decides, same=same, height=height),
            chart_key(found.by),
            on_select=partial(keep_selection, found.by),
            config={"displaylogo": False, "scrollZoom": True},
            alt=f"Map of {counted(len(found), 'demonstration')} by {found.by}; the table below "
            "lists what is selected",
        )


def draw_maps(frame: Frame, maps: Maps) -> None:
    """The charts that there are, side by side where there are two, and how they were made."""
    drawn = [each for each in (maps.by_text, maps.by_task) if each is not None]
    same = None if maps.laid is None else maps.laid.same_label
    if len(drawn) == 1:
        draw_map(drawn[0], maps.colour, same)
    else:
        for place, each in zip(side_by_side(len(drawn)), drawn, strict=True):
            with place:
                draw_map(each, maps.colour, same, SIDE_BY_SIDE)
    if maps.laid is not None:
        show_same_label(maps.laid)
    if maps.by_text is not None:
        show_provenance(frame, maps.by_text)
    if maps.by_task is not None and maps.laid is not None:
        _show_reading(frame, maps.by_task, maps.laid, maps.excluded)


def show_provenance(frame: Frame, found: PoolMap) -> None:
    """How the map by text was made."""
    encoder = frame.studio.encoder(frame.setup.encoder).name
    st.caption(
        plain(
            f"{counted(len(found), 'demonstration')} on "
            f"{counted(len(found.layout.queries), 'distinct query')}, "
            f"pool version {found.version:,}, encoder {encoder}, "
            f"UMAP with seed {found.seed}.{_later(found)} {_FAR} Demonstrations of one query "
            "are side by side."
        )
    )


def _show_reading(frame: Frame, found: PoolMap, laid: TaskLayout, excluded: int) -> None:
    """How the map by task was made."""
    model = frame.studio.loaded_model(frame.setup.model)
    name = frame.setup.model_name if model is None else model.name
    st.caption(
        plain(
            f"By task: {len(found):,} demonstrations, language model {name}, UMAP with seed "
            f"{found.seed}. {reading_line(laid.reading, excluded)}{_later(found)} {_FAR}"
        )
    )


def _later(found: PoolMap) -> str:
    """What was not laid out with the others, and what is not drawn."""
    placed = found.layout.placed
    words = f" {placed:,} queries came later and were put near their neighbours." if placed else ""
    if found.layout.drawn_in:
        words += (
            f" A seeded sample of {LAID_OUT:,} queries was laid out; the other "
            f"{found.layout.drawn_in:,} were put near their neighbours."
        )
    if len(found) > DRAWN:
        words += (
            f" {DRAWN:,} demonstrations are drawn, a seeded sample; only those can be selected "
            "on the map."
        )
    return words
