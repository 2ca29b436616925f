"""A lambda's path: its breakpoints, how far the context stays, the steps beside it."""

from typing import Any

import streamlit as st

from core.reporting.html.drawings import change_sentence, range_sentence, strip
from core.reporting.results.query import (
    PathStep,
    StepsAround,
    inside,
    sets_of,
    step_at,
    steps_around,
)
from core.retrieval.knobs import PromptOrder
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import LatestResults
from core.text import lambda_text
from pages.common.frame.text import plain
from pages.common.state.knobs import apply_knobs


def show_steps_around(latest: LatestResults, found: Exploration, knob: str, place: Any) -> None:
    """Draw the strip, the sentence and the two buttons; nothing where there is no path."""
    steps = latest.steps(found.resolved, knob)
    if not steps or not found.picks:
        return
    at: float = getattr(found, knob)
    as_chosen = found.request.knobs.order is PromptOrder.AS_CHOSEN
    contexts = steps if as_chosen else sets_of(steps)
    where = steps_around(contexts, at, [pick.id for pick in found.picks])
    with place:
        st.html(strip(knob, contexts, at, where.here))
        st.caption(plain(range_sentence(knob, at, where, step_at(steps, at))))
        row = st.container(horizontal=True)
        _button(row, knob, "Previous", where.below, _change(where, upwards=False))
        _button(row, knob, "Next", where.above, _change(where, upwards=True))


def _change(where: StepsAround, *, upwards: bool) -> str:
    """What the step to one side changes; nothing is compared across a tie."""
    if where.here is None:
        return ""
    if upwards:
        return "" if where.above is None else change_sentence(where.above, upwards=True)
    return "" if where.below is None else change_sentence(where.here, upwards=False)


def _button(place: Any, knob: str, label: str, to: PathStep | None, change: str) -> None:
    goal = None if to is None else inside(to)
    place.button(
        label if goal is None else f"{label}: {lambda_text(goal)}",
        key=f"explore_{knob}_{label.lower()}",
        disabled=goal is None,
        help=plain(change) or None,
        width="stretch",
        on_click=apply_knobs,
        args=(("explore",),),
        kwargs={knob: goal},
    )
