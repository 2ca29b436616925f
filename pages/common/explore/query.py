"""Explore's query: an evaluation example of the pool, or one that is typed by hand."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.demonstration.demonstration import IncorrectAnswer
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import PoolView
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, example_of
from pages.common.explore.example_query import choose_example_query, show_why_chosen
from pages.common.frame.page import Frame
from pages.common.state.address import Link
from pages.common.state.readers import one_of
from pages.common.state.state import SHARED, keeper, remember, remembered

EXAMPLE, TYPED = "example", "typed"
SOURCES = {EXAMPLE: "Evaluation example", TYPED: "Typed by hand"}


@dataclass(frozen=True)
class ChosenQuery:
    """A query as it was chosen on a page, with its answers where the page asks for them.

    `leave_out` for an evaluation example of the pool.
    """

    query: str
    leave_out: bool
    answers: tuple[str, ...] = ()
    incorrect: tuple[IncorrectAnswer, ...] = ()

    def request(self, setup: Setup, knobs: Knobs) -> ExploreRequest:
        """The request to Explore about it."""
        return ExploreRequest(
            setup,
            self.query,
            knobs,
            leave_out=self.leave_out,
            answers=self.answers,
            incorrect=self.incorrect,
        )

    def link(self) -> Link:
        """The same for the address."""
        if self.leave_out:
            return {"query": self.query}
        return {
            "from": TYPED,
            "typed": self.query,
            "answers": "\n".join(self.answers),
            "incorrect": "\n".join(wrong.text for wrong in self.incorrect),
        }


def choose_query(frame: Frame, view: PoolView) -> ChosenQuery | None:
    """Draw the choice of a query; None, and how to go on, while there is none."""
    source_place, query_place = st.columns([1, 2], vertical_alignment="bottom")
    with source_place:
        source = st.segmented_control(
            "Query",
            list(SOURCES),
            format_func=SOURCES.__getitem__,
            default=remembered(SHARED, "from", EXAMPLE, one_of(*SOURCES)),
            required=True,
            key="explore_from",
            label_visibility="collapsed",  # the line below the knobs says what each leaves out
        )
    remember(SHARED, "from", source)
    if source == TYPED:
        return _typed(query_place)
    with query_place:
        chosen = _example(frame, view)
    if chosen is not None:
        show_why_chosen("explore", frame, view, chosen.query)
    return chosen


def _example(frame: Frame, view: PoolView) -> ChosenQuery | None:
    query = choose_example_query("explore", frame, view)
    if query is None:
        return None
    chosen = example_of(frame.studio, view, query)
    return ChosenQuery(query, True, chosen.answers, chosen.incorrect)


def _typed(query_place: Any) -> ChosenQuery | None:
    query = query_place.text_input(
        "Your query",
        remembered(SHARED, "typed", ""),
        key="explore_typed",
        on_change=keeper("explore_typed", SHARED, "typed"),
        placeholder="Type a query",
        label_visibility="collapsed",
    ).strip()
    correct_place, incorrect_place = st.columns(2)
    answers = _lines("answers", "Correct answers", correct_place)
    incorrect = _lines("incorrect", "Incorrect answers", incorrect_place)
    remember(SHARED, "typed", query)
    if not query:
        st.info("Type a query to see which demonstrations it retrieves.")
        return None
    return ChosenQuery(query, False, answers, tuple(map(IncorrectAnswer, incorrect)))


def _lines(name: str, label: str, place: Any) -> tuple[str, ...]:
    text = place.text_area(
        f"{label}, one per line",
        remembered("explore", name, ""),
        key=f"explore_{name}",
        on_change=keeper(f"explore_{name}", "explore", name),
        height=90,
        help="With a correct answer the page shows what the context does to the model; with "
        "incorrect ones as well, DPO.",
    )
    remember("explore", name, text)
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
