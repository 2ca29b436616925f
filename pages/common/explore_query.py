"""Explore's query: an evaluation example of the pool, or one that is typed by hand."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.studio import Studio
from core.studio.explore import example_queries, find_example
from core.types import EvaluationExample
from pages.common.page import Frame
from pages.common.state import one_of, remember, remembered
from pages.common.text import plain

EXAMPLE, TYPED = "example", "typed"
SOURCES = {EXAMPLE: "Evaluation example", TYPED: "Typed by hand"}
LISTED = 5_000
"""So many queries are offered at once; in a larger pool they are searched for first."""


@dataclass(frozen=True)
class Asked:
    """A query with its answers; `leave_out` for an evaluation example of the pool."""

    query: str
    answers: tuple[str, ...]
    incorrect: tuple[str, ...]
    leave_out: bool
    incorrect_kinds: tuple[str, ...] = ()

    def link(self) -> dict[str, Any]:
        """The same for the address."""
        if self.leave_out:
            return {"query": self.query}
        return {
            "from": TYPED,
            "typed": self.query,
            "answers": "\n".join(self.answers),
            "incorrect": "\n".join(self.incorrect),
        }


@st.cache_resource(max_entries=2, show_spinner=False)
def _examples(_studio: Studio, name: str, id: int, version: int) -> list[EvaluationExample]:
    return example_queries(_studio, name)


def choose_query(frame: Frame) -> Asked | None:
    """Draw the choice of a query; None, and how to go on, while there is none."""
    row = st.container(key="explore_source")
    source_place, query_place = row.columns([1, 2], vertical_alignment="bottom")
    with source_place:
        source = st.segmented_control(
            "Query",
            list(SOURCES),
            format_func=SOURCES.__getitem__,
            default=remembered("from", EXAMPLE, one_of(*SOURCES)),
            required=True,
            key="explore_from",
            help="An evaluation example brings its correct and incorrect answers, and its own "
            "demonstrations are left out. A query typed by hand leaves nothing out.",
        )
    remember("from", source)
    with query_place:
        return _typed() if source == TYPED else _example(frame)


def _example(frame: Frame) -> Asked | None:
    pool = frame.studio.store.pools.get(frame.setup.pool)
    examples = _examples(frame.studio, pool.name, pool.id, pool.version)
    if not examples:
        st.info("The pool has no included demonstration. Import or include some first.")
        return None
    if len(examples) > LISTED:
        text = st.text_input("Search the queries", key="explore_search").casefold()
        examples = [each for each in examples if text in each.query.casefold()][:LISTED]
    if not examples:
        st.info("No query of the pool holds that text: search for another.")
        return None
    wanted = remembered("query", examples[0].query)
    found = find_example(examples, wanted)
    if found is None:
        st.toast(f"This pool has no query {plain(repr(wanted[:60]))}; its first one is shown.")
    queries = {each.query: each for each in examples}
    query = st.selectbox(
        "Evaluation example",
        list(queries),
        index=0 if found is None else examples.index(found),
        key=f"explore_query_{frame.setup.pool}",
        label_visibility="collapsed",
    )
    remember("query", query)
    chosen = queries[query]
    return Asked(query, chosen.answers, chosen.incorrect, True, chosen.incorrect_kinds)


def _typed() -> Asked | None:
    query = st.text_input(
        "Your query",
        remembered("typed", ""),
        key="explore_typed",
        placeholder="Type a query",
        label_visibility="collapsed",
    ).strip()
    correct_place, incorrect_place = st.columns(2)
    answers = _lines("answers", "Correct answers", correct_place)
    incorrect = _lines("incorrect", "Incorrect answers", incorrect_place)
    remember("typed", query)
    if not query:
        st.info("Type a query to see which demonstrations it retrieves.")
        return None
    return Asked(query, answers, incorrect, leave_out=False)


def _lines(name: str, label: str, place: Any) -> tuple[str, ...]:
    text = place.text_area(
        f"{label}, one a line",
        remembered(name, ""),
        key=f"explore_{name}",
        height=90,
        help="With a correct answer the page shows what the context does to the model; with "
        "incorrect ones as well, DPO.",
    )
    remember(name, text)
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
