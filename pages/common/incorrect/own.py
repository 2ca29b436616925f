"""The language model's own wrong answers: asked for, counted, and gone through one by one."""

import pandas as pd
import streamlit as st

from core.background import JobSnapshot
from core.curation.suggestion import Suggestion, SuggestionOutcome
from core.evaluation.runs.running import RunOptions
from core.reporting.words.provenance import edits_sentence
from core.studio.pools.suggestions import undecided
from core.studio.runs import mistakes
from core.studio.runs.mistakes import Mistakes, MistakesRequest
from core.text import listed
from pages.common.frame.page import Frame, show_caution, shown_errors
from pages.common.frame.text import plain
from pages.common.incorrect.one_by_one import offer_one_by_one
from pages.common.runs.limit import choose_limit
from pages.common.runs.progress import running, show_end, watch
from pages.common.runs.run import can_run, start_row, which_contexts
from pages.common.state.address import Link
from pages.common.state.knobs import kept_knobs

WRITTEN = "what was written"
"""What is kept of a run that is stopped."""
ROWS = 1_000
"""So many are listed, the likeliest."""
HEIGHT = 420
PAGE = "suggest"
_OF_ANSWERS = [each for each in SuggestionOutcome if each is not SuggestionOutcome.NO_ANSWER]
_WORDS = {
    SuggestionOutcome.CORRECT: "{} say what a correct answer says",
    SuggestionOutcome.KNOWN: "{} are incorrect answers already",
    SuggestionOutcome.REFUSED: "{} were refused before",
    SuggestionOutcome.UNFINISHED: "{} are empty or cut off",
}


def show_own(frame: Frame) -> Link:
    """Draw the run and its list; returns what of it belongs into the link."""
    st.caption(
        "What the model answers wrongly by itself, alone and after a context, is what it most "
        "likely prefers to a correct answer. It may be right in other words: accept it one by one."
    )
    show_caution(frame, "own")
    limit = choose_limit(
        frame,
        PAGE,
        "Queries",
        st,
        help="A random sample of that size, whether they have incorrect answers or not.",
    )
    knobs = kept_knobs()
    options = RunOptions(limit=limit, seed=knobs.seed)
    request = MistakesRequest(setup=frame.setup, knobs=knobs, options=options)
    with shown_errors():
        job = start_row(
            frame,
            mistakes.RUNS,
            request if can_run(frame) else None,
            verb="Ask",
            cost=lambda: (
                f"At most {mistakes.texts_at_most(frame.studio, request):,} answers for the model "
                f"to write; what it wrote before costs nothing. {which_contexts(knobs)}."
            ),
            kept=WRITTEN,
            unit="queries",
        )
        if job is not None and running(job):
            watch(job, WRITTEN, "queries", _draw_so_far)
        else:
            show_end(job, WRITTEN)
            found = mistakes.RUNS.latest(frame.studio, frame.setup.pool)
            if found is not None:
                edits = mistakes.RUNS.edits(frame.studio, frame.setup.pool)
                _show(frame, found, edits_sentence(edits, "ask again"))
    return {"limit": limit}


def _draw_so_far(now: JobSnapshot) -> None:
    if isinstance(now.partial, Mistakes):
        _draw_counts(now.partial)


def _draw_counts(found: Mistakes, edits: str = "") -> None:
    st.markdown(plain(f"{edits} {in_words(found)}".strip()))


def in_words(found: Mistakes) -> str:
    """How many queries were asked, and what the answers are."""
    counts = {each: count for each, count in found.outcomes.items() if each in _OF_ANSWERS}
    none = found.outcomes.get(SuggestionOutcome.NO_ANSWER, 0)
    others = [words.format(f"{counts[each]:,}") for each, words in _WORDS.items() if each in counts]
    passed = f"; {len(found.skipped):,} were passed over" if found.skipped else ""
    passed += f"; to {none:,} it gave no answer" if none else ""
    return (
        f"{found.model} gave {sum(counts.values()):,} distinct answers to {found.asked:,} of "
        f"{found.total:,} queries{passed}: "
        f"{listed([f'{counts.get(SuggestionOutcome.SUGGESTED, 0):,} may be wrong', *others])}."
    )


def _show(frame: Frame, found: Mistakes, edits: str) -> None:
    _draw_counts(found, edits)
    left = undecided(frame.studio, found.suggestions)
    decided = len(found.suggestions) - len(left)
    if decided:
        st.caption(f"{decided:,} of those that may be wrong are decided.")
    if left:
        if len(left) > ROWS:
            st.caption(f"The {ROWS:,} likeliest of {len(left):,} are listed.")
        _list(left[:ROWS])
        offer_one_by_one(frame, "The model's own answers", left)


def _list(rows: list[Suggestion]) -> None:
    column = st.column_config
    st.dataframe(
        pd.DataFrame(
            {
                "query": [each.query for each in rows],
                "correct": [each.answer for each in rows],
                "text": [each.text for each in rows],
                "shown": [each.shown for each in rows],
                "log_prob": [each.log_prob for each in rows],
            }
        ),
        key="suggest_own",
        hide_index=True,
        height=min(HEIGHT, 36 * (len(rows) + 1) + 2),
        placeholder="-",
        column_config={
            "query": column.TextColumn("query", width=220),
            "correct": column.TextColumn("correct answer", width=190),
            "text": column.TextColumn("the model's answer", width=220),
            "shown": column.NumberColumn(
                "after", width=55, help="How many demonstrations it was shown."
            ),
            "log_prob": column.NumberColumn(
                "nats per token",
                width=95,
                format="%.2f",
                help="How likely the answer is to the model; 0 is certain.",
            ),
        },
    )
