"""Calibrate: which lambdas are best for this pool and this language model?"""

from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from core.background import Job
from core.evaluation.results.calibration import Calibration
from core.evaluation.results.run_figures import End
from core.evaluation.runs.calibrate import CalibrationOptions
from core.reporting.figures.curves import dpo_by_diversity, lambda_curve
from core.reporting.figures.grids import cells_of_k, dpo_by_k, lambda_heat_map
from core.reporting.html.reports import calibration_report, finished_at
from core.reporting.tables.runs import calibration_figures
from core.reporting.words.advice import how_it_ended
from core.reporting.words.calibration_findings import line_of
from core.reporting.words.provenance import calibration_what, provenance
from core.reporting.words.reading import read_calibration
from core.retrieval.knobs import KNOBS, Knobs
from core.studio.runs import calibrate
from core.studio.runs.calibrate import HEAT_MAP, K_SWEEP, CalibrateRequest
from pages.common.frame.look import side_by_side
from pages.common.frame.page import Frame, open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_run
from pages.common.frame.sidebar import template_link
from pages.common.frame.suitability import show_suitability
from pages.common.frame.text import plain
from pages.common.runs.run import (
    can_run,
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
from pages.common.state.knobs import (
    apply_knobs,
    choose_candidates,
    choose_embed,
    choose_k,
    choose_lambda,
    kept,
    kept_key,
    link_of,
)
from pages.common.state.state import keeper, remember, within, write_link

OF_THE_BEST = "of the best"
# What decides, before the choice, among which demonstrations and by which text it is made.
BEFORE = ("candidates", "embed")
Knob = TypeVar("Knob", int, float)


def read_request(frame: Frame) -> CalibrateRequest:
    """The knobs; writes them into the address."""
    limit_place, k_place, lambda_place = st.columns([2, 1, 3], vertical_alignment="bottom")
    with k_place:
        k = choose_k("calibrate")
    with lambda_place:
        lambda_b = choose_lambda("calibrate", "lambda_b")
    heat_place, sweep_place, more_place = st.columns([2, 2, 1], vertical_alignment="center")
    heat = _switch(heat_place, "heat", f"Heat map over lambda_b ({len(HEAT_MAP)} times the work)")
    sweep = _switch(sweep_place, "sweep", f"Curve over k ({len(K_SWEEP)} times the work)")
    with more_place.popover("More", width="stretch"):
        chosen = choose_examples(frame, "calibrate", limit_place)
        candidates, embed = choose_candidates("calibrate"), choose_embed("calibrate")
        until_settled = _switch(st, "settle", "End when the choice is settled", on=True)
        margin = choose_margin()
    knobs = Knobs(
        k=k,
        lambda_b=lambda_b,
        seed=chosen.seed,
        bias_scale=chosen.bias_scale,
        one_per_query=chosen.one_per_query,
        candidates=candidates,
        embed=embed,
    )
    turned = [name for name in BEFORE if getattr(knobs, name) != KNOBS[name].default]
    link = {
        **link_of(knobs, "k", "lambda_b", "seed", "bias_scale", "one_per_query", *turned),
        "heat": heat or None,
        "sweep": sweep or None,
        "settle": None if until_settled else False,
        "margin": None if margin is None else f"{margin:g}",
    }
    write_link(pool=frame.setup.pool, **template_link(frame.setup), **link, **chosen.link())
    options = CalibrationOptions(
        limit=chosen.limit,
        seed=chosen.seed,
        examples_from=chosen.examples,
        leave_out_leaks=chosen.leave_out_leaks,
        lambda_bs=tuple(dict.fromkeys((lambda_b, *HEAT_MAP))) if heat else (lambda_b,),
        ks=tuple(dict.fromkeys((k, *K_SWEEP))) if sweep else (k,),
        knobs=knobs,
        margin=margin,
        until_settled=until_settled,
    )
    return CalibrateRequest(frame.setup, options)


def choose_margin() -> float | None:
    """What is no further apart counts as equally good; None for a margin that fits the effect."""
    key = kept_key("calibrate", "margin", None, within(0, 10))
    margin = st.number_input(
        "Margin of indifference (nats)",
        min_value=0.0,
        step=0.005,
        format="%.3f",
        placeholder="fits the effect",
        key=key,
        on_change=keeper(key, "margin"),
        help="Values whose DPO differs by no more than this count as equally good. Left "
        "empty, the margin fits the effect: a twentieth of the largest difference among the values "
        "tried, but at least a fiftieth of what the contexts change. A smaller margin takes more "
        "examples to settle: half the margin, up to four times as many.",
    )
    remember("margin", margin)
    return None if margin is None else float(margin)


def _switch(place: Any, name: str, label: str, on: bool = False) -> bool:
    key = kept_key("calibrate", name, on, lambda text: text == "True")
    chosen = place.toggle(label, key=key, wrap=True)
    remember(name, chosen)
    return bool(chosen)


def choose_line(calibration: Calibration) -> tuple[int | None, float | None]:
    """Which k and lambda_b the curves show, where several were tried; None is the best one's."""
    k_place, lambda_b_place = st.columns(2)
    k = _one_of(k_place, "k", {cell.k for cell in calibration.cells})
    return k, _one_of(lambda_b_place, "lambda_b", {cell.lambda_b for cell in calibration.cells})


def _one_of(place: Any, name: str, tried: set[Knob]) -> Knob | None:
    if len(tried) < 2:
        return None
    if st.session_state.get(f"calibrate_shown_{name}") not in tried:
        st.session_state[f"calibrate_shown_{name}"] = None
    chosen: Knob | None = place.selectbox(
        f"{name} of the curves",
        [None, *sorted(tried)],
        placeholder=OF_THE_BEST,
        format_func=lambda value: OF_THE_BEST if value is None else f"{value:g}",
        key=f"calibrate_shown_{name}",
        persist_state="session",
    )
    return chosen


def draw(calibration: Calibration) -> None:
    """The picture, of a whole run or of its examples so far."""
    reading = read_calibration(calibration)
    show_finding(reading)
    cells = calibration.cells
    k, lambda_b = choose_line(calibration)
    line = line_of(calibration, k, lambda_b)
    current = kept("lambda_d")
    metric = calibration.metric
    traced = provenance(calibration, calibration_what(line), metric)
    charts = {"curve": lambda_curve, "diversity": dpo_by_diversity}
    for place, (name, chart) in zip(side_by_side(2), charts.items(), strict=True):
        with place:
            figure = chart(calibration, k=k, lambda_b=lambda_b, current=current)
            show_figure(figure, f"calibrate_{name}_chart", traced)
    if len({cell.lambda_b for cell in cells}) > 1:
        traced = provenance(calibration, calibration_what(cells_of_k(calibration, k)), metric)
        show_figure(lambda_heat_map(calibration, k=k), "calibrate_lambdas_chart", traced)
    if len({cell.k for cell in cells}) > 1:
        traced = provenance(calibration, calibration_what(cells), metric)
        show_figure(dpo_by_k(calibration), "calibrate_k_chart", traced)
    show_grounds(reading)


def draw_result(frame: Frame, calibration: Calibration) -> None:
    """A calibration that is over: what to do with it, the picture, the exact figures."""
    offer_more(frame, calibration)
    advice = calibration.advice
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    if advice is not None:
        k, lambda_b, lambda_d = advice.knobs
        knobs = {"lambda_d": lambda_d, "lambda_b": lambda_b, "k": k}
        recorded = calibration.settings
        before = {KNOBS[name].link: getattr(recorded, name) for name in BEFORE}
        among = f", {recorded.candidates:,} candidates" if recorded.candidates else ""
        words = f"Apply lambda_d {lambda_d:.2f}, lambda_b {lambda_b:.2f}, k {k}{among}"
        set_already = all(abs(kept(name) - value) < 0.005 for name, value in knobs.items())
        set_already = set_already and all(kept(name) == before[KNOBS[name].link] for name in BEFORE)
        if set_already:
            in_use = f"In use: lambda\\_d {lambda_d:.2f}, lambda\\_b {lambda_b:.2f}, k {k}{among}"
            row.caption(in_use, width="content")
        elif row.button(words, on_click=apply_knobs, args=[("calibrate",)], kwargs=knobs | before):
            st.toast("Explore and Compare use these now.")
    with row:
        offer_report(
            lambda: calibration_report(calibration), "calibration", calibration.settings.pool
        )
    st.caption(f"Finished {finished_at(calibration)}")
    draw(calibration)
    st.subheader("Exact figures")
    table = calibration_figures(calibration)
    formats = {
        column.name: st.column_config.NumberColumn(format=f"%.{column.places}f")
        for column in table.columns
        if column.places is not None
    }
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    st.dataframe(rows, hide_index=True, column_config=formats)


def offer_more(frame: Frame, calibration: Calibration) -> None:
    """Where a run ended before its last example: why, and a way to go on with the others."""
    ended = how_it_ended(calibration)
    if not ended:
        return
    words, action = st.columns([5, 1], vertical_alignment="center")
    words.info(plain(ended), icon=":material/flag:")
    if action.button("Go on", disabled=not can_run(frame), width="stretch"):
        settled = calibration.end is End.SETTLED
        again = calibrate.resumed(frame.setup, calibration.settings)
        if settled:
            again = replace(again, options=replace(again.options, until_settled=False))
        calibrate.start(frame.studio, again)
        st.rerun()


def stopped_result(job: Job | None, found: Calibration | None) -> bool:
    """Whether the job was stopped and left a result, which says so itself."""
    stopped = job is not None and job.state == "cancelled"
    return stopped and found is not None and found.end is End.STOPPED


frame = open_page("Calibrate", "Which lambdas are best for this pool and this language model?")
show_caution(frame)
show_suitability(frame)
with shown_errors():
    request = read_request(frame)
    job = calibrate.RUNS.job(frame.studio, frame.setup.pool)
    start_row(frame, calibrate, request, verb="Calibrate", busy=running(job))
    if job is not None and running(job):
        watch(job, draw)
    else:
        found = calibrate.RUNS.latest(frame.studio, frame.setup.pool)
        if not stopped_result(job, found):
            show_end(job)
        if found is not None:
            draw_result(frame, found)
        else:
            st.write(
                "No calibration of this pool yet. The button asks the model about each example's "
                "answers under every context that lambda\\_d can choose, and draws DPO against "
                "lambda\\_d and against diversity while it goes."
            )
mark_run()
