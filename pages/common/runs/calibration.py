"""What a calibration shows: the picture, the setting to use, the exact figures."""

from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from core.background import Job
from core.evaluation.results.calibration import Calibration
from core.evaluation.results.run_figures import End
from core.reporting.figures.curves import dpo_by_diversity, lambda_curve
from core.reporting.figures.grids import cells_of_k, dpo_by_k, lambda_heat_map
from core.reporting.html.reports import calibration_report, finished_at
from core.reporting.tables.runs import calibration_figures
from core.reporting.words.advice import end_sentence
from core.reporting.words.calibration_findings import line_of
from core.reporting.words.provenance import calibration_what, provenance
from core.reporting.words.reading import read_calibration
from core.studio.runs import calibrate
from pages.common.frame.look import side_by_side
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.runs.run import can_run, offer_report, show_figure, show_finding, show_grounds
from pages.common.runs.setting import offer_setting
from pages.common.state.knobs import kept

OF_THE_BEST = "of the best"
OF_THE_CANDIDATES = ("candidates", "embed")
"""The knobs for the candidates of the choice, and for the text by which they are compared."""
Knob = TypeVar("Knob", int, float)


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


def draw(calibration: Calibration, frame: Frame | None = None) -> None:
    """The picture, of a run's examples so far, or with a frame of a whole run."""
    reading = read_calibration(calibration)
    show_finding(reading)
    if frame is not None:
        offer_setting(frame, calibration)
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
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    with row:
        offer_report(
            lambda: calibration_report(calibration), "calibration", calibration.settings.pool
        )
        st.caption(f"Finished {finished_at(calibration)}")
    draw(calibration, frame)
    st.subheader("Exact figures")
    table = calibration_figures(calibration)
    formats = {
        column.name: st.column_config.NumberColumn(format=f"%.{column.places}f")
        for column in table.columns
        if column.places is not None
    }
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    st.dataframe(rows, hide_index=True, placeholder="-", column_config=formats)


def offer_more(frame: Frame, calibration: Calibration) -> None:
    """Where a run ended before its last example: why, and a way to go on with the others."""
    ended = end_sentence(calibration)
    if not ended:
        return
    words, action = st.columns([5, 1], vertical_alignment="center")
    words.info(plain(ended), icon=":material/flag:")
    if action.button("Go on", disabled=not can_run(frame), width="stretch"):
        again = calibrate.resumed(frame.setup, calibration.settings)
        if calibration.end is End.SETTLED:
            again = replace(again, options=replace(again.options, until_settled=False))
        calibrate.RUNS.start(frame.studio, again)
        st.rerun()


def stopped_result(job: Job | None, found: Calibration | None) -> bool:
    """Whether the job was stopped and left a result, which shows that itself."""
    stopped = job is not None and job.state == "cancelled"
    return stopped and found is not None and found.end is End.STOPPED
