"""What a program did, step by step: prompts in their parts, texts, searches with scores, times."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from core.programs.steps import Step
from core.reporting.tables.explore import prompt_parts
from core.reporting.tables.programs import found_table, written_table
from core.reporting.tables.runs import text_table
from core.reporting.words.own_answers import no_answers
from core.reporting.words.programs import step_line
from core.studio.programs.prompts import parts_of, shown_steps
from pages.common.frame.look import beside
from pages.common.frame.text import plain
from pages.common.programs.widgets import PAGE

INDENT = "\N{EM SPACE}"
SHOWN = 3
"""Texts of a step without fields that are shown."""


def draw_trace(steps: Sequence[Step], passages: Sequence[str], key: str) -> None:
    """The steps as a list, and the one that is open; a single step has no list.

    Args:
        steps: What was done, in its order.
        passages: The evidence of the example, each as prompts have it.
        key: A name of its own.
    """
    shown = shown_steps(steps)
    if not shown:
        st.caption("The model was not asked.")
        return
    if len(shown) == 1:
        step = shown[0].step
        st.caption(plain(f"{step.stage}: {step_line(step)}"))
        draw_step(step, passages)
        return
    list_place, open_place = beside(f"{PAGE}_{key}", [2, 3], "panels")
    with list_place:
        place = st.radio(
            "Steps",
            range(len(shown)),
            index=len(shown) - 1,
            format_func=lambda place: plain(
                f"{INDENT * shown[place].depth}{place + 1}. {shown[place].step.stage}"
            ),
            captions=[plain(f"{INDENT * each.depth}{step_line(each.step)}") for each in shown],
            key=f"{PAGE}_step_{key}",
        )
    with open_place:
        draw_step(shown[place].step, passages)


def draw_step(step: Step, passages: Sequence[str]) -> None:
    """One step: its prompt and what was written, or what was searched for and found."""
    if step.note:
        st.caption(plain(step.note))
    if step.search is not None:
        for query, times in Counter(step.search.queries).items():
            st.markdown(f"Query: {plain(query)}" + (f" ({times:,} times)" if times > 1 else ""))
        st.html(text_table(found_table(step.search)))
    if step.prompt:
        st.html(prompt_parts(parts_of(step, passages)))
        if step.left_out:
            st.caption(plain(f"The prompt had no room for {step.left_out}."))
        _draw_written(step)


def _draw_written(step: Step) -> None:
    """The completions as fields; the texts as they are where they have no fields."""
    texts = [text for call in step.calls for text in call.generations]
    none = [text for text in texts if not text.ended_by.is_answer]
    if step.completions and len(none) < len(texts):
        st.html(text_table(written_table(step)))
        if step.dropped:
            st.caption(f"Texts that lack a field which these have: {len(step.dropped):,}.")
        texts = none
    said = (each.instead or None if each in none else each.text for each in texts)
    distinct = list(dict.fromkeys(text for text in said if text is not None))
    for text in distinct[:SHOWN]:
        st.code(text.strip() or "(nothing)", language=None, wrap_lines=True)
    if len(distinct) > SHOWN:
        st.caption(f"and {len(distinct) - SHOWN:,} other texts")
    if none:
        st.caption(f"No answer: {no_answers(Counter(text.ended_by for text in none))}.")
