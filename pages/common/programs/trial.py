"""Answering questions: which programs, how far they are, and what came out."""

import streamlit as st

from core.background import Job
from core.studio.programs import trial_jobs
from core.studio.programs.trial_records import TrialSoFar
from core.text import listed
from pages.common.frame.page import Frame
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.programs.trial_choosing import read_trial
from pages.common.programs.trial_results import draw_answers, draw_report, draw_so_far
from pages.common.runs.progress import before_examples, draw_progress, show_end
from pages.common.runs.run import running

ANSWERED = "what was answered"
"""What a trial that is stopped keeps."""


def draw_trial(frame: Frame) -> None:
    """What is asked, how far it is, and what came out."""
    request = read_trial(frame)
    job = trial_jobs.job_of(frame.studio, frame.setup.pool)
    busy = running(job)
    action, words = st.columns([1, 5], vertical_alignment="center")
    pressed = action.button(
        "Run", type="primary", disabled=busy or request is None, width="stretch"
    )
    if pressed and request is not None:
        trial_jobs.start(frame.studio, request)
        st.rerun()
    words.caption("Every answer is kept as it comes; what the model wrote before costs nothing.")
    if job is not None and busy:
        watch_trial(job)
        return
    show_end(job, ANSWERED)
    found = trial_jobs.latest(frame.studio, frame.setup.pool)
    if found is None:
        st.write(
            "Nothing was run with this pool yet. The button lets each program answer the "
            "questions, counts how many it gets right, compares the programs question by question, "
            "and shows every step of every answer."
        )
        return
    st.caption(plain(described(found)))
    if found.report is not None:
        draw_report(found.report)
    else:
        _offer_to_go_on(frame, found, job)
        draw_so_far(found)
    draw_answers(found)


def described(found: TrialSoFar) -> str:
    """What ran on what, in a line."""
    basis, request = found.settings.basis, found.settings.request
    searched = "" if basis.passages is None else f", passages {basis.passages} by {basis.by}"
    asked = (
        f"{basis.questions:,} questions of {basis.examples}, {basis.seeds:,} seeds"
        if request.question is None
        else f"the question {request.question!r}"
    )
    programs = listed(list(request.programs))
    return f"Run {basis.run}: {programs} with {basis.model}{searched}; {asked}"


@st.fragment(run_every=1.0)
def watch_trial(job: Job) -> None:
    """Progress and the answers so far; the page is drawn again when it is over."""
    now = job.snapshot()
    if now.over:
        st.rerun()
    text = before_examples(job, ANSWERED)
    draw_progress(job, text or f"{now.done:,} of {now.total:,} steps{now.time_left}")
    found: TrialSoFar | None = now.partial
    if found is not None:
        draw_so_far(found)
    mark_waiting()


def _offer_to_go_on(frame: Frame, found: TrialSoFar, job: Job | None) -> None:
    if job is not None:
        return
    st.info("This run was cut off when the studio ended. What was answered is kept.")
    if st.button("Go on with it"):
        trial_jobs.start(frame.studio, found.settings.request)
        st.rerun()
