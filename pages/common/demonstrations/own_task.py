"""Places for a task of one's own; what was typed stays until it is the pool's."""

import streamlit as st

from core.language_model.task import ENDING, Task, read_label_word
from core.studio.pools import tasks
from core.studio.pools.tasks import Texts
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number


def turn_of(pool: str) -> str:
    """What the keys of the pool's places end with: another after each task that was chosen."""
    return f"{key_number(_places(pool))}_{pool}"


def begin_anew(pool: str) -> None:
    """Empty the pool's places: they begin with its present task again."""
    empty_widgets(_places(pool))


def _places(pool: str) -> str:
    return f"task {pool}"


def own_task_fields(texts: Texts) -> None:
    """Draw the places, which begin with the pool's present task and its labels."""
    turn = turn_of(texts.name)
    question, words = tasks.first_own_task(texts)
    st.text_input("Name", value=tasks.OWN, key=f"task_name_{turn}", persist_state="session")
    st.text_area(
        "Question",
        value=question,
        key=f"task_question_{turn}",
        height=100,
        help="Stands before the ending; {x} is the place of the text.",
        persist_state="session",
    )
    st.text_input(
        "Ending",
        value=ENDING,
        key=f"task_ending_{turn}",
        help="The model goes on from here with the label word.",
        persist_state="session",
    )
    st.text_area(
        "Label words, one on each line: word = label, label",
        value="\n".join(word.line for word in words),
        key=f"task_words_{turn}",
        height=130,
        help="The word stands in the prompt; the labels are the pool's answers that it stands for. "
        "One with a comma, an equals sign or a quotation mark goes into double quotes.",
        persist_state="session",
    )
    st.checkbox(
        "An exemplar ends in a full stop",
        key=f"task_stop_{turn}",
        persist_state="session",
        wrap=True,
    )


def typed_task(pool: str) -> Task:
    """The task that stands in the places.

    Raises:
        InvalidInput: It is not complete, or would lose something.
    """
    turn, typed = turn_of(pool), st.session_state
    lines = typed[f"task_words_{turn}"].splitlines()
    return tasks.own_task(
        typed[f"task_name_{turn}"],
        typed[f"task_question_{turn}"],
        [read_label_word(line) for line in lines if line.strip()],
        ending=typed[f"task_ending_{turn}"],
        full_stop=typed[f"task_stop_{turn}"],
    )
