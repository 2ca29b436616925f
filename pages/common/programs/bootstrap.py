"""Writing demonstrations: a program tries queries with known answers, and good ones are kept."""

import streamlit as st

from core.background import JobSnapshot
from core.studio.programs import bootstrap
from core.studio.programs.attempts import Bootstrap
from core.studio.programs.choices import CHOICES
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.programs.attempts import counted, draw_attempts
from pages.common.programs.choosing import read_request
from pages.common.programs.widgets import PAGE
from pages.common.runs.progress import running, show_end, watch
from pages.common.runs.run import start_row

TRIED = "what was tried"
"""What a bootstrap that is stopped keeps."""
LATEST = 5
"""How many of the last attempts are shown while it goes on."""


def draw_bootstrap(frame: Frame) -> None:
    """What is tried, how far it is, and what came out."""
    request = read_request(frame)
    lacks = CHOICES[request.program].searches and request.passages is None
    job = start_row(
        frame,
        bootstrap.RUNS,
        None if lacks else request,
        verb="Try them",
        cost=lambda: (
            "Every attempt is kept as it comes; what the model wrote before costs nothing."
        ),
        kept=TRIED,
        unit="queries",
    )
    show_notice(frame.studio, PAGE, frame.setup.pool)
    if job is not None and running(job):
        watch(job, TRIED, "queries", _draw_so_far)
        return
    show_end(job, TRIED)
    found = bootstrap.RUNS.latest(frame.studio, frame.setup.pool)
    if found is None:
        st.write(
            "Nothing was tried with this pool yet. The button lets the model answer each query "
            "after demonstrations of the pool. Where it comes out right, the attempt can be kept "
            "as a demonstration, with what the program wrote on the way."
        )
        return
    draw_attempts(frame, found)


def _draw_so_far(now: JobSnapshot) -> None:
    """The last attempts, the latest first."""
    found: Bootstrap | None = now.partial
    if found is None:
        return
    st.markdown(plain(counted(found)))
    st.dataframe(
        [
            {"query": each.query, "predicted": each.predicted, "outcome": each.reason}
            for each in found.tried[: -LATEST - 1 : -1]
        ],
        hide_index=True,
    )
