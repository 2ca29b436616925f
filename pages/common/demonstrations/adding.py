"""One demonstration typed by hand."""

import streamlit as st

from core.incorrect import incorrect_answers
from core.studio.pools import demonstrations
from core.types import Draft
from pages.common.frame.notice import note_action
from pages.common.frame.page import Frame, shown_errors

ROUND = "demonstrations_add_round"


def add_by_hand(frame: Frame) -> None:
    """Places for one new demonstration, emptied when it is in the pool.

    What was typed and not added yet stays, wherever the visitor goes meanwhile; each pool has its
    own. That is why these are plain widgets: a form would tell nothing before its button.
    """
    pool = frame.setup.pool
    rounds: dict[str, int] = st.session_state.setdefault(ROUND, {})
    turn = f"{rounds.get(pool, 0)}_{pool}"
    with st.expander("Add one by hand"):
        left, right = st.columns(2)
        query = left.text_area(
            "Query", key=f"add_query_{turn}", height=100, persist_state="session"
        )
        answer = left.text_area(
            "Answer", key=f"add_answer_{turn}", height=100, persist_state="session"
        )
        incorrect = right.text_area(
            "Incorrect answers, one on each line",
            key=f"add_incorrect_{turn}",
            height=100,
            persist_state="session",
        )
        tags = right.multiselect(
            "Tags",
            list(demonstrations.tags(frame.studio, pool)),
            accept_new_options=True,
            placeholder="Choose or type tags",
            key=f"add_tags_{turn}",
            persist_state="session",
        )
        best = right.checkbox(
            "The best answer to its query", key=f"add_best_{turn}", persist_state="session"
        )
        if not st.button("Add to the pool", key="demonstrations_add"):
            return
        wrong = incorrect_answers(incorrect.splitlines())
        draft = Draft(query, answer, wrong, tuple(tags), best)
        with shown_errors():
            added = demonstrations.add(frame.studio, pool, draft)
            if added.action is not None:
                note_action(frame.studio, "demonstrations", pool, added.action)
            rounds[pool] = rounds.get(pool, 0) + 1
            st.rerun()
