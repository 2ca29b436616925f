"""Import: which column of the file means what, starting from the guess."""

from dataclasses import replace
from typing import Any, Protocol

import streamlit as st

from core.curation import WHOLE, ImportPreview, Mapping, Undecided
from core.demonstration.demonstration import Kind
from core.demonstration.fields import PLAIN
from pages.common.frame.look import side_by_side
from pages.common.frame.text import plain

BOX = 240
"""Pixels that a choice of columns needs: three in a row at 1280, two at 800."""
NONE = "(none)"
OTHERS = [field for field in PLAIN if field.name != "tags"]


class _ChooseMany(Protocol):
    """Draws the choice of several columns, and returns them."""

    def __call__(self, place: Any, label: str, name: str, help: str) -> tuple[str, ...]: ...


def choose_mapping(found: ImportPreview, suffix: str) -> Mapping | None:
    """The columns as chosen, starting from the guess; None until query and answer are named.

    Where several columns fit, they come first in the list to choose from.
    """
    table, guess = found.table, found.mapping or _decided(found.undecided)
    likely = found.undecided.likely if found.undecided else {}
    st.markdown("**Which column is what**")
    if found.undecided:
        st.warning(plain(found.undecided.question), icon=":material/help:")

    def in_order(name: str) -> list[str]:
        return list(dict.fromkeys([*likely.get(name, ()), *table.columns]))

    def one(place: Any, label: str, name: str, help: str) -> str | None:
        options = [NONE, *in_order(name)]
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
        chosen = place.multiselect(
            label,
            in_order(name),
            list(guess.columns_of(name)),
            key=f"import_{name}_{suffix}",
            help=help,
            persist_state="session",
        )
        return tuple(chosen)

    first = iter(side_by_side(4, BOX))
    query = many(
        next(first),
        "Query",
        "query",
        "The text to answer; the texts of several columns are joined in the order in which you "
        "choose them, a line each.",
    )
    with next(first):
        answer = many(
            st,
            "Correct answers",
            "answer",
            "One or several columns; where some candidates are right, what says which.",
        )
        joined = len(answer) > 1 and st.checkbox(
            "Join them into one answer",
            value=guess.joined,
            key=f"import_joined_{suffix}",
            persist_state="session",
            help="In the order in which you chose them, a line each. Otherwise each column has an "
            "answer of its own.",
        )
    incorrect = many(
        next(first),
        "Incorrect answers",
        "incorrect",
        "Each makes a triple with each correct answer, for DPO.",
    )
    chosen = {"tags": many(next(first), "Tags", "tags", "Such as a category.")}
    options, first_number, right = _choose_candidates(guess, many, suffix)
    with st.expander("More columns"):
        places = iter(side_by_side(5 + len(OTHERS), BOX))
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
            "Texts in a cell separated by",
            value=guess.split or "",
            key=f"import_split_{suffix}",
            persist_state="session",
            help="TruthfulQA separates its answers with semicolons; \\\\n stands for the end of a "
            "line. Left empty, a cell is one text, or a list of texts that is written out.",
        )
        split_in = many(
            next(places),
            "Only in the columns",
            "split_in",
            "Where cells are separated; without any, those of all answers and tags are.",
        )
        whole = st.checkbox(
            "Keep each cell whole",
            key=f"import_whole_{suffix}",
            persist_state="session",
            help="For answers that look like lists, such as the results of programs.",
        )
    if not query or not answer:
        return None
    plain_fields = tuple((each.name, chosen[each.name]) for each in PLAIN if chosen.get(each.name))
    mapping = Mapping(
        query=query,
        answer=answer,
        incorrect=incorrect,
        plain=plain_fields,
        best=best,
        status=status,
    )
    separated = not whole and bool(split.strip())
    return replace(
        mapping,
        split=WHOLE if whole else split.strip() or None,
        split_in=split_in if separated else (),
        joined=joined and not options,
        incorrect_kinds=kinds,
        options=options,
        first=first_number if options else None,
        right=(right.strip() or None) if options else None,
    )


def _decided(undecided: Undecided | None) -> Mapping:
    """What is known of the columns where query or answer are not."""
    found = undecided.found if undecided else {}
    return Mapping(
        query=found.get("query", ()),
        answer=found.get("answer", ()),
        incorrect=found.get("incorrect", ()),
        plain=tuple((field.name, found[field.name]) for field in PLAIN if found.get(field.name)),
    )


def _choose_candidates(
    guess: Mapping, many: _ChooseMany, suffix: str
) -> tuple[tuple[str, ...], int | None, str]:
    """The columns of candidates, from where positions count, and the value that means right."""
    places = side_by_side(3, BOX)
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
