"""Import: which column of the file means what, starting from the guess."""

from dataclasses import replace
from typing import Any

import streamlit as st

from core.curation import WHOLE, Mapping, Table
from core.curation.mapping import plain_columns
from core.demonstration.demonstration import Kind
from core.demonstration.fields import PLAIN

NONE = "(none)"
OTHERS = [field for field in PLAIN if field.name != "tags"]


def choose_mapping(table: Table, guessed: Mapping | None, suffix: str) -> Mapping | None:
    """The columns as chosen, starting from the guess; None until query and answer are named."""
    columns = table.columns
    guess = guessed or Mapping((), ())
    st.markdown("**Which column is what**")

    def one(place: Any, label: str, name: str, help: str) -> str | None:
        options = [NONE, *columns]
        start = next(iter(guess.columns_of(name)), NONE)
        chosen = place.selectbox(
            label,
            options,
            options.index(start),
            key=f"import_{name}_{suffix}",
            help=help,
            persist_state="session",
        )
        return None if chosen == NONE else str(chosen)

    def many(place: Any, label: str, name: str, help: str) -> tuple[str, ...]:
        start = list(guess.columns_of(name))
        key = f"import_{name}_{suffix}"
        chosen = place.multiselect(
            label, columns, start, key=key, help=help, persist_state="session"
        )
        return tuple(chosen)

    first = st.columns(4)
    query = many(
        first[0], "Query", "query", "The text to answer; the texts of several columns are joined."
    )
    answer = many(first[1], "Correct answers", "answer", "One or several columns.")
    incorrect = many(
        first[2],
        "Incorrect answers",
        "incorrect",
        "Each makes a triple with each correct answer, for DPO.",
    )
    chosen = {"tags": many(first[3], "Tags", "tags", "Such as a category.")}
    with st.expander("More columns"):
        second = st.columns(3 + len(OTHERS))
        best = one(
            second[0], "Best answer", "best", "Contains the best answer, or true on its row."
        )
        status = one(
            second[1], "Status", "status", "included, excluded, pinned, or an annotator's verdict."
        )
        for place, field in zip(second[2:-1], OTHERS, strict=True):
            label = field.label.capitalize()
            if field.kind is Kind.TEXTS:
                chosen[field.name] = many(place, label, field.name, "Free texts.")
            elif column := one(place, label, field.name, "Free text."):
                chosen[field.name] = (column,)
        kinds = many(
            second[-1],
            "Kinds of incorrect answers",
            "incorrect_kinds",
            "What each of the row's incorrect answers gets wrong: as many kinds as answers.",
        )
        third = st.columns(4, vertical_alignment="bottom")
        options = many(
            third[0],
            "Options of a quiz",
            "options",
            "One column of lists, or a column for each option: the correct answer is then the "
            "letter, the position or the text of one, and the others are incorrect answers.",
        )
        first_number = third[1].selectbox(
            "Positions count from",
            [None, 0, 1],
            format_func=lambda number: "as the file shows" if number is None else str(number),
            key=f"import_first_{suffix}",
            disabled=not options,
            persist_state="session",
            help="Of a quiz whose correct answers are numbers.",
        )
        split = third[2].text_input(
            "Answers in one cell are separated by",
            value=guess.split or "",
            key=f"import_split_{suffix}",
            persist_state="session",
            help="TruthfulQA separates them with semicolons. Left empty, a cell is one answer, or "
            "a list of answers that is written out.",
        )
        whole = third[3].checkbox(
            "Keep each cell whole",
            wrap=True,
            key=f"import_whole_{suffix}",
            persist_state="session",
            help="For answers that look like lists, such as the results of programs.",
        )
    if not query or not answer:
        return None
    mapping = Mapping(query, answer, incorrect, plain_columns(chosen), best, status)
    return replace(
        mapping,
        split=WHOLE if whole else split.strip() or None,
        incorrect_kinds=kinds,
        options=options,
        first=first_number if options else None,
    )
