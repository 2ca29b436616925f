"""Writing demonstrations: a program tries queries with known answers, and good ones are kept."""

import streamlit as st

from core.studio.programs import bootstrap
from core.studio.programs.choices import CHOICES
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.programs.attempts import draw_attempts
from pages.common.programs.choosing import read_request
from pages.common.programs.watching import TRIED, watch
from pages.common.programs.widgets import PAGE
from pages.common.runs.progress import show_end
from pages.common.runs.run import running


def draw_bootstrap(frame: Frame) -> None:
    """What is tried, how far it is, and what came out."""
    request = read_request(frame)
    job = bootstrap.job_of(frame.studio, frame.setup.pool)
    busy = running(job)
    lacks = CHOICES[request.program].searches and request.passages is None
    action, words = st.columns([1, 5], vertical_alignment="center")
    if action.button("Try them", type="primary", disabled=busy or lacks, width="stretch"):
        bootstrap.start(frame.studio, request)
        st.rerun()
    words.caption("Every attempt is kept as it comes; what the model wrote before costs nothing.")
    show_notice(frame.studio, PAGE, frame.setup.pool)
    if job is not None and busy:
        watch(job)
        return
    show_end(job, TRIED)
    found = bootstrap.latest(frame.studio, frame.setup.pool)
    if found is None:
        st.write(
            "Nothing was tried with this pool yet. The button lets the model answer each query "
            "after demonstrations of the pool. Where it comes out right, the attempt can be kept "
            "as a demonstration, with what the program wrote on the way."
        )
        return
    if not found.finished and job is None:
        message = (
            f"This run of {found.settings.queries:,} queries was cut off when the studio ended. "
            "Its attempts are kept."
        )
        st.info(plain(message))
        if st.button("Go on with it"):
            bootstrap.start(frame.studio, bootstrap.resumed(frame.setup, found.settings))
            st.rerun()
    draw_attempts(frame, found)
