"""Calibrate: which lambdas are best for this pool and this language model?"""

from typing import Any

import streamlit as st

from core.evaluation.runs.calibrate import CalibrationOptions
from core.retrieval.knobs import KNOBS, Knobs
from core.studio.runs import calibrate
from core.studio.runs.calibrate import HEAT_MAP, K_SWEEP, CalibrateRequest
from pages.common.frame.page import Frame, open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_end
from pages.common.frame.sidebar import template_link
from pages.common.frame.suitability import show_suitability
from pages.common.runs.calibration import OF_THE_CANDIDATES, draw, draw_result, stopped_result
from pages.common.runs.earlier import RESULT, choose_result, opened_run
from pages.common.runs.progress import running, show_end
from pages.common.runs.run import (
    SCORED,
    can_run,
    choose_examples,
    cost_of_scoring,
    start_row,
    watch_scoring,
)
from pages.common.state.address import write_link
from pages.common.state.knobs import (
    choose_candidates,
    choose_embed,
    choose_k,
    choose_lambda,
    kept_key,
    link_of,
)
from pages.common.state.readers import switch, within
from pages.common.state.state import keeper, remember


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
    changed = [name for name in OF_THE_CANDIDATES if getattr(knobs, name) != KNOBS[name].default]
    link = {
        **link_of(knobs, "k", "lambda_b", "seed", "bias_scale", "one_per_query", *changed),
        "heat": heat or None,
        "sweep": sweep or None,
        "settle": None if until_settled else False,
        "margin": None if margin is None else f"{margin:g}",
        RESULT: opened_run(frame, calibrate.RUNS),
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
    return CalibrateRequest(setup=frame.setup, options=options)


def choose_margin() -> float | None:
    """The difference below which values count as equal; None for a margin that fits the effect."""
    key = kept_key("calibrate", "margin", None, within(0, 10))
    margin = st.number_input(
        "Margin of indifference (nats)",
        min_value=0.0,
        step=0.005,
        format="%.3f",
        placeholder="fits the effect",
        key=key,
        on_change=keeper(key, "calibrate", "margin"),
        help="Values whose DPO differs by no more than this count as equally good. Left "
        "empty, the margin fits the effect: a twentieth of the largest difference among the values "
        "tried, but at least a fiftieth of what the contexts change. A smaller margin takes more "
        "examples to settle: half the margin, up to four times as many.",
    )
    remember("calibrate", "margin", margin)
    return None if margin is None else float(margin)


def _switch(place: Any, name: str, label: str, on: bool = False) -> bool:
    key = kept_key("calibrate", name, on, switch())
    chosen = place.toggle(label, key=key, wrap=True)
    remember("calibrate", name, chosen)
    return bool(chosen)


frame = open_page("Calibrate", "Which lambdas are best for this pool and this language model?")
show_caution(frame)
show_suitability(frame)
with shown_errors():
    request = read_request(frame)
    job = start_row(
        frame,
        calibrate.RUNS,
        request if can_run(frame) else None,
        verb="Calibrate",
        cost=lambda: cost_of_scoring(frame, request, calibrate.cost(frame.studio, request)),
    )
    if job is not None and running(job):
        watch_scoring(job, draw)
    else:
        found = choose_result(frame, calibrate.RUNS)
        if not stopped_result(job, found):
            show_end(job, SCORED)
        if found is not None:
            draw_result(frame, found)
        else:
            st.write(
                "No calibration of this pool yet. The button asks the model about each example's "
                "answers under every context that lambda\\_d can choose, and draws DPO against "
                "lambda\\_d and against diversity as results come in."
            )
mark_end()
