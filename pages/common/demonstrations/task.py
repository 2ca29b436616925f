"""The task of a pool of classified texts: one line, which opens to choose another."""

import streamlit as st

from core.errors import ShotlistError
from core.language_model.task import Task
from core.retrieval.pool_view import PoolView
from core.studio import Studio
from core.studio.pools import tasks
from core.studio.pools.tasks import Texts
from pages.common.demonstrations.own_task import (
    key_suffix,
    own_task_fields,
    reset_own_task,
    typed_task,
)
from pages.common.frame.look import PANEL, side_by_side
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, show_error
from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_values import keep_sending

FAULT = "task_fault"
ABOUT = (
    "The method pgra compares the states in which a language model is about to write a text's "
    "label word."
)
GIVE = "so they suggest no task. You can give one whose label words represent some of them."


def show_task(frame: Frame) -> None:
    """Draw the line of a pool that has a task; another pool has none, but `give_task`."""
    view = frame.readiness.view
    if view is not None and view.task is not None:
        sentence = plain(tasks.pool_task(view).sentence)
        _line(frame.studio, view, "task_line", sentence, ABOUT)


def give_task(frame: Frame) -> None:
    """Draw the line that opens to give a pool a task whose labels suggest none."""
    view = frame.readiness.view
    if view is not None and view.task is None:
        why = f"The answers are {tasks.pool_task(view).without}, {GIVE}"
        _line(frame.studio, view, "task_give", "Give this pool a task", plain(f"{why} {ABOUT}"))
        st.divider()


def _line(studio: Studio, view: PoolView, key: str, label: str, about: str) -> None:
    """A line that opens; what is in it is drawn only then."""
    keep_sending(key, first=False)  # Under another label it would be another line, and closed.
    line = st.expander(label, key=key, on_change="rerun")
    if line.open:
        with line:
            st.caption(about)
            _choose(studio, view, view.task)


def _choose(studio: Studio, texts: Texts, present: Task | None) -> None:
    """The tasks on offer beside what a model reads of a demonstration, and the buttons."""
    left, right = side_by_side(2, PANEL)
    with left:
        picked = _pick(texts, present)
        if picked is None:
            own_task_fields(texts)
    with right:
        fault = st.session_state.pop(FAULT, None)
        if fault is None:
            _preview(texts, picked)
        _buttons(studio, texts, picked)
        if fault is not None:
            show_error(fault)


def _pick(texts: Texts, present: Task | None) -> Task | None:
    """The picked task of those on offer; None for one of the visitor's own."""
    offered = {f"{task.name} {task.fingerprint}": task for task in tasks.offered(texts)}
    names = {key: _label(task, texts, present) for key, task in offered.items()}
    first = next((place for place, task in enumerate(offered.values()) if task == present), 0)
    key = st.selectbox(
        "Task",
        [*offered, tasks.OWN],
        index=first,
        format_func=lambda key: names.get(key, "a task of your own"),
        key=f"task_choice_{key_suffix(texts.name)}",
        persist_state="session",
    )
    task = offered.get(key)
    if task is not None:
        st.text("\n".join(("Label words:", *(word.line for word in task.label_words))))
    return task


def _label(task: Task, texts: Texts, present: Task | None) -> str:
    """How a task on offer is called."""
    if task == texts.chosen_task:
        return f"{task.name} (chosen)"
    if task == present:
        return f"{task.name} (suggested by the labels)"
    unnamed = len(texts.answers) - tasks.named_by(texts, task)
    return f"{task.name} (does not name {unnamed:,} of the answers)" if unnamed else task.name


def _preview(texts: Texts, picked: Task | None) -> None:
    """The exemplar of the picked task, or what it still lacks."""
    try:
        task = typed_task(texts.name) if picked is None else picked
    except ShotlistError as error:
        st.caption(plain(f"Not complete yet. {error}"))
        return
    text = tasks.exemplar(texts, task)
    if text is None:
        st.caption("Not complete yet. The label words represent none of the pool's answers.")
        return
    st.text("What a model reads of one demonstration:")
    st.code(text, language=None, wrap_lines=True)


def _buttons(studio: Studio, texts: Texts, picked: Task | None) -> None:
    pool = texts.name
    with st.container(horizontal=True):
        st.button(
            "Use this task",
            key="task_use",
            disabled=picked is not None and picked == texts.chosen_task,
            on_click=_use,
            args=(studio, pool, picked),
        )
        if texts.chosen_task is not None:
            st.button(
                "Take the choice back",
                key="task_take_back",
                on_click=_take_back,
                args=(studio, pool),
                help="The task is then the one that the pool's labels suggest, if they do.",
            )


@uninterrupted
def _use(studio: Studio, pool: str, picked: Task | None) -> None:
    """Make it the pool's; a callback, which is done even where its run is cut short."""
    try:
        task = typed_task(pool) if picked is None else picked
        tasks.choose(studio, tasks.read(studio, pool), task)
    except ShotlistError as error:
        st.session_state[FAULT] = str(error)
        return
    reset_own_task(pool)
    note("demonstrations", pool, f"The task of this pool is {task.name!r}.")


@uninterrupted
def _take_back(studio: Studio, pool: str) -> None:
    try:
        tasks.take_back(studio, pool)
    except ShotlistError as error:
        st.session_state[FAULT] = str(error)
        return
    reset_own_task(pool)
    note("demonstrations", pool, "The task that was chosen for this pool was taken back.")
