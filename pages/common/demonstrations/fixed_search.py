"""Trying random sets for the method `fix`: how many, how far it is, and the best of them."""

import streamlit as st

from core.evaluation.runs.crossvalidation import FixedSets
from core.reporting.tables.runs import text_table
from core.reporting.tables.worth import SETS_TITLE, fixed_grounds, fixed_headline, sets_table
from core.reporting.words.calibration_findings import ANOTHER_MODEL
from core.settings import PRACTICE, K
from core.studio.runs.adaptive import SETS, FixedRequest, slot, start
from core.studio.runs.running import LIMIT, examples_in
from core.studio.session.models import why_not_scored
from pages.common.frame.page import Frame, show_caution, shown_errors, toy_words
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.streamlit_workarounds.presses import button

ABOUT = (
    "The model scores random sets of the pool's demonstrations on some of its queries, and the "
    "best set is then judged on the others, which had no part in the choice."
)


def search_for_fixed(frame: Frame) -> tuple[int, ...] | None:
    """Draw the search; returns the ids of the best set when it is to be used."""
    with st.expander("Find a set by trying"), shown_errors():
        st.caption(ABOUT)
        show_caution(frame, "fixed")
        job = frame.studio.model_worker.latest(slot(frame.studio, frame.setup.pool))
        if job is not None and job.snapshot().state != "finished":
            watch(frame.studio, job, "Set up another search")
            return None
        _offer(frame)
        if job is not None and isinstance(job.snapshot().result, FixedSets):
            return _show(frame, job.snapshot().result)
    return None


def _offer(frame: Frame) -> None:
    """How many sets of how many, on how many examples; starts the search."""
    most = max(examples_in(frame.studio, frame.setup.pool), 1)
    places = st.columns(4, vertical_alignment="bottom")
    sets = places[0].number_input(
        "Sets", min_value=1, max_value=1000, value=SETS, key="fixed_sets", persist_state="session"
    )
    k = places[1].number_input(
        "Demonstrations in a set",
        min_value=1,
        max_value=50,
        value=K,
        key="fixed_k",
        persist_state="session",
    )
    limit = places[2].number_input(
        f"Examples (of {most:,})",
        min_value=1,
        max_value=most,
        value=min(LIMIT, most),
        key=f"fixed_limit_{most}",
        persist_state="session",
        help="Half of them choose the set and the others judge it.",
    )
    why = why_not_scored(frame.studio.loaded_model(frame.setup.model))
    if why:
        st.info(plain(why))
    request = FixedRequest(setup=frame.setup, sets=int(sets), k=int(k), limit=int(limit))
    with places[3]:
        pressed = button("Try them", key="fixed_try", disabled=bool(why), width="stretch")
    if pressed:
        start(frame.studio, request)
        st.rerun()


def _show(frame: Frame, found: FixedSets) -> tuple[int, ...] | None:
    """What came out; the ids of the best set when it is to be used."""
    by_a_toy = found.model == PRACTICE and toy_words(frame)
    st.markdown(f"**{plain(ANOTHER_MODEL if by_a_toy else fixed_headline(found))}**")
    st.caption(plain(" ".join(fixed_grounds(found))))
    used = st.button("Use the best set", key="fixed_use")
    st.markdown(f"**{plain(SETS_TITLE)}**")
    st.html(text_table(sets_table(found)))
    return found.best.ids if used else None
