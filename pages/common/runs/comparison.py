"""What a comparison shows: the picture, a metric and a reference to choose, the stories."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.metrics.registry import METRICS
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.html.reports import comparison_report, finished_at
from core.reporting.results.story import SumsOfRow
from core.reporting.tables.runs import (
    KINDS_TITLE,
    kinds_table,
    method_table,
    metrics_shown,
)
from core.reporting.words.comparison_findings import offered_metrics
from core.reporting.words.provenance import comparison_what, provenance
from core.reporting.words.reading import read_comparison
from pages.common.frame.look import draw_figure, side_by_side
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.runs.choosing import draw_choosing, has_choice
from pages.common.runs.models import draw_orders
from pages.common.runs.pairs import draw_pairs, has_pairs
from pages.common.runs.pictures import (
    draw_consistent,
    draw_models_swept,
    draw_sweeps,
    has_labels,
    has_sweeps,
)
from pages.common.runs.run import offer_report, show_finding, show_grounds
from pages.common.runs.setting import offer_setting
from pages.common.runs.story import draw_story, stories_of
from pages.common.state.readers import one_of
from pages.common.state.state import keeper, remember, remembered
from pages.common.state.views import choose_view

OVERVIEW, ALL_METRICS, QUERIES, KNOB = "overview", "metrics", "queries", "knob"
LABELS, CHOICE, STORIES, GROUNDS = "labels", "choice", "examples", "grounds"
VIEWS = {
    OVERVIEW: "Overview",
    ALL_METRICS: "All metrics",
    QUERIES: "Query by query",
    KNOB: "Effect of a knob",
    LABELS: "Labels",
    CHOICE: "Choice per query",
    STORIES: "Examples",
    GROUNDS: "Grounds",
}
"""The name of each in the link, and on the page."""
AT_FIRST = 5
"""How many metrics the overview has."""
LATER = ("dpo", "nf1")
"""Those that say much the same as another: they come with all metrics, or where one is chosen."""
ANCHOR = "settings-to-compare"
NO_LOGO = {"displaylogo": False}


def draw(comparison: Comparison) -> None:
    """The picture on the chosen metric, of a whole run or of its examples so far."""
    for each, key in models_of(comparison):
        show_finding(read_comparison(each, chosen_metric(each)))
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
    of_run: Mapping[str, Callable[[], None]] | None = None,
) -> None:
    """One view of one model's comparison; all models show the same one.

    Args:
        comparison: Whole or so far.
        key: Ends the keys of its charts.
        points: The queries of a row against the reference, of a whole run.
        of_run: The views that only a whole run has, and what draws them.
    """
    drawn = _views_of(comparison, key, points) | dict(of_run or {})
    offered = {name: label for name, label in VIEWS.items() if name in drawn}
    if key:
        view = str(st.session_state.get("compare_view"))
    else:
        view = choose_view("compare", offered, OVERVIEW)
    drawn.get(view, drawn[OVERVIEW])()


def _views_of(
    comparison: Comparison, key: str, points: Callable[[str], SumsOfRow | None] | None
) -> dict[str, Callable[[], None]]:
    """What draws each view that the comparison has something for, also while it goes on."""
    metric, whole = chosen_metric(comparison) or comparison.metric, points is not None
    views: dict[str, Callable[[], None]] = {
        OVERVIEW: lambda: _draw_overview(comparison, metric, key),
        ALL_METRICS: lambda: _draw_metrics(comparison),
        GROUNDS: lambda: show_grounds(read_comparison(comparison, metric)),
    }
    if has_pairs(comparison):
        views[QUERIES] = lambda: draw_pairs(comparison, metric, points, key)
    if has_sweeps(comparison):
        views[KNOB] = lambda: draw_sweeps(comparison, key, choose=whole)
    if has_labels(comparison):
        views[LABELS] = lambda: draw_consistent(comparison, key, choose=whole)
    return views


def _draw_overview(comparison: Comparison, metric: str, key: str) -> None:
    """Two charts of the chosen metric, and the rows by the metrics that matter most."""
    left, right = side_by_side(2)
    with left:
        dots = method_dots(comparison, metric)
        draw_figure(dots, f"compare_dots{key}_chart", config=NO_LOGO)
    with right:
        differences = method_differences(comparison, metric)
        draw_figure(differences, f"compare_differences{key}_chart", config=NO_LOGO)
    st.html(method_table(comparison, _first_metrics(comparison, metric)))
    st.caption(plain(provenance(comparison, comparison_what(comparison), metric)))


def _first_metrics(comparison: Comparison, chosen: str) -> list[str]:
    """The metric that leads and four others, the one that is chosen among them."""
    shown = [name for name in metrics_shown(comparison) if name not in LATER]
    *first, last = shown[:AT_FIRST] or [chosen]
    return [*first, last if chosen in (*first, last) else chosen]


def _draw_metrics(comparison: Comparison) -> None:
    """The rows by every metric, a table for what each is of."""
    shown = metrics_shown(comparison)
    for group in dict.fromkeys(METRICS[name].group for name in shown):
        st.markdown(f"**{group}**")
        of_group = [name for name in shown if METRICS[name].group is group]
        st.html(method_table(comparison, of_group))
    if by_kind := kinds_table(comparison):
        st.markdown(f"**{KINDS_TITLE}**")
        st.html(by_kind)
    st.caption(plain(provenance(comparison, comparison_what(comparison))))


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
        help="What the two charts show; every metric is under All metrics. "
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
    finding_place = st.container()
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
        when.caption(f"Finished {finished_at(found)}. [Change the settings](#{ANCHOR})")
    with finding_place:
        metric = chosen_metric(comparison) or comparison.metric
        show_finding(read_comparison(comparison, metric))
        offer_setting(frame, comparison, metric, key)
    of_run: dict[str, Callable[[], None]] = {STORIES: lambda: draw_story(stories, key)}
    if has_choice(frame, found):
        of_run[CHOICE] = lambda: draw_choosing(frame, found, key)
    draw_one(comparison, key, lambda row: stories.sums(row, reference), of_run)
