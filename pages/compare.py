"""Compare: which method serves this pool and this language model best?"""

from typing import Any

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.metrics.registry import METRICS
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.html.reports import comparison_report, finished_at
from core.reporting.tables.runs import KINDS_TITLE, kinds_table, method_table
from core.reporting.words.provenance import comparison_what, provenance
from core.reporting.words.reading import read_comparison
from core.retrieval.knobs import Knobs
from core.retrieval.registry import METHODS
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from pages.common.frame.look import beside
from pages.common.frame.page import Frame, open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_run
from pages.common.frame.sidebar import template_link
from pages.common.frame.text import plain
from pages.common.runs.run import (
    choose_examples,
    offer_report,
    running,
    show_end,
    show_figure,
    show_finding,
    show_grounds,
    start_row,
    watch,
)
from pages.common.runs.story import draw_story, stories_of
from pages.common.state.knobs import choose_k, choose_lambda, kept_key, link_of
from pages.common.state.state import keeper, one_of, remember, remembered, write_link

SHOWN = list(METRICS)


def read_request(frame: Frame) -> CompareRequest:
    """Methods and knobs; writes them into the address."""
    key = kept_key("compare", "methods", list(METHODS), read_methods)
    methods = st.multiselect(
        "Methods",
        list(METHODS),
        key=key,
        help="  \n".join(f"{plain(m.name)}: {plain(m.explanation)}" for m in METHODS.values()),
    )
    remember("methods", methods)
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
    named = None if methods == list(METHODS) else ",".join(methods)
    knobs = Knobs(
        k=k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        seed=chosen.seed,
        bias_scale=chosen.bias_scale,
        one_per_query=chosen.one_per_query,
    )
    write_link(
        pool=frame.setup.pool,
        **template_link(frame.setup),
        **link_of(knobs, "k", "lambda_d", "lambda_b", "seed", "bias_scale", "one_per_query"),
        methods=named,
        **chosen.link(),
    )
    return CompareRequest(
        frame.setup,
        tuple(methods),
        examples=chosen.examples,
        limit=chosen.limit,
        knobs=knobs,
        leave_out_leaks=chosen.leave_out_leaks,
    )


def read_methods(text: str) -> list[str]:
    """Methods from a link."""
    return [one_of(*METHODS)(name) for name in text.replace(" ", "+").split(",") if name]


def draw(comparison: Comparison) -> None:
    """The picture on the chosen metric, of a whole run or of its examples so far."""
    metric = remembered("metric", None, one_of(*SHOWN)) or comparison.metric
    reading = read_comparison(comparison, metric)
    show_finding(reading)
    traced = provenance(comparison, comparison_what(comparison), metric)
    left, right = beside("compare", 2)
    with left:
        show_figure(method_dots(comparison, metric), "compare_dots_chart", traced)
    with right:
        show_figure(method_differences(comparison, metric), "compare_differences_chart", traced)
    show_grounds(reading)
    st.html(method_table(comparison))
    if by_kind := kinds_table(comparison):
        st.markdown(f"**{KINDS_TITLE}**")
        st.html(by_kind)
    st.caption(plain(provenance(comparison, comparison_what(comparison))))


def choose_metric(place: Any, found: Comparison) -> None:
    """The metric that leads, until another one is chosen; what leads differs from pool to pool."""
    key, lead = "compare_metric", found.metric
    chosen = remembered("metric", None, one_of(*SHOWN)) or lead
    st.session_state[key] = chosen
    metric = place.selectbox(
        "Metric",
        SHOWN,
        format_func=lambda name: METRICS[name].axis,
        key=key,
        on_change=keeper(key, "metric"),
        help="What the two charts show; the table below them shows every metric. "
        "The one that leads follows the examples: DPO per triple where enough of them have "
        "incorrect answers.",
    )
    remember("metric", None if metric == lead else metric)


def draw_result(frame: Frame, found: Comparison) -> None:
    """A finished comparison: metric and reference to choose, the picture, the stories."""
    stories = stories_of(frame, found)
    metric_place, reference_place, report, when = st.columns(
        [3, 3, 2, 2], vertical_alignment="bottom"
    )
    choose_metric(metric_place, found)
    reference = reference_place.selectbox(
        "Reference",
        list(found.methods),
        key="compare_reference",
        persist_state="session",
        help="Differences are taken from this method, example by example.",
    )
    comparison = stories.against(reference)
    with report:
        offer_report(lambda: comparison_report(comparison), "comparison", found.settings.pool)
    when.caption(f"Finished {finished_at(found)}")
    draw(comparison)
    st.subheader("Each example's own story")
    draw_story(stories)


frame = open_page("Compare", "Which method serves this pool and this language model best?")
show_caution(frame)
with shown_errors():
    request = read_request(frame)
    job = compare.RUNS.job(frame.studio, frame.setup.pool)
    if not request.methods:
        st.info("Choose at least one method.")
    busy = running(job) or not request.methods
    start_row(frame, compare, request, verb="Compare", busy=busy)
    if job is not None and running(job):
        watch(job, draw)
    else:
        show_end(job)
        found = compare.RUNS.latest(frame.studio, frame.setup.pool)
        if found is not None:
            draw_result(frame, found)
        else:
            st.write(
                "No comparison on this pool yet. The button asks the model about each example's "
                "answers under every method's context, and shows the metrics with their "
                "intervals, which method leads, and each example's own story."
            )
mark_run()
