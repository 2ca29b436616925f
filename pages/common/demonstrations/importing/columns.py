"""Import: which column of the file means what, starting from the guess."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import streamlit as st

from core.curation import WHOLE, FileTable, Mapping
from core.demonstration.demonstration import Kind
from core.demonstration.fields import PLAIN

NONE = "(none)"
OTHERS = [field for field in PLAIN if field.name != "tags"]


class _ChooseMany(Protocol):
    """Draws the choice of several columns, and returns them."""

    def __call__(self, place: Any, label: str, name: str, help: str) -> tuple[str, ...]: ...


def choose_mapping(table: FileTable, guessed: Mapping | None, suffix: str) -> Mapping | None:
    """The columns as chosen, starting from the guess; None until query and answer are named."""
    columns = table.columns
    guess = guessed or Mapping(query=(), answer=())
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
    answer = many(
        first[1],
        "Correct answers",
        "answer",
        "One or several columns; where some candidates are right, what says which.",
    )
    incorrect = many(
        first[2],
        "Incorrect answers",
        "incorrect",
        "Each makes a triple with each correct answer, for DPO.",
    )
    chosen = {"tags": many(first[3], "Tags", "tags", "Such as a category.")}
    options, first_number, right = _choose_candidates(guess, many, suffix)
    with st.expander("More columns"):
        places = _grid(4 + len(OTHERS))
        best = one(
            next(places), "Best answer", "best", "Contains the best answer, or true on its row."
        )
        status = one(
            next(places), "Status", "status", "included, excluded, pinned, or a verdict's word."
        )
        for field in OTHERS:
            label = field.label.capitalize()
            if field.kind is Kind.TEXTS:
                chosen[field.name] = many(next(places), label, field.name, "Free texts.")
            elif column := one(next(places), label, field.name, "Free text."):
                chosen[field.name] = (column,)
        kinds = many(
            next(places),
            "Kinds of incorrect answers",
            "incorrect_kinds",
            "What each of the row's incorrect answers gets wrong: as many kinds as answers.",
        )
        split = next(places).text_input(
            "Answers in a cell separated by",
            value=guess.split or "",
            key=f"import_split_{suffix}",
            persist_state="session",
            help="TruthfulQA separates them with semicolons. Left empty, a cell is one answer, or "
            "a list of answers that is written out.",
        )
        whole = st.checkbox(
            "Keep each cell whole",
            key=f"import_whole_{suffix}",
            persist_state="session",
            help="For answers that look like lists, such as the results of programs.",
        )
    if not query or not answer:
        return None
    plain = tuple((each.name, chosen[each.name]) for each in PLAIN if chosen.get(each.name))
    mapping = Mapping(
        query=query, answer=answer, incorrect=incorrect, plain=plain, best=best, status=status
    )
    return replace(
        mapping,
        split=WHOLE if whole else split.strip() or None,
        incorrect_kinds=kinds,
        options=options,
        first=first_number if options else None,
        right=(right.strip() or None) if options else None,
    )


def _choose_candidates(
    guess: Mapping, many: _ChooseMany, suffix: str
) -> tuple[tuple[str, ...], int | None, str]:
    """The columns of candidates, from where positions count, and the value that means right."""
    places = st.columns([2, 1, 1])
    options = many(
        places[0],
        "Candidates, of which some are right",
        "options",
        "A column of lists, a column for each, or one in each row. What says which are right "
        "is then chosen as the correct answers: letters, positions or texts, or a flag or a "
        "number for each; the others are incorrect answers.",
    )
    first = places[1].selectbox(
        "Positions count from",
        [None, 0, 1],
        format_func=lambda number: "as the file shows" if number is None else str(number),
        key=f"import_first_{suffix}",
        disabled=not options,
        persist_state="session",
        help="Of candidates that are named by their number.",
    )
    right = places[2].text_input(
        "Right is",
        value=guess.right or "",
        placeholder="true, yes, 1, correct",
        key=f"import_right_{suffix}",
        disabled=not options,
        persist_state="session",
        help="What the value beside a candidate is where it is right: a word (several with | "
        "between), highest, lowest, >=4 or <=2. For keys that could be meant in several ways: "
        "label, text or letter.",
    )
    return options, first, right


def _grid(fields: int) -> Iterator[Any]:
    """Places for so many fields, four in a row."""
    for _ in range(0, fields, 4):
        yield from st.columns(4, vertical_alignment="bottom")
