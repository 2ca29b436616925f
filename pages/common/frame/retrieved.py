"""How often each demonstration is retrieved by the pool's own queries, with the knobs in use."""

import streamlit as st

from core.reporting.words.rows import knobs_in_words
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import LAMBDAS, Knobs
from core.retrieval.retrieved import RetrievalCounts
from core.studio.pools.retrieved import count_in_background, retrieved_now
from core.text import counted
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch


def show_retrieved(frame: Frame, knobs: Knobs, *, at_once: bool) -> RetrievalCounts | None:
    """What is counted, with a line on what it is; else how far that is, or a button that starts it.

    Args:
        frame: The page.
        knobs: What every context is chosen with.
        at_once: Whether counting starts without the button.
    """
    view = frame.readiness.view
    if view is None or not len(view):
        return None
    with shown_errors():
        found, job = retrieved_now(frame.studio, frame.setup, knobs)
        if found is not None:
            st.caption(plain(_what_it_is(found, knobs)))
            return found
        if job is None and (at_once or _asked_for()):
            job = count_in_background(frame.studio, frame.setup, knobs)
        if job is not None:
            watch(frame.studio, job, "Count again")
    return None


def _asked_for() -> bool:
    return st.button(
        "Count how often each is retrieved",
        key="count_retrieved",
        help="Chooses the context of each of the pool's own queries with the knobs in use, as for "
        "an evaluation example, and shows in how many of them a demonstration is.",
    )


def _what_it_is(found: RetrievalCounts, knobs: Knobs) -> str:
    method = METHODS[knobs.method]
    used = [name for name in LAMBDAS if getattr(method, name) is None]
    words = knobs_in_words({name: getattr(knobs, name) for name in ("k", *used)})
    of = "" if found.asked == found.queries else f", a seeded sample of {found.queries:,}"
    return (
        f"Retrieved: in how many of the contexts of {counted(found.asked, 'query')} of the "
        f"pool{of}, each without its own demonstrations ({knobs.method}, {words})."
    )
