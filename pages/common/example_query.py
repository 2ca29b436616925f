"""The choice of one of the pool's own queries, which Explore and Map share."""

import streamlit as st

from core.retrieval.pool_view import PoolView
from core.studio.explore import matching_queries
from pages.common.state import remember, remembered
from pages.common.text import plain

LISTED = 5_000
"""So many queries are offered at once; in a larger pool the others are searched for."""


def choose_example_query(page: str, pool: str, view: PoolView) -> str | None:
    """Draw the choice; None, and why, where there is nothing to choose."""
    text = ""
    if len(view.distinct_queries) > LISTED:
        text = st.text_input(
            f"Search the {len(view.distinct_queries):,} queries",
            key=f"{page}_search_queries",
            persist_state="session",
            placeholder="part of a query",
            help=f"The first {LISTED:,} that hold the text are listed below.",
        )
    listed = matching_queries(view, text, LISTED)
    if not listed:
        if text:
            st.info("No query of the pool holds that text: search for another.")
        else:
            st.info("The pool has no included demonstration. Import or include some first.")
        return None
    wanted = remembered("query", listed[0])
    found = view.find_query(wanted)
    if found is None:
        st.toast(f"This pool has no query {plain(repr(wanted[:60]))}; its first one is shown.")
    elif found not in listed and not text:
        listed = [found, *listed[:-1]]
    query = st.selectbox(
        "Evaluation example",
        listed,
        index=listed.index(found) if found in listed else 0,
        key=f"{page}_query_{pool}",
        label_visibility="collapsed",
    )
    remember("query", query)
    return query
