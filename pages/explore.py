"""Explore: what does this query retrieve, and why?"""

import streamlit as st

from core.studio import Studio
from core.studio.explore import Exploration, explore, provenance, resolve
from core.studio.explore_tables import figures_row
from core.studio.indexing import without_waiting
from core.studio.visit import CurveNow, EffectNow, Visit
from pages.common.explore_knobs import choose_request
from pages.common.explore_path import show_standing
from pages.common.explore_query import Asked, choose_query
from pages.common.explore_results import (
    show_answers,
    show_context,
    show_curve,
    show_details,
    show_terms,
)
from pages.common.look import beside
from pages.common.page import Frame, open_page, show_caution, shown_errors
from pages.common.text import plain
from pages.common.watching import watch

# Seconds between two looks at the worker, only while it has something to do for this page.
POLL = 0.4


@st.cache_resource(scope="session", show_spinner=False, on_release=Visit.close)
def open_visit(_studio: Studio) -> Visit:
    """This visitor's curve and answers; given up when the window is closed."""
    return Visit(_studio)


@st.fragment
def explored(frame: Frame, asked: Asked) -> None:
    """The knobs and everything below them: a slider redraws this and nothing else."""
    with frame.studio.presence.serving():
        _explore(frame, asked)


def _explore(frame: Frame, asked: Asked) -> None:
    request, places = choose_request(frame, asked)
    with shown_errors():
        resolved, preparing = without_waiting(resolve(frame.studio, request))
        if preparing is not None:
            st.caption("Until the index is ready, the context is chosen from the whole pool.")
            watch(frame.studio, preparing, "Prepare the index")
        found = explore(resolved)
        visit = open_visit(frame.studio)
        show_terms(found)
        # Two names, so that the timer of the one ends when the other is drawn in its place.
        if all(now is None or now.complete for now in _ask(visit, found)):
            st.fragment(_settled)(frame, visit, found)
        else:
            st.fragment(_filling, run_every=POLL)(frame, visit, found, [])
        # After the picture: the paths take longer, those of a large pool a fifth of a second.
        for knob, place in places.items():
            show_standing(visit, found, knob, place)


def _ask(visit: Visit, found: Exploration) -> tuple[CurveNow | None, EffectNow]:
    curved = found.request.knobs.info.has_path("lambda_d")
    effect = visit.effect(found.resolved, found.prompt)
    return (visit.curve(found.resolved) if curved else None), effect


def _settled(frame: Frame, visit: Visit, found: Exploration) -> None:
    with frame.studio.presence.serving():
        _draw(frame, visit, found)


def _filling(frame: Frame, visit: Visit, found: Exploration, drawn: list[bool]) -> None:
    complete = _draw(frame, visit, found)
    if complete and drawn:
        st.rerun()
    drawn.append(True)


def _draw(frame: Frame, visit: Visit, found: Exploration) -> bool:
    """Draw what is there; whether nothing more will come."""
    curve, effect = _ask(visit, found)
    st.html(figures_row(found, effect.effect))
    context_place, curve_place = beside("explore", [5, 3], "tables")
    with context_place:
        show_context(found)
    with curve_place:
        show_curve(visit, found, curve)
    show_answers(frame, visit, found, effect)
    show_details(visit, found, effect.effect)
    st.caption(plain(provenance(found)))
    return effect.complete and (curve is None or curve.complete)


frame = open_page("Explore", "What does a query retrieve, and why? What does it do to the model?")
show_caution(frame)
if frame.upkeep.view is None:
    st.info("The pool is being embedded; the side bar shows how far it is.")
else:
    with frame.studio.presence.serving():
        asked = choose_query(frame, frame.upkeep.view)
    if asked is not None:
        explored(frame, asked)
