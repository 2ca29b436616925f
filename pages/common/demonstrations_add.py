"""One demonstration typed by hand."""

from collections.abc import Callable

import streamlit as st

from core.studio import demonstrations
from core.types import Draft
from pages.common.notice import note_action
from pages.common.page import Frame, shown_errors

ROUND = "demonstrations_add_round"


def add_by_hand(frame: Frame, after: Callable[[], None]) -> None:
    """A form for one new demonstration; it is emptied when the demonstration is in the pool."""
    turn = st.session_state.setdefault(ROUND, 0)
    with st.expander("Add one by hand"), st.form(f"demonstrations_add_{turn}", border=False):
        left, right = st.columns(2)
        query = left.text_area("Query", key=f"add_query_{turn}", height=100)
        answer = left.text_area("Answer", key=f"add_answer_{turn}", height=100)
        incorrect = right.text_area(
            "Incorrect answers, one on each line", key=f"add_incorrect_{turn}", height=100
        )
        tags = right.multiselect(
            "Tags",
            list(demonstrations.tags(frame.studio, frame.setup.pool)),
            accept_new_options=True,
            placeholder="Choose or type tags",
            key=f"add_tags_{turn}",
        )
        best = right.checkbox("The best answer to its query", key=f"add_best_{turn}")
        sent = st.form_submit_button("Add to the pool")
    if sent:
        draft = Draft(query, answer, tuple(incorrect.splitlines()), tuple(tags), best)
        with shown_errors():
            added = demonstrations.add(frame.studio, frame.setup.pool, draft)
            if added.action is not None:
                note_action(frame.studio, "demonstrations", frame.setup.pool, added.action)
            st.session_state[ROUND] = turn + 1
            after()
            st.rerun()
