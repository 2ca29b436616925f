"""After an import: the next steps with the pool, and what each costs."""

from dataclasses import dataclass

import streamlit as st

from core.evaluation.runs.calibrate import CalibrationOptions
from core.studio.pools import demonstrations
from core.studio.pools.findings import CheckRequest, open_findings
from core.studio.runs import calibrate
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.running import LIMIT, examples_in
from core.studio.session.models import why_not_scored
from core.studio.session.readiness import texts_to_embed
from core.text import counted
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.frame.watching import draw_again_after, draw_again_when_timed
from pages.common.state.knobs import kept_knobs

NO_FAULT = "Nothing to look at was found."


@dataclass(frozen=True)
class _Step:
    """A page to go to, and what it costs there."""

    page: str
    label: str
    icon: str
    cost: str


def show_next_steps(frame: Frame) -> None:
    """Draw the next steps with the page's pool, each with what it costs."""
    st.markdown("**What next**")
    st.caption(plain(_preparing(frame)))
    for step in (_review(frame), *_steps(frame)):
        button, cost = st.columns([2, 3], vertical_alignment="center")
        if button.button(step.label, key=f"next_{step.page}", icon=step.icon, width="stretch"):
            st.switch_page(f"pages/{step.page}.py")
        cost.caption(plain(step.cost))
    draw_again_when_timed(frame.studio, CalibrateRequest(setup=frame.setup))


def _preparing(frame: Frame) -> str:
    """What all of them need: embeddings, and the quality bias in the background."""
    ready, job = frame.readiness.view is not None, frame.readiness.embedding
    missing = 0 if ready else texts_to_embed(frame.studio, frame.setup)
    left = "" if job is None else job.snapshot().time_left
    needed = f"Texts still to embed: {missing:,}{left}." if missing else "Its texts are embedded."
    unscored = _unscored(frame)
    if not unscored:
        return needed
    return (
        f"{needed} In the background the model scores the quality bias of "
        f"{counted(unscored, 'pair')} of query and answer; only what uses it waits for it."
    )


def _unscored(frame: Frame) -> int:
    """How many demonstrations have no quality bias yet, and will have one."""
    if why_not_scored(frame.studio.loaded_model(frame.setup.model)):
        return 0
    if frame.readiness.view is not None:
        return frame.readiness.view.unscored
    counts = demonstrations.summary(frame.studio, frame.setup.pool)
    return counts.demonstrations - counts.excluded


def _review(frame: Frame) -> _Step:
    """What is to be looked at before all else, counted in the background."""
    cost = "Counting what is to be looked at: what is double, contradicts itself or leaks."
    if frame.readiness.view is not None:
        request = CheckRequest(frame.setup, kept_knobs())
        count, job = open_findings(frame.studio, request)
        if count is not None:
            cost = f"{counted(count, 'thing')} to look at, the worst first." if count else NO_FAULT
        elif job is not None:
            draw_again_after(job, [])
        else:
            cost = "What is double, contradicts itself or leaks, the worst first."
    return _Step("review", "Look through what is odd", ":material/fact_check:", cost)


def _steps(frame: Frame) -> tuple[_Step, ...]:
    studio, setup = frame.studio, frame.setup
    one, some = (
        calibrate.cost(studio, CalibrateRequest(setup=setup, options=CalibrationOptions(limit=n)))
        for n in (1, LIMIT)
    )
    queries = demonstrations.summary(studio, setup.pool).queries
    return (
        _Step(
            "map",
            "See it on the Map",
            ":material/scatter_plot:",
            f"Lays out {counted(queries, 'query')} once, a few seconds per 1,000; no model.",
        ),
        _Step(
            "explore",
            "Ask a query",
            ":material/search:",
            f"Its context comes first. {one} for the model to judge, for the curve of lambda_d.",
        ),
        _Step(
            "calibrate",
            "Find the best setting",
            ":material/tune:",
            f"{some} of {counted(examples_in(studio, setup.pool, LIMIT), 'query')} for the model "
            "to judge, each with all answers of its query.",
        ),
        _Step(
            "compare",
            "Compare methods",
            ":material/leaderboard:",
            "Which method's contexts help most; about as much work for each as the best setting.",
        ),
    )
