"""What a comparison shows: the picture, a metric and a reference to choose, the stories."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.metrics.registry import METRICS
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.html.reports import comparison_report, finished_at
from core.reporting.results.story import SumsOfRow
from core.reporting.tables.runs import KINDS_TITLE, kinds_table, method_table
from core.reporting.words.comparison_findings import offered_metrics
from core.reporting.words.provenance import comparison_what, provenance
from core.reporting.words.reading import read_comparison
from pages.common.frame.look import side_by_side
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.runs.choosing import draw_choosing
from pages.common.runs.models import draw_orders
from pages.common.runs.pairs import draw_pairs
from pages.common.runs.pictures import draw_consistent, draw_models_swept, draw_sweeps
from pages.common.runs.run import offer_report, show_figure, show_finding, show_grounds
from pages.common.runs.setting import offer_setting
from pages.common.runs.story import draw_story, stories_of
from pages.common.state.readers import one_of
from pages.common.state.state import keeper, remember, remembered


def draw(comparison: Comparison) -> None:
    """The picture on the chosen metric, of a whole run or of its examples so far."""
    for each, key in models_of(comparison):
        draw_one(each, key)
    draw_models_swept(comparison, choose=False)
    draw_orders(comparison, chosen_metric(comparison))


def chosen_metric(comparison: Comparison) -> str | None:
    """The metric that was chosen, None where none was or the comparison does not offer it."""
    chosen = remembered("compare", "metric", None, one_of(*METRICS))
    return chosen if chosen in offered_metrics(comparison) else None


def models_of(comparison: Comparison) -> Iterator[tuple[Comparison, str]]:
    """Each model's comparison under its name, with what ends the keys of its widgets."""
    models = zip(comparison.models, comparison.model_names, strict=True)
    for place, (each, name) in enumerate(models):
        if comparison.earlier:
            st.subheader(plain(f"Model {Path(name).name or name}"))
        yield each, f"_{place}" if place else ""


def draw_one(
    comparison: Comparison,
    key: str,
    points: Callable[[str], SumsOfRow | None] | None = None,
    frame: Frame | None = None,
) -> None:
    """The picture of one model's comparison.

    Args:
        comparison: Whole or so far.
        key: Ends the keys of its charts.
        points: The queries of a row against the reference, of a whole run.
        frame: The page's, of a whole run.
    """
    metric = chosen_metric(comparison) or comparison.metric
    reading = read_comparison(comparison, metric)
    show_finding(reading)
    if frame is not None:
        offer_setting(frame, comparison, metric, key)
    what = comparison_what(comparison)
    traced = provenance(comparison, what, metric)
    left, right = side_by_side(2)
    with left:
        show_figure(method_dots(comparison, metric), f"compare_dots{key}_chart", traced)
    with right:
        differences = method_differences(comparison, metric)
        show_figure(differences, f"compare_differences{key}_chart", traced)
    show_grounds(reading)
    st.html(method_table(comparison))
    if by_kind := kinds_table(comparison):
        st.markdown(f"**{KINDS_TITLE}**")
        st.html(by_kind)
    st.caption(plain(provenance(comparison, what)))
    draw_consistent(comparison, key, choose=points is not None)
    draw_sweeps(comparison, key, choose=points is not None)
    draw_pairs(comparison, metric, points, key)


def choose_metric(found: Comparison) -> None:
    """The leading metric, until another one is chosen; which one leads depends on the pool."""
    key, lead = "compare_metric", found.metric
    chosen = chosen_metric(found) or lead
    st.session_state[key] = chosen
    metric = st.selectbox(
        "Metric",
        offered_metrics(found),
        format_func=lambda name: METRICS[name].axis,
        key=key,
        on_change=keeper(key, "compare", "metric"),
        help="What the two charts show; the table below them shows every metric. "
        "The default depends on the examples: DPO per triple where enough of them have "
        "incorrect answers.",
    )
    remember("compare", "metric", None if metric == lead else metric)


def draw_results(frame: Frame, found: Comparison) -> None:
    """A finished comparison: metric and reference to choose, the picture, the stories."""
    for each, key in models_of(found):
        draw_result(frame, each, key, last=each is found)
    draw_models_swept(found, choose=True)
    draw_orders(found, chosen_metric(found))


def draw_result(frame: Frame, found: Comparison, key: str, *, last: bool) -> None:
    """The same of one model; `key` ends the keys of its widgets.

    The `last` one knows the others, so it has the report, and when all of them were done.
    """
    stories = stories_of(frame, found)
    metric_place, reference_place, report, when = st.columns(
        [3, 3, 2, 2], vertical_alignment="bottom"
    )
    if not key:  # one metric for all models
        with metric_place:
            choose_metric(found)
    reference = reference_place.selectbox(
        "Reference",
        list(found.methods),
        key=f"compare_reference{key}",
        persist_state="session",
        help="Differences are taken from this row, example by example.",
    )
    comparison = replace(stories.against(reference), edits=found.edits)  # they are of the run alone
    if last:
        with report:
            offer_report(lambda: comparison_report(comparison), "comparison", found.settings.pool)
        when.caption(f"Finished {finished_at(found)}")
    draw_one(comparison, key, lambda row: stories.sums(row, reference), frame)
    draw_choosing(frame, found, key)
    st.subheader("Each example's own story")
    draw_story(stories, key)
