"""What the model itself answers, with this context and without any, side by side."""

import streamlit as st

from core.evaluation.results.own_answer import OwnAnswer
from core.reporting.words.own_answers import answer_facts, doubt_sentence, verdict_of_answer
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import LatestResults
from core.studio.explore.slots import AnswersNow
from pages.common.frame.look import side_by_side
from pages.common.frame.page import Frame
from pages.common.frame.text import plain

WITH, WITHOUT = "With this context", "Without a context"


def show_own_answers(
    frame: Frame, latest: LatestResults, found: Exploration, now: AnswersNow
) -> None:
    """Both answers, as far as they are written, or why they are not there."""
    if now.answers is not None:
        for place, head, answer in zip(
            side_by_side(2), (WITH, WITHOUT), (now.answers.after, now.answers.alone), strict=True
        ):
            with place:
                _show(head, answer)
        if not found.picks:
            st.caption("The context is empty, so both are the answer to the query alone.")
    elif now.job is None:
        st.info(_why_none(frame))
    elif now.job.over:
        st.error(plain(now.job.error or "The model was stopped before it had answered."))
        st.button("Try again", key="explore_own_again", on_click=latest.try_again)
    else:
        texts = (now.written.after, now.written.alone)
        for place, head, text in zip(side_by_side(2), (WITH, WITHOUT), texts, strict=True):
            with place:
                st.markdown(f"**{head}**")
                st.code(text or " ", language=None, wrap_lines=True)
        st.caption("The model is writing.")


def _show(head: str, answer: OwnAnswer) -> None:
    st.markdown(f"**{head}**")
    shown = answer.text or answer.instead
    if shown or answer.ended_by.is_answer:
        st.code(shown or " ", language=None, wrap_lines=True)
    st.caption(plain(f"{verdict_of_answer(answer)} {answer_facts(answer)}"))
    for doubt in answer.doubts:
        st.warning(plain(doubt_sentence(doubt)))
    if answer.thoughts:
        with st.expander("Thoughts, no part of the answer"):
            st.text(answer.thoughts)


def _why_none(frame: Frame) -> str:
    loading = frame.readiness.loading
    if loading is not None and loading.state in ("failed", "cancelled"):
        return "The language model could not be loaded; the side bar says why."
    return "The language model is being loaded; the side bar shows how far it is."
