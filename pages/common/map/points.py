"""What the map's points are placed by: text, the pool's task, or both maps side by side."""

from typing import Any

import streamlit as st

from core.evaluation.results.verdict import Sorting
from core.reporting.figures.same_label import (
    neighbours_help,
    neighbours_line,
    verdict,
)
from core.reporting.results.pool_map import By, PoolMap
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, Knobs
from core.retrieval.pool_view import PoolView
from core.studio.map.task_map import TaskLayout, by_task, task_layout
from core.studio.pools import tasks
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.state.address import Link
from pages.common.state.knobs import kept, kept_key, kept_value
from pages.common.state.readers import one_of
from pages.common.state.segments import choose_segment
from pages.common.state.state import remember, remembered

POINTS = "points"
"""What the choice is kept as, also in the link."""
BOTH = "both"
BY_TASK = "pgra"
"""The method whose knobs the map by task has."""
PLACED_BY = {By.TEXT.value: "text", By.TASK.value: "task", BOTH: "both side by side"}
_BEFORE, _DRAWN = "map_points_before", "map_by_task"


def choose_points(view: PoolView) -> str:
    """What the points are placed by, one of `PLACED_BY`; a pool without a task has no choice."""
    if view.task is None:
        if remembered("map", POINTS, By.TEXT.value, one_of(*PLACED_BY)) != By.TEXT:
            st.caption(
                plain(
                    "Points are placed by text: this pool has no task, as its answers are "
                    f"{tasks.pool_task(view).without}."
                )
            )
        return By.TEXT.value
    points = choose_segment(
        "map",
        POINTS,
        "Place points by",
        PLACED_BY,
        By.TEXT.value,
        help="Text: near points have similar queries, by the encoder. Task: near points are "
        "similar for the model about to answer the pool's task; it reads every text once.",
    )
    if points != st.session_state.get(_BEFORE, points):
        _colour_by_label(points)
    st.session_state[_BEFORE] = points
    return points


def _colour_by_label(points: str) -> None:
    """Choosing the task shows its labels; other colours can be chosen then."""
    if points != By.TEXT:
        remember("map", "colour", "label")
        st.session_state[kept_key("map", "colour", "label")] = "label"


def task_knobs() -> Knobs:
    """The knobs of the method `pgra` as they were last set on any page."""
    own: tuple[tuple[str, Any], ...] = tuple(
        (knob.name, kept_value(knob)) for knob in METHODS[BY_TASK].own
    )
    return Knobs(BY_TASK, seed=kept("seed"), own_values=own)


def points_link(points: str) -> Link:
    """What the points are placed by, and its knobs changed on other pages, for the address."""
    wanted = remembered("map", POINTS, points, one_of(*PLACED_BY))
    if wanted == By.TEXT:
        return {}
    knobs = task_knobs()
    seed = {} if knobs.seed == KNOBS["seed"].default else {"seed": str(knobs.seed)}
    return {POINTS: wanted, **seed, **dict(METHODS[BY_TASK].own_changes(knobs))}


def find_task_layout(frame: Frame, view: PoolView) -> TaskLayout | None:
    """The pool laid out by task; until it is there, how far that is."""
    with shown_errors():
        laid, job = task_layout(frame.studio, frame.setup, view, task_knobs())
        if job is not None:
            watch(frame.studio, job, "Lay out the map by task", stops=True)
        return laid
    return None


def map_by_task(found: PoolMap, laid: TaskLayout) -> PoolMap:
    """The map with its points where the task puts them, made once for every redraw."""
    drawn: tuple[PoolMap, TaskLayout, PoolMap] | None = st.session_state.get(_DRAWN)
    if drawn is None or drawn[0] is not found or drawn[1] is not laid:
        drawn = st.session_state[_DRAWN] = (found, laid, by_task(found, laid))
    return drawn[2]


def show_same_label(laid: TaskLayout) -> None:
    """The shares of neighbours with the same label, and what follows from them."""
    same = laid.same_label
    st.markdown(plain(neighbours_line(same)), help=plain(neighbours_help(same)))
    words = verdict(same)
    if same.verdict is not None:
        (st.caption if same.verdict is Sorting.BETTER else st.info)(plain(words))
