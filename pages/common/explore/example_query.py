"""The choice of one of the pool's own queries, which Explore and Map share."""

from collections.abc import Callable

import streamlit as st

from core.reporting.words.start_page import how_chosen, why_chosen
from core.retrieval.pool_view import PoolView
from core.studio.explore.exploration import matching_queries
from core.studio.pools.bundled import RULE, opening
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.state.state import SHARED, remember, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted

LISTED = 5_000
"""How many queries are offered at once; in a larger pool the others are searched for."""


def choose_example_query(page: str, frame: Frame, view: PoolView) -> str | None:
    """Draw the choice; None, and why, where there is nothing to choose."""
    text, shown = "", opening(frame.studio, frame.setup, view)
    if len(view.distinct_queries) > LISTED:
        text = st.text_input(
            f"Search the {len(view.distinct_queries):,} queries",
            key=f"{page}_search_queries",
            persist_state="session",
            placeholder="part of a query",
            help=f"The first {LISTED:,} that contain the text are listed below.",
        )
    listed = matching_queries(view, text, LISTED)
    if not listed or shown is None:
        if text:
            st.info("No query of the pool contains that text: search for another.")
        else:
            st.info("The pool has no included demonstration. Import or include some first.")
        return None
    wanted = remembered(SHARED, "query", listed[0] if text else shown.query, _reader(view))
    found = view.find_query(wanted)
    if found is None:
        st.toast(f"This pool has no query {plain(repr(wanted[:60]))}; another one is shown.")
    elif found not in listed and not text:
        listed = [found, *listed[:-1]]
    key = f"{page}_query_{frame.setup.pool}"
    query = st.selectbox(
        "Evaluation example",
        listed,
        index=listed.index(found or shown.query) if (found or shown.query) in listed else 0,
        key=key,
        label_visibility="collapsed",
    )
    remember(SHARED, "query", query)
    return query


def _reader(view: PoolView) -> Callable[[str], str]:
    def read(text: str) -> str:
        if view.find_query(text) is None:
            raise ValueError(f"no query of pool {view.name}")
        return text

    return read


def show_why_chosen(page: str, frame: Frame, view: PoolView, query: str) -> None:
    """Say that the query was chosen by a rule, where it was, with a button for the other one."""
    shown, key = opening(frame.studio, frame.setup, view), f"{page}_query_{frame.setup.pool}"
    words = "" if shown is None else why_chosen(shown, query)
    if shown is None or shown.chosen is None or not words:
        return
    sentence, other = st.columns([5, 1.6], vertical_alignment="center")
    sentence.caption(plain(words), help=plain(how_chosen(shown.chosen)) + "  \n" + RULE)
    example = query == shown.query
    other.button(
        "Show a typical query" if example else "Show the chosen example",
        key=f"{key}_other",
        type="tertiary",
        on_click=_switch_to,
        args=(key, shown.typical if example else shown.query),
    )


@uninterrupted
def _switch_to(key: str, query: str) -> None:
    st.session_state[key] = query
    remember(SHARED, "query", query)
