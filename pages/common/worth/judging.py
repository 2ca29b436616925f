"""Worth on Review: a run that judges each demonstration by the contexts that it is in."""

from dataclasses import replace
from typing import Any

import streamlit as st

from core.evaluation.runs.running import RunOptions
from core.reporting.html.reports import finished_at
from core.reporting.tables.worth import worth_counts, worth_origin
from core.retrieval.choosing import METHODS
from core.studio.runs import worth
from core.studio.runs.worth import WorthRequest
from pages.common.frame.page import Frame, show_caution, shown_errors
from pages.common.frame.text import plain
from pages.common.runs.earlier import RESULT, choose_result, opened_run
from pages.common.runs.progress import running, show_end
from pages.common.runs.run import (
    SCORED,
    can_run,
    choose_examples,
    cost_of_scoring,
    start_row,
    watch_scoring,
    which_contexts,
)
from pages.common.state.address import Link
from pages.common.state.knobs import kept_knobs
from pages.common.worth.figures import list_figures


def show_worth(frame: Frame) -> Link:
    """Draw it; returns what of it belongs into the link."""
    show_caution(frame)
    st.caption(
        "What a demonstration is worth: the metric over the evaluation examples whose context has "
        "it, less the same with the contexts that are chosen when it is excluded. Below 0 it harms."
    )
    limit_place, more_place = st.columns([3, 1], vertical_alignment="bottom")
    with more_place.popover("More", width="stretch"):
        chosen = choose_examples(frame, "review", limit_place)
    knobs = replace(
        kept_knobs(),
        seed=chosen.seed,
        bias_scale=chosen.bias_scale,
        one_per_query=chosen.one_per_query,
    )
    options = RunOptions(
        limit=chosen.limit,
        seed=chosen.seed,
        examples_from=chosen.examples,
        leave_out_leaks=chosen.leave_out_leaks,
    )
    with shown_errors():
        request = WorthRequest(setup=frame.setup, knobs=knobs, options=options)
        chooses = METHODS[knobs.method].chooses
        if not chooses:
            st.info(f"{which_contexts(knobs)}: choose another method there, and judge then.")
        job = start_row(
            frame,
            worth.RUNS,
            request if chooses and can_run(frame) else None,
            verb="Judge",
            cost=lambda: cost_of_scoring(
                frame, request, worth.cost(frame.studio, request), f". {which_contexts(knobs)}"
            ),
        )
        if job is not None and running(job):
            watch_scoring(job, _draw_so_far)
        else:
            show_end(job, SCORED)
            _show_latest(frame)
    return {**chosen.link(), RESULT: opened_run(frame, worth.RUNS)}


def _draw_so_far(found: Any) -> None:
    st.markdown(plain(worth_counts(found)))


def _show_latest(frame: Frame) -> None:
    found = choose_result(frame, worth.RUNS)
    if found is None:
        st.write(
            "Nothing is judged in this pool yet. Judging asks the model about each example's "
            "answers under its context, and under that context without each of its demonstrations."
        )
        return
    st.markdown(plain(worth_counts(found)))
    list_figures(frame, found)
    st.caption(plain(f"{worth_origin(found)}; finished {finished_at(found)}"))
