"""What was done to a pool, newest first, each with its undo; and one demonstration's history."""

from collections.abc import Mapping

import streamlit as st

from core.store import Action
from core.studio.pools import demonstrations
from pages.common.frame.notice import note_action
from pages.common.frame.page import Frame, shown_errors
from pages.common.state.address import Link
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import draw_button, was_pressed

AT_ONCE = 25
MANY = "demonstrations_history_many"


def history_section(frame: Frame) -> Link:
    """Draw the list of actions; returns what of it belongs into the link."""
    many = st.session_state.setdefault(MANY, AT_ONCE)
    actions = demonstrations.history(frame.studio, frame.setup.pool, limit=many + 1)
    st.caption(
        "Undoing is an action too: undo it to redo. If a later change touched the same cells, undo "
        "that one first."
    )
    if not actions:
        st.info("Nothing has been done to this pool yet.")
    for action in actions[:many]:
        _draw(action)
    if len(actions) > many and st.button("Show more", key="demonstrations_history_more"):
        st.session_state[MANY] = many + AT_ONCE
        st.rerun()
    for action in actions[:many]:
        if was_pressed(_key(action)):
            with shown_errors():
                _undo(frame, action)
                st.rerun()
    _one_life(frame)
    return {}


@uninterrupted
def _undo(frame: Frame, action: Action) -> None:
    undone = demonstrations.undo(frame.studio, action.id)
    note_action(frame.studio, "demonstrations", frame.setup.pool, undone)


def _draw(action: Action) -> None:
    when, what, who, button = st.columns([2, 6, 1.5, 1.5], vertical_alignment="center")
    when.text(f"{action.when.astimezone():%Y-%m-%d %H:%M:%S}")
    what.text(action.what)
    who.text(action.who)
    if action.undone:
        button.text("undone")
        return
    with button:
        draw_button(
            "Redo" if action.undoes is not None else "Undo",
            key=_key(action),
            disabled=not action.changes,
            width="stretch",
        )


def _key(action: Action) -> str:
    return f"demonstrations_undo_{action.id}"


def _one_life(frame: Frame) -> None:
    with st.expander("History of one demonstration"):
        id = st.number_input(
            "id of the demonstration",
            min_value=1,
            value=None,
            key="demonstrations_life",
            persist_state="session",
        )
        if id is None:
            return
        with shown_errors():
            steps = demonstrations.life(frame.studio, int(id))
            st.dataframe(
                [
                    {
                        "when": step.when.astimezone(),
                        "what": step.what,
                        "who": step.who,
                        "before": _in_words(step.before),
                        "after": _in_words(step.after),
                    }
                    for step in steps
                ],
                hide_index=True,
            )


def _in_words(fields: Mapping[str, object]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in fields.items())
