"""Compare: which setting of which method serves this pool and this language model best?"""

import streamlit as st

from core.background import Job
from core.errors import InvalidInput
from core.metrics.registry import METRICS
from core.retrieval.knobs import Knobs
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from pages.common.frame.page import Frame, open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_end
from pages.common.frame.sidebar import template_link
from pages.common.frame.text import plain
from pages.common.runs.comparison import ANCHOR, VIEWS, draw, draw_results
from pages.common.runs.earlier import choose_result, opened_run
from pages.common.runs.generating import choose_generate, link_of_generate
from pages.common.runs.progress import running, show_end
from pages.common.runs.rows import choose_rows
from pages.common.runs.run import (
    SCORED,
    can_run,
    choose_examples,
    cost_of_scoring,
    start_row,
    watch_scoring,
)
from pages.common.state.address import write_link
from pages.common.state.knobs import choose_k, choose_lambda, link_of
from pages.common.state.readers import one_of
from pages.common.state.rows import link_of_rows
from pages.common.state.state import remembered
from pages.common.state.views import view_link


def read_request(frame: Frame) -> CompareRequest:
    """The rows, the knobs that they share and the examples; writes them into the address."""
    st.subheader("Settings to compare", anchor=ANCHOR)
    rows_place = st.container()
    st.caption("Every row has these knobs, unless it has its own.")
    limit_place, k_place, d_place, b_place, more_place = st.columns(
        [2, 1, 3, 3, 1], vertical_alignment="bottom"
    )
    with k_place:
        k = choose_k("compare")
    with d_place:
        lambda_d = choose_lambda("compare", "lambda_d")
    with b_place:
        lambda_b = choose_lambda("compare", "lambda_b")
    with more_place.popover("More", width="stretch"):
        chosen = choose_examples(frame, "compare", limit_place)
        generate = choose_generate()
    shared = Knobs(
        k=k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        seed=chosen.seed,
        bias_scale=chosen.bias_scale,
        one_per_query=chosen.one_per_query,
    )
    view = frame.readiness.view
    has_task = view is not None and view.task is not None
    with rows_place:
        states, rows = choose_rows(shared, frame.setup.model_name, has_task=has_task)
    write_link(
        pool=frame.setup.pool,
        **template_link(frame.setup),
        **link_of(shared, "k", "lambda_d", "lambda_b", "seed", "bias_scale", "one_per_query"),
        rows=link_of_rows(states, shared),
        **chosen.link(),
        result=opened_run(frame, compare.RUNS),
        generate=link_of_generate(generate),
        metric=remembered("compare", "metric", None, one_of(*METRICS)),
        **view_link("compare", VIEWS),
    )
    return CompareRequest(
        setup=frame.setup,
        rows=rows,
        examples=chosen.examples,
        limit=chosen.limit,
        seed=chosen.seed,
        leave_out_leaks=chosen.leave_out_leaks,
        generate=generate,
    )


def refusal(frame: Frame, request: CompareRequest) -> str:
    """Why the rows cannot be compared, as a sentence; empty where they can."""
    try:
        compare.check(frame.readiness.view, request.rows)
    except InvalidInput as error:
        return str(error)
    return ""


def start(frame: Frame, request: CompareRequest) -> Job | None:
    """The button with its cost, or why nothing can be compared."""
    if refused := refusal(frame, request):
        st.info(plain(refused))
    return start_row(
        frame,
        compare.RUNS,
        request if can_run(frame) and not refused else None,
        verb="Compare",
        cost=lambda: cost_of_scoring(frame, request, compare.cost(frame.studio, request)),
    )


def show_result(frame: Frame, job: Job | None) -> None:
    """The run so far, else the result that is chosen, else what the button does."""
    if job is not None and running(job):
        watch_scoring(job, draw)
        return
    show_end(job, SCORED)
    found = choose_result(frame, compare.RUNS)
    if found is not None:
        draw_results(frame, found)
    else:
        st.write(
            "No comparison on this pool yet. The button asks the model about each example's "
            "answers under every row's context, and shows the metrics with their intervals, "
            "which row leads, and each example's own story."
        )


frame = open_page("Compare", "Which setting serves this pool and this language model best?")
show_caution(frame)
start_place, result_place, rows_place = st.container(), st.container(), st.container()
with shown_errors():
    with rows_place:
        request = read_request(frame)
    with start_place:
        job = start(frame, request)
    with result_place:
        show_result(frame, job)
mark_end()
