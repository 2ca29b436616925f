"""Holes on the Map: evaluation queries with no demonstration near them, as Review lists them."""

import streamlit as st

from core.reporting.results.pool_map import By, PoolMap
from core.studio.map.pool_map import place_queries
from core.text import counted
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.state.passed_on import clear_holes, drawn_holes
from pages.common.streamlit_workarounds.callbacks import uninterrupted

_PLACED = "map_placed_holes"


def hole_points(frame: Frame, found: PoolMap) -> list[list[float]]:
    """Where they are on the map by text; placed once, as a slider draws the map's overlay often."""
    holes = drawn_holes(frame.setup.pool)
    if holes is None or found.by is not By.TEXT:
        return []
    key = (holes, found.version, frame.setup.encoder, found.seed)
    before: tuple[object, list[list[float]]] | None = st.session_state.get(_PLACED)
    if before is None or before[0] != key:
        points = place_queries(frame.studio, frame.setup, found, holes.queries)
        before = (key, points.tolist())
        st.session_state[_PLACED] = before
    return before[1]


def about_holes(frame: Frame) -> None:
    """What the squares are, with a button that takes them away."""
    holes = drawn_holes(frame.setup.pool)
    if holes is None:
        return
    drawn = counted(len(holes.queries), "query")
    if holes.of > len(holes.queries):
        drawn = f"the {len(holes.queries):,} farthest of {holes.of:,} queries"
    st.caption(
        plain(f"Squares: {drawn} of {holes.source}, far from every demonstration of another query.")
    )
    st.button("Clear the squares", key="map_clear_holes", on_click=_clear)


@uninterrupted
def _clear() -> None:
    clear_holes()
