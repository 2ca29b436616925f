"""Answering questions: which programs, how far they are, and what came out."""

import streamlit as st

from core.background import JobSnapshot
from core.reporting.words.provenance import edits_sentence
from core.studio.programs import trials
from core.studio.programs.trial_records import TrialSoFar
from core.text import listed
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.programs.trial_choosing import read_trial
from pages.common.programs.trial_results import draw_answers, draw_report, draw_so_far
from pages.common.runs.progress import running, show_end, watch
from pages.common.runs.run import start_row

ANSWERED = "what was answered"
"""What a trial that is stopped keeps."""


def draw_trial(frame: Frame) -> None:
    """What is asked, how far it is, and what came out."""
    request = read_trial(frame)
    job = start_row(
        frame,
        trials.RUNS,
        request,
        verb="Run",
        cost=lambda: "Every answer is kept as it comes; what the model wrote before costs nothing.",
        kept=ANSWERED,
        unit="questions",
    )
    if job is not None and running(job):
        watch(job, ANSWERED, "steps", _draw_so_far)
        return
    show_end(job, ANSWERED)
    found = trials.RUNS.latest(frame.studio, frame.setup.pool)
    if found is None:
        st.write(
            "Nothing was run with this pool yet. The button lets each program answer the "
            "questions, counts how many it gets right, compares the programs question by question, "
            "and shows every step of every answer."
        )
        return
    if edits := edits_sentence(trials.edits(frame.studio, found), "run again"):
        st.markdown(plain(edits))
    st.caption(plain(described(found)))
    if found.report is not None:
        draw_report(found.report)
    else:
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


def _draw_so_far(now: JobSnapshot) -> None:
    found: TrialSoFar | None = now.partial
    if found is not None:
        draw_so_far(found)
