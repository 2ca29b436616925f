"""Trying random sets for the method `fix`: how many, how far it is, and the best of them."""

import streamlit as st

from core.evaluation.runs.crossvalidation import FixedSets
from core.reporting.tables.runs import text_table
from core.reporting.tables.worth import SETS_TITLE, fixed_grounds, fixed_headline, sets_table
from core.reporting.words.calibration_findings import ANOTHER_MODEL
from core.reporting.words.provenance import edits_sentence
from core.settings import PRACTICE, K
from core.studio.runs import adaptive
from core.studio.runs.adaptive import SETS, FixedRequest
from core.studio.session.models import why_not_scored
from pages.common.frame.page import Frame, show_caution, shown_errors, toy_words
from pages.common.frame.text import plain
from pages.common.runs.limit import choose_limit
from pages.common.runs.progress import running, show_end, watch
from pages.common.runs.run import SCORED, start_row

ABOUT = (
    "The model scores random sets of the pool's demonstrations on some of its queries, and the "
    "best set is then judged on the others, which had no part in the choice."
)


def choose_search(frame: Frame) -> FixedRequest:
    """How many sets of how many, on how many examples."""
    st.caption(ABOUT)
    show_caution(frame, "fixed")
    places = st.columns(3, vertical_alignment="bottom")
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
    help = "Half of them choose the set and the others judge it."
    limit = choose_limit(frame, "fixed", "Examples", places[2], help=help)
    return FixedRequest(setup=frame.setup, sets=int(sets), k=int(k), limit=limit)


def search_for_fixed(frame: Frame, request: FixedRequest) -> tuple[int, ...] | None:
    """Draw the search; returns the ids of the best set when it is to be used."""
    with shown_errors():
        why = why_not_scored(frame.studio.loaded_model(frame.setup.model))
        if why:
            st.info(plain(why))
        job = start_row(
            frame,
            adaptive.RUNS,
            None if why else request,
            verb="Try them",
            cost=lambda: (
                f"About {adaptive.contexts_about(frame.studio, request):,} contexts for the model "
                "to judge; what was judged before costs nothing."
            ),
        )
        if job is not None and running(job):
            watch(job, SCORED, "steps", lambda now: None)
            return None
        show_end(job, SCORED)
        found = adaptive.RUNS.latest(frame.studio, frame.setup.pool)
        return None if found is None else _show(frame, found)
    return None


def _show(frame: Frame, found: FixedSets) -> tuple[int, ...] | None:
    """What came out; the ids of the best set when it is to be used."""
    by_a_toy = found.model == PRACTICE and toy_words(frame)
    edits = edits_sentence(adaptive.RUNS.edits(frame.studio, frame.setup.pool), "try them again")
    headline = f"{edits} {ANOTHER_MODEL if by_a_toy else fixed_headline(found)}".strip()
    st.markdown(f"**{plain(headline)}**")
    st.caption(plain(" ".join(fixed_grounds(found))))
    used = st.button("Use the best set", key="fixed_use")
    st.markdown(f"**{plain(SETS_TITLE)}**")
    st.html(text_table(sets_table(found)))
    return found.best.ids if used else None
