"""Start: what this is, three ways in, and the whole idea drawn on the example."""

import streamlit as st

from core.reporting.html.drawings import document, picture
from core.reporting.results.idea import Idea
from core.reporting.words import start_page as start_words
from core.studio.pools.pools import restore_example
from core.studio.start import EXAMPLE, idea
from pages.common.frame.navigation import NAME
from pages.common.frame.offer import offer_real_model
from pages.common.frame.page import Frame, open_page, shown_errors
from pages.common.frame.run_mark import mark_end
from pages.common.frame.sidebar import switch_pool
from pages.common.frame.suitability import show_suitability
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.state.address import ignore_unread
from pages.common.state.state import SHARED, remember


def show_doors(found: Idea | None) -> None:
    """Three ways to go on."""
    example, own, share = st.container(key="start_doors").columns(3, gap="medium")
    with example:
        if (
            st.button("Try the example", type="primary", width="stretch", disabled=found is None)
            and found
        ):
            switch_pool(EXAMPLE.pool)
            remember(SHARED, "from", "example")
            remember(SHARED, "query", found.query)
            st.switch_page("pages/explore.py")
        st.caption("Turn the knobs on the query below.")
    with own:
        if st.button("Load your own", width="stretch"):
            remember("demonstrations", "section", "import")
            st.switch_page("pages/demonstrations.py")
        st.caption("Queries and answers, from a file.")
    with share:
        ready = found is not None and all(way.preference for way in found.ways)
        st.download_button(
            "Show it to someone",
            data=document(found) if found is not None else "",
            file_name="shotlist-example.html",
            mime="text/html",
            on_click="ignore",
            width="stretch",
            disabled=not ready,
        )
        st.caption("Saves what is below as one page.")


def show_missing(frame: Frame) -> None:
    """Say that the workspace has no example any more, and offer to bring it back."""
    st.info(f"The example, pool {EXAMPLE.pool}, is not in this workspace, or is empty.")
    if st.button("Bring the example back"):
        with shown_errors():
            restore_example(frame.studio)
            st.rerun()


frame = open_page(NAME, start_words.WHAT, needs_pool=False)
with shown_errors(), frame.studio.presence.serving():
    found, job = idea(frame.studio)
    show_doors(found)
    offer_real_model(frame.studio, frame.setup.model_name, "start")
    if found is not None:
        st.container(key="start_picture").html(picture(found))
        st.caption(plain(start_words.small_print(found)))
    elif job is None:
        show_missing(frame)
    if job is not None:
        watch(frame.studio, job, "Try again")
ignore_unread()
show_suitability(frame, where=f"in pool {frame.setup.pool}")
mark_end()
