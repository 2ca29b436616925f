"""The cockpit: the triangle of weights with its handle, and all that the handle can show."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import streamlit as st

from core.reporting.results.query import Effect
from core.retrieval.knobs import LAMBDAS
from core.retrieval.triangle import ContextTriangle
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import LatestResults
from core.studio.explore.slots import TriangleNow
from pages.common.explore.cockpit.colours import chosen_measure, remember_measure
from pages.common.explore.cockpit.sending import live_to_json, scores_to_json, stage_to_json
from pages.common.frame.notice import latest_notice
from pages.common.frame.page import Frame
from pages.common.one_demonstration.acting import Act, act
from pages.common.state.knobs import apply_knobs
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.kept_places import kept_place

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

PAGE = "explore"
KEY = "explore_cockpit"
_SENT = "explore_cockpit_sent"
_HERE = Path(__file__).parent
_SCRIPTS = ("geometry.js", "picture.js", "panels.js", "cockpit.js")
_JS = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
_HTML = (_HERE / "cockpit.html").read_text(encoding="utf-8")
_CSS = (_HERE / "cockpit.css").read_text(encoding="utf-8")
_LIVE = (_HERE / "live.js").read_text(encoding="utf-8")
_MARKED = (_HERE / "marked.js").read_text(encoding="utf-8")


@dataclass(eq=False)
class _Sent:
    """What the browser gets of a triangle, by a name of its own; made once."""

    of: tuple[object, ...]
    key: str
    data: object


def cockpit_place() -> "DeltaGenerator":
    """The place of the cockpit, as high as it will be."""
    return kept_place(st.container(), KEY + "_place").container(gap=None)


def triangle_here(latest: LatestResults, found: Exploration) -> ContextTriangle | None:
    """The triangle to draw; None where the method or the pool has none, or nothing is chosen."""
    return latest.triangle(found.resolved) if found.picks else None


def show_stage(
    frame: Frame,
    latest: LatestResults,
    found: Exploration,
    triangle: ContextTriangle | None,
) -> None:
    """Draw the cockpit, in which nothing waits for the server while the handle moves.

    What changes with the handle or with the model's answers is not in it (`show_live`): a message
    that is the same as before is not sent again.

    Args:
        frame: The page, whose pool the rows' buttons change.
        latest: What the buttons of the triangle act on.
        found: The query's context.
        triangle: The triangle; without one nothing is drawn.
    """
    if triangle is None:
        st.html('<i class="no-cockpit"></i>')  # the style sheet keeps no place then
        return

    @uninterrupted
    def clicked() -> None:
        acts = {
            "score": latest.score_cells,
            "cancel": latest.cancel_cells,
            "again": latest.try_again,
        }
        acts[st.session_state[KEY]["clicked"]]()

    @uninterrupted
    def acted() -> None:
        wanted = Act(**st.session_state[KEY]["acted"])
        act(frame.studio, PAGE, frame.setup.pool, wanted)

    render = st.components.v2.component("shotlist_cockpit", html=_HTML, css=_CSS, js=_JS)
    render(
        key=KEY,
        data=_sent(found, triangle).data,
        on_released_change=_released,
        on_colour_change=_recoloured,
        on_clicked_change=clicked,
        on_acted_change=acted,
    )
    if found.certainty.kind == "approximate":
        st.caption("The triangle is exact, for the whole pool.")


def show_live(
    found: Exploration, triangle: ContextTriangle, now: TriangleNow, effect: Effect | None
) -> None:
    """Hand on to the cockpit what changes: what the model has scored, and where the handle is."""
    key = _sent(found, triangle).key
    measure = chosen_measure(found.request)
    notice = latest_notice(PAGE, found.request.setup.pool)
    hand_on = st.components.v2.component("shotlist_cockpit_live", js=_LIVE)
    # Two, since the scores, which are large, rarely change.
    hand_on(key=f"{KEY}_scores", data=scores_to_json(key, now, effect))
    live = live_to_json(found, triangle, key, now, effect, measure, notice)
    hand_on(key=f"{KEY}_live", data=live)


def mark_in_triangle(id: int) -> None:
    """While this is drawn, only the cells that choose the demonstration keep their colours."""
    st.components.v2.component("shotlist_cockpit_marked", js=_MARKED)(key=f"{KEY}_marked", data=id)


@uninterrupted
def _released() -> None:
    released = st.session_state[KEY]["released"]
    if released is not None:
        apply_knobs(("explore",), **{name: float(released[name]) for name in LAMBDAS})


@uninterrupted
def _recoloured() -> None:
    colour = st.session_state[KEY]["colour"]
    if colour is not None:
        remember_measure(colour)


def _sent(found: Exploration, triangle: ContextTriangle) -> _Sent:
    of = (triangle, found.request.query, found.request.answers, found.request.incorrect)
    kept = st.session_state.get(_SENT)
    if not isinstance(kept, _Sent) or kept.of != of:
        key = uuid4().hex
        kept = st.session_state[_SENT] = _Sent(of, key, stage_to_json(found, triangle, key))
    return kept
