"""Map: the shape of a pool; select what lies together; see where a query's context comes from."""

import streamlit as st

from core.reporting.figures.pool_map import COLOURINGS, DRAWN, MOST_TAGS, common_tags, map_figure
from core.reporting.results.pool_map import PoolMap
from core.retrieval.pool_view import PoolView
from core.studio.map.pool_map import LAID_OUT, lay_out_again, pool_map, shows
from pages.common.frame.look import beside, draw_figure
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame, open_page
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.map.overlay import PLOT_KEY
from pages.common.map.query import query_panel
from pages.common.map.selection import chart_key, keep_selection, selection_panel
from pages.common.state.knobs import kept_key
from pages.common.state.segments import choose_segment
from pages.common.state.state import remember

MAP_KEY = "map_held"


def find_map(frame: Frame, view: PoolView) -> PoolMap | None:
    """The pool's map; while there is none, the progress of making it."""
    held: tuple[object, PoolMap] | None = st.session_state.get(MAP_KEY)
    if held is not None and held[0] == shows(frame.studio, view):
        return held[1]
    found, job = pool_map(frame.studio, frame.setup, view)
    if found is not None:
        st.session_state[MAP_KEY] = (shows(frame.studio, view), found)
    elif job is not None:
        watch(frame.studio, job, "Lay out the map")
    return found


def choose_colour(found: PoolMap) -> tuple[str, str | None]:
    """What the points are coloured by, and the tags that the link names for it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = choose_segment("map", "colour", "Colour by", COLOURINGS, "tag")
        if colour != "tag":
            return colour, None
        with st.popover("Choose the tags"):
            tags = choose_tags(found)
    return colour, "|".join(tags) if tags != common_tags(found) else None


def choose_tags(found: PoolMap) -> list[str]:
    """The tags that get a colour of their own."""
    common = common_tags(found)
    key = kept_key("map", "coloured", common, lambda said: said.split("|"))
    known = {tag for row in found.demonstrations for tag in row.tags}
    st.session_state[key] = [tag for tag in st.session_state[key] if tag in known] or common
    tags: list[str] = st.multiselect(
        "Tags with a colour of their own",
        sorted(known),
        key=key,
        max_selections=MOST_TAGS,
        help="Their shapes differ too. All others are grey.",
    )
    remember("coloured", tags)
    return tags


def draw_map(found: PoolMap, colour: str, tags: list[str]) -> None:
    """The chart; its picture stays the same while sliders move, so that it is not sent again."""
    with st.container(key=PLOT_KEY):
        draw_figure(
            map_figure(found, colour, tags),
            chart_key(),
            on_select=keep_selection,
            config={"displaylogo": False, "scrollZoom": True},
            alt=f"Map of {len(found):,} demonstrations; the table below lists what is selected",
        )


def show_provenance(frame: Frame, found: PoolMap) -> None:
    """How the map was made, and the way to make it anew."""
    placed = found.layout.placed
    encoder = frame.studio.encoder(frame.setup.encoder).name
    later = f" {placed:,} queries came later and stand among their neighbours." if placed else ""
    if found.layout.drawn_in:
        later += (
            f" A seeded sample of {LAID_OUT:,} queries was laid out; the other "
            f"{found.layout.drawn_in:,} stand among their nearest ones."
        )
    if len(found) > DRAWN:
        later += (
            f" {DRAWN:,} demonstrations are drawn, a seeded sample; only those can be selected "
            "on the map."
        )
    st.caption(
        plain(
            f"{len(found):,} demonstrations on {len(found.layout.queries):,} distinct queries, "
            f"pool version {found.version:,}, encoder {encoder}, "
            f"UMAP with seed {found.seed}.{later} Near points are alike; how far groups lie apart "
            "means little. Demonstrations of one query stand side by side."
        )
    )
    if placed and st.button("Lay out anew", help="Lays out all queries anew; points will move."):
        lay_out_again(frame.studio, frame.setup)
        st.session_state.pop(MAP_KEY)
        st.rerun()


frame = open_page("Map", "The shape of the pool: what is alike, and where a query's context lies.")
view = frame.readiness.view
if view is None:
    st.info("The pool is being embedded; the side bar shows how far it is.")
elif not len(view):
    st.info("The pool has no included demonstration. Import or include some first.")
else:
    found = find_map(frame, view)
    if found is not None:
        colour, coloured = choose_colour(found)
        map_place, query_place = beside("map", [3, 2], "panels")
        with map_place:
            draw_map(found, colour, st.session_state.get("map_coloured", []))
            show_provenance(frame, found)
        with query_place:
            link = {"pool": frame.setup.pool, "colour": colour, "coloured": coloured}
            query_panel(frame, view, found, link)
        selection_panel(frame, found)
show_notice(frame.studio, "map", frame.setup.pool)  # under the buttons that it tells of
mark_run()
