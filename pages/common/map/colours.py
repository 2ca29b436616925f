"""What the map's points are coloured by."""

import streamlit as st

from core.reporting.figures.pool_map import COLOURINGS, DECIDES, MOST_TAGS, RAREST, common_tags
from core.reporting.results.pool_map import By, PoolMap
from core.retrieval.pool_view import PoolView
from pages.common.state.address import Link
from pages.common.state.knobs import kept_key
from pages.common.state.readers import one_of, some_of
from pages.common.state.segments import choose_segment
from pages.common.state.state import remember, remembered


def choose_colour(found: PoolMap, view: PoolView, points: str) -> tuple[str, Link]:
    """What the points are coloured by, and what of that belongs into the link."""
    colours, default = _offered(found, view, points)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = choose_segment("map", "colour", "Colour by", colours, default)
        if colour != "tag":
            return colour, {"colour": colour}
        with st.popover("Tags", help="Which tags have a colour of their own, and which decides"):
            tags = choose_tags(found)
            decides = choose_segment(
                "map",
                "decides",
                "Of several tags, this one decides",
                DECIDES,
                RAREST,
                help="A demonstration that carries several of these tags has the colour of one: "
                "the rarest says most about it.",
            )
    coloured = "|".join(tags) if tags != common_tags(found) else None
    return colour, {
        "colour": colour,
        "coloured": coloured,
        "decides": None if decides == RAREST else decides,
    }


def choose_tags(found: PoolMap) -> list[str]:
    """The tags that get a colour of their own."""
    common = common_tags(found)
    known = {tag for row in found.demonstrations for tag in row.tags}
    key = kept_key("map", "coloured", common, some_of(known, "|"))
    st.session_state[key] = [tag for tag in st.session_state[key] if tag in known] or common
    tags: list[str] = st.multiselect(
        "Tags with a colour of their own",
        sorted(known),
        key=key,
        max_selections=MOST_TAGS,
        help="Their shapes differ too. All others are grey.",
    )
    remember("map", "coloured", tags)
    return tags


def _offered(found: PoolMap, view: PoolView, points: str) -> tuple[dict[str, str], str]:
    """The colourings that the pool has, and which of them is the default."""
    offered = {name: label for name, label in COLOURINGS.items() if name != "label" or view.task}
    tagged = any(row.tags for row in found.demonstrations)
    default = "label" if view.task and (points != By.TEXT or not tagged) else "tag"
    if remembered("map", "colour", default, one_of(*offered)) not in offered:
        remember("map", "colour", default)
        st.session_state["map_colour"] = default
    return offered, default
