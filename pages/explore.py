"""Explore: what does this query retrieve, and why?"""

import streamlit as st

from core.background import Job
from core.retrieval.choosing import METHODS
from core.retrieval.triangle import ContextTriangle
from core.studio import Studio
from core.studio.explore.asking import by_what_is_embedded, without_waiting
from core.studio.explore.exploration import Exploration, ExploreRequest, resolve
from core.studio.explore.latest import LatestResults
from core.studio.explore.provenance import provenance
from core.studio.explore.triangle import is_of_its_cell
from pages.common.explore.cockpit.colours import measure_link
from pages.common.explore.cockpit.stage import PAGE, show_live, show_stage, triangle_here
from pages.common.explore.knobs import choose_request
from pages.common.explore.path import show_steps_around
from pages.common.explore.query import ChosenQuery, choose_query
from pages.common.explore.results import (
    Scored,
    own_answers_now,
    show_path,
    show_terms,
    show_view,
)
from pages.common.explore.views import CONTEXT, CURVE, PATHS, VIEWS
from pages.common.frame.page import Frame, open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_end, mark_run, mark_waiting
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.one_demonstration.acting import after_acting
from pages.common.one_demonstration.editing import edit_dialog
from pages.common.state.address import ignore_unread
from pages.common.state.knobs import kept_knobs
from pages.common.state.views import choose_view

# Seconds between two looks at the worker, only while it has something to do for this page.
POLL = 0.4


@st.cache_resource(scope="session", show_spinner=False, on_release=LatestResults.close)
def open_results(_studio: Studio) -> LatestResults:
    """This visitor's curve and answers; given up when the window is closed."""
    return LatestResults(_studio)


@st.fragment
def explored(frame: Frame, chosen: ChosenQuery) -> None:
    """The knobs and everything below them: a slider redraws this and nothing else."""
    with frame.studio.presence.serving():
        _explore(frame, chosen)
    mark_run()


def _explore(frame: Frame, chosen: ChosenQuery) -> None:
    after_acting()
    request, places = choose_request(frame, chosen)
    with shown_errors():
        request, embedding = by_what_is_embedded(frame.studio, request)
        if embedding is not None:
            st.caption("Until query and answer are embedded together, queries alone are compared.")
            watch(frame.studio, embedding, "Embed query and answer")
        resolved, preparing = without_waiting(resolve(frame.studio, request))
        if preparing is not None:
            st.caption("Until the index is ready, the context is chosen from the whole pool.")
            watch(frame.studio, preparing, "Prepare the index")
        latest = open_results(frame.studio)
        found, asking = latest.explored(resolved)
        if asking is not None:
            _show_asking(frame, request, asking)
        triangle = triangle_here(latest, found)
        show_terms(found)
        view = choose_view(
            PAGE, VIEWS, CURVE if triangle is not None and _is_curved(found) else CONTEXT
        )
        scored = _ask(latest, found, triangle, view)
        # Two names, so that the timer of the one ends when the other is drawn in its place.
        if scored.complete:
            st.fragment(_settled)(frame, latest, found, triangle, view)
        else:
            st.fragment(_filling, run_every=POLL)(frame, latest, found, triangle, view, [])
        # After what is next to the knobs: the cockpit is drawn in a frame of its own.
        with places.cockpit:
            show_stage(frame, latest, found, triangle)
            if scored.complete:
                _show_live(found, triangle, scored)
        # Last: the paths take longer, those of a large pool a fifth of a second.
        for knob, place in places.paths.items():
            show_steps_around(latest, found, knob, place)
        if view in PATHS:
            show_path(latest, found, PATHS[view])
        st.caption(plain(provenance(found)))


def _show_asking(frame: Frame, request: ExploreRequest, job: Job) -> None:
    """Show what is used until the language model has answered, and how far that is."""
    method, loading = request.knobs.method, frame.readiness.loading
    if loading is not None and loading.state in ("failed", "cancelled"):
        why = "The language model could not be loaded; the side bar says why."
    elif loading is not None:
        why = "The language model is being loaded; the side bar shows how far it is."
    else:
        why = f"{method} asks the language model."
    st.caption(
        plain(f"{why} Until it has answered, the most similar demonstrations are shown (rel).")
    )
    if loading is None:
        watch(frame.studio, job, "Ask the language model again")


def _is_curved(found: Exploration) -> bool:
    return METHODS[found.request.knobs.method].has_path("lambda_d")


def _ask(
    latest: LatestResults, found: Exploration, triangle: ContextTriangle | None, view: str
) -> Scored:
    effect = latest.effect(found.resolved, found.prompt)
    curve = latest.curve(found.resolved) if _is_curved(found) else None
    # Last, so that the other two are scored first.
    cells = None
    if triangle is not None:
        here = effect.effect if is_of_its_cell(found, triangle) else None
        cells = latest.triangle_scores(found.resolved, triangle, here)
    return Scored(curve, effect, cells, own_answers_now(latest, found, view))


def _show_live(found: Exploration, triangle: ContextTriangle | None, scored: Scored) -> None:
    if triangle is not None and scored.cells is not None:
        show_live(found, triangle, scored.cells, scored.effect.effect)


def _settled(
    frame: Frame,
    latest: LatestResults,
    found: Exploration,
    triangle: ContextTriangle | None,
    view: str,
) -> None:
    with frame.studio.presence.serving():
        scored = _ask(latest, found, triangle, view)
        show_view(frame, latest, found, view, scored)
    if not scored.complete:  # a button of the view asks the model
        st.rerun()
    mark_run()


def _filling(
    frame: Frame,
    latest: LatestResults,
    found: Exploration,
    triangle: ContextTriangle | None,
    view: str,
    drawn: list[bool],
) -> None:
    scored = _ask(latest, found, triangle, view)
    _show_live(found, triangle, scored)
    show_view(frame, latest, found, view, scored)
    if scored.complete and drawn:
        st.rerun()
    drawn.append(True)
    mark_waiting()


frame = open_page("Explore", "What does a query retrieve, and why? What does it do to the model?")
show_caution(frame)
edit_dialog(frame, PAGE)
if frame.readiness.view is None:
    st.info("The pool is being embedded; the side bar shows how far it is.")
else:
    with frame.studio.presence.serving():
        chosen = choose_query(frame, frame.readiness.view)
    if chosen is not None:
        explored(frame, chosen)
    else:  # what the link has is kept until there is a query
        kept_knobs()
        measure_link()
        ignore_unread()
mark_end()
