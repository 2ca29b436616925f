"""One demonstration typed by hand."""

import streamlit as st

from core.demonstration.demonstration import Draft, IncorrectAnswer
from core.errors import ShotlistError
from core.studio import Studio
from core.studio.pools import demonstrations
from pages.common.frame.notice import note_action
from pages.common.frame.page import Frame, show_error
from pages.common.state.passed_on import query_to_write
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

FAULT = "demonstrations_add_fault"
_OPEN = "demonstrations_add_open"


def is_writing(pool: str) -> bool:
    """Whether another page asked for one to be written, which is not in the pool yet."""
    if wanted := query_to_write(pool):
        st.session_state[f"add_query_{_suffix(pool)}"] = wanted
        st.session_state[_OPEN] = _suffix(pool)
    return bool(st.session_state.get(_OPEN) == _suffix(pool))


def add_by_hand(frame: Frame) -> None:
    """Places for one new demonstration, emptied when it is in the pool.

    What was typed and not added yet stays, wherever the visitor goes meanwhile; each pool has its
    own. That is why these are plain widgets: a form would send nothing before its button.
    """
    pool = frame.setup.pool
    suffix = _suffix(pool)
    with st.expander("Add one by hand", expanded=is_writing(pool)):
        left, right = st.columns(2)
        left.text_area("Query", key=f"add_query_{suffix}", height=100, persist_state="session")
        left.text_area("Answer", key=f"add_answer_{suffix}", height=100, persist_state="session")
        right.text_area(
            "Incorrect answers, one on each line",
            key=f"add_incorrect_{suffix}",
            height=100,
            persist_state="session",
        )
        right.multiselect(
            "Tags",
            list(demonstrations.tags(frame.studio, pool)),
            accept_new_options=True,
            placeholder="Choose or type tags",
            key=f"add_tags_{suffix}",
            persist_state="session",
        )
        right.checkbox(
            "The best answer to its query",
            key=f"add_best_{suffix}",
            persist_state="session",
            wrap=True,
        )
        st.button(
            "Add to the pool",
            key="demonstrations_add",
            on_click=_add,
            args=[frame.studio, pool, suffix],
        )
        if fault := st.session_state.pop(FAULT, None):
            show_error(fault)


@uninterrupted
def _add(studio: Studio, pool: str, suffix: str) -> None:
    """Add what was typed; a callback, which is done even where its run is cut short."""
    typed = st.session_state
    draft = Draft(
        typed[f"add_query_{suffix}"],
        typed[f"add_answer_{suffix}"],
        tuple(map(IncorrectAnswer, typed[f"add_incorrect_{suffix}"].splitlines())),
        tuple(typed[f"add_tags_{suffix}"]),
        typed[f"add_best_{suffix}"],
    )
    try:
        added = demonstrations.add(studio, pool, draft)
    except ShotlistError as error:
        typed[FAULT] = str(error)
        return
    if added.action is not None:
        note_action(studio, "demonstrations", pool, added.action)
    empty_widgets(_places(pool))


def _suffix(pool: str) -> str:
    return f"{key_number(_places(pool))}_{pool}"


def _places(pool: str) -> str:
    return f"add {pool}"
