"""Fields for a task of one's own; what was typed stays until it is the pool's."""

import streamlit as st

from core.language_model.task import ENDING, LabelWord, Task
from core.studio.pools import tasks
from core.studio.pools.tasks import Texts
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number


def key_suffix(pool: str) -> str:
    """The end of the keys of the pool's fields: another one after each task that was chosen."""
    return f"{key_number(_places(pool))}_{pool}"


def reset_own_task(pool: str) -> None:
    """Reset the pool's fields to its present task."""
    empty_widgets(_places(pool))


def _places(pool: str) -> str:
    return f"task {pool}"


def own_task_fields(texts: Texts) -> None:
    """Draw the fields, which begin with the pool's present task and its labels."""
    suffix = key_suffix(texts.name)
    question, words = tasks.first_own_task(texts)
    st.text_input("Name", value=tasks.OWN, key=f"task_name_{suffix}", persist_state="session")
    st.text_area(
        "Question",
        value=question,
        key=f"task_question_{suffix}",
        height=100,
        help="Comes before the ending; {x} is the place of the text.",
        persist_state="session",
    )
    st.text_input(
        "Ending",
        value=ENDING,
        key=f"task_ending_{suffix}",
        help="The model continues from here with the label word.",
        persist_state="session",
    )
    st.text_area(
        "Label words, one on each line: word = label, label",
        value="\n".join(word.line for word in words),
        key=f"task_words_{suffix}",
        height=130,
        help="The word is written in the prompt; the labels are the pool's answers that it "
        "represents. One with a comma, an equals sign or a quotation mark goes into double quotes.",
        persist_state="session",
    )
    st.checkbox(
        "An exemplar ends in a full stop",
        key=f"task_stop_{suffix}",
        persist_state="session",
        wrap=True,
    )


def typed_task(pool: str) -> Task:
    """The task in the fields.

    Raises:
        InvalidInput: It is not complete, or would lose something.
    """
    suffix, typed = key_suffix(pool), st.session_state
    lines = typed[f"task_words_{suffix}"].splitlines()
    return tasks.own_task(
        typed[f"task_name_{suffix}"],
        typed[f"task_question_{suffix}"],
        [LabelWord.read(line) for line in lines if line.strip()],
        ending=typed[f"task_ending_{suffix}"],
        full_stop=typed[f"task_stop_{suffix}"],
    )
