"""Pictures of a comparison over its labels, and over what its rows differ in."""

from collections.abc import Sequence

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.metrics.registry import METRICS
from core.reporting.figures.consistency import MOST_ROWS, consistent_queries, rows_to_show
from core.reporting.figures.sweeps import sweep_figure, swept_metric
from core.reporting.results.sweeps import Sweep, sweep_of_models, sweeps_of
from core.reporting.words.provenance import comparison_what, provenance
from pages.common.frame.text import plain
from pages.common.runs.run import show_figure


def has_labels(comparison: Comparison) -> bool:
    """Whether the pool has a task, and a row shows demonstrations with labels."""
    return comparison.labels is not None and bool(rows_to_show(comparison))


def has_sweeps(comparison: Comparison) -> bool:
    """Whether rows differ in one knob alone."""
    return any(sweep.metrics() for sweep in sweeps_of(comparison))


def draw_consistent(comparison: Comparison, key: str, *, choose: bool) -> None:
    """Queries and right answers by how many demonstrations have the query's label.

    Args:
        comparison: Whole or so far.
        key: Ends the keys of what is drawn.
        choose: Whether the rows can be chosen here; not while a run goes on.
    """
    usual = rows_to_show(comparison)
    st.markdown("**Do demonstrations with the query's own label bring right answers?**")
    rows = usual
    if choose and comparison.labels is not None:
        offered = list(comparison.labels.rows)
        rows = st.multiselect(
            "Rows",
            offered,
            default=usual,
            format_func=plain,
            max_selections=MOST_ROWS,
            # A run of other rows begins with its own best ones, not with what is left of the last.
            key=f"compare_labels{key} {' '.join(offered)}",
            persist_state="session",
            help="A panel for each: bars count the queries by how many demonstrations in their "
            "context have the query's label, points are the right answers among these queries.",
        )
    if rows:
        traced = provenance(comparison, comparison_what(comparison))
        show_figure(consistent_queries(comparison, rows), f"compare_labels{key}_chart", traced)


def draw_sweeps(comparison: Comparison, key: str, *, choose: bool) -> None:
    """A metric over the knob in which rows differ, as `draw_consistent`."""
    sweeps = {sweep.knob: sweep for sweep in sweeps_of(comparison) if sweep.metrics()}
    st.markdown("**What is the effect of the knob that differs between rows?**")
    metric_place, knob_place = st.columns(2)
    knob = next(iter(sweeps))
    if choose and len(sweeps) > 1:
        knob = knob_place.selectbox(
            "Knob",
            list(sweeps),
            format_func=lambda name: name.replace("_", " "),
            key=f"compare_sweep_knob{key}",
            persist_state="session",
            help="Rows that are the same but for this knob are joined by a line.",
        )
    with metric_place:
        metric = _metric(comparison, sweeps[knob], f"compare_sweep_metric{key}", choose)
    _draw(comparison, sweeps[knob], metric, f"compare_sweep{key}_chart")


def draw_models_swept(comparison: Comparison, *, choose: bool) -> None:
    """Shares over the models, for the rows that models have in common; nothing for one model."""
    sweep = sweep_of_models(comparison)
    if sweep is None or not sweep.metrics():
        return
    st.markdown("**What is the effect of the model?**")
    metric = _metric(comparison, sweep, "compare_sweep_models_metric", choose)
    _draw(comparison, sweep, metric, "compare_sweep_models_chart", comparison.models)


def _metric(comparison: Comparison, sweep: Sweep, key: str, choose: bool) -> str | None:
    usual, offered = swept_metric(sweep, comparison), sweep.metrics()
    if not choose or usual is None:
        return usual
    return st.selectbox(
        "Metric of this picture",
        offered,
        index=offered.index(usual),
        format_func=lambda name: METRICS[name].axis,
        key=key,
        persist_state="session",
    )


def _draw(
    comparison: Comparison,
    sweep: Sweep,
    metric: str | None,
    key: str,
    models: Sequence[Comparison] = (),
) -> None:
    if metric is not None:
        traced = provenance(comparison, comparison_what(comparison), metric, models)
        show_figure(sweep_figure(sweep, metric), key, traced)
