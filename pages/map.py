"""Map: the shape of a pool; select what is close; see where a query's context comes from."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.reporting.results.pool_map import By, PoolMap
from core.retrieval.pool_view import PoolView
from core.studio.map.pool_map import lay_out_again, pool_map, shows, with_retrieved
from pages.common.frame.look import beside
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame, open_page
from pages.common.frame.retrieved import show_retrieved
from pages.common.frame.run_mark import mark_end
from pages.common.frame.watching import watch
from pages.common.map.charts import draw_maps
from pages.common.map.colours import choose_colour
from pages.common.map.holes import about_holes
from pages.common.map.passages import POOL, choose_collection, passages_panel
from pages.common.map.points import choose_points, find_task_layout, map_by_task, points_link
from pages.common.map.query import Maps, query_panel
from pages.common.map.selection import selection_panel
from pages.common.state.knobs import kept_knobs
from pages.common.state.state import SHARED, remembered

MAP_KEY = "map_held"


def find_map(frame: Frame, view: PoolView) -> PoolMap | None:
    """The pool's map; while there is none, the progress of making it."""
    cached: tuple[object, PoolMap] | None = st.session_state.get(MAP_KEY)
    if cached is not None and cached[0] == shows(frame.studio, view):
        return cached[1]
    found, job = pool_map(frame.studio, frame.setup, view)
    if found is not None:
        st.session_state[MAP_KEY] = (shows(frame.studio, view), found)
    elif job is not None:
        watch(frame.studio, job, "Lay out the map", stops=True)
    return found


def choose_maps(frame: Frame, view: PoolView, found: PoolMap, points: str, colour: str) -> Maps:
    """What is drawn; until the texts are read and laid out by task, the map is by text."""
    laid = None if points == By.TEXT else find_task_layout(frame, view)
    return Maps(
        by_text=found if points != By.TASK or laid is None else None,
        by_task=None if laid is None else map_by_task(found, laid),
        laid=laid,
        colour=colour,
        excluded=int(found.excluded.sum()),
        waiting=points != By.TEXT and laid is None,
    )


def offer_new_layout(frame: Frame, found: PoolMap) -> None:
    """Where queries were added later, a button that lays out the map by text again."""
    if not found.layout.placed:
        return
    if st.button("Lay out again", help="Lays out all queries again; points will move."):
        lay_out_again(frame.studio, frame.setup)
        st.session_state.pop(MAP_KEY)
        st.rerun()


frame = open_page("Map", "The shape of the pool: what is alike, and where a query's context lies.")
view = frame.readiness.view
notice_place: DeltaGenerator | None = None
collection = choose_collection(frame)
if collection != POOL:
    passages_panel(frame, collection)
elif view is None:
    st.info("The pool is being embedded; the side bar shows how far it is.")
elif not len(view):
    st.info("The pool has no included demonstration. Import or include some first.")
else:
    points = choose_points(view)
    found = find_map(frame, view)
    if found is not None:
        colour, coloured = choose_colour(found, view, points)
        if colour == "retrieved":
            found = with_retrieved(found, show_retrieved(frame, kept_knobs(), at_once=True))
        maps = choose_maps(frame, view, found, points, colour)
        # Two maps take the page's width, and the query's panel is below them.
        above = st.container()
        map_place, query_place = (
            (st.container(), st.container()) if maps.two else beside("map", [3, 2], "panels")
        )
        with map_place:
            draw_maps(frame, maps)
            if maps.by_text is not None:
                about_holes(frame)
                offer_new_layout(frame, found)
        # Beside the picture, where it is seen when points are selected.
        acts_place = above if maps.two else query_place.container()
        notice_place = acts_place.container()
        with query_place:
            link = {
                "pool": frame.setup.pool,
                "search": remembered(SHARED, "search", ""),
                **coloured,
                **points_link(points),
            }
            query_panel(frame, view, maps, link)
        selection_panel(frame, found, acts_place)
with notice_place or st.container():  # beside the buttons whose effect it reports
    show_notice(frame.studio, "map", frame.setup.pool)
mark_end()
