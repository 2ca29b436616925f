"""A bootstrap that goes on: how far it is, and what came out so far."""

import streamlit as st

from core.background import Job
from core.studio.programs.attempts import Bootstrap
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.programs.attempts import counted
from pages.common.runs.progress import before_examples, draw_progress

TRIED = "what was tried"
"""What a bootstrap that is stopped keeps."""
LATEST = 5
"""How many of the last attempts are shown."""


@st.fragment(run_every=1.0)
def watch(job: Job) -> None:
    """Progress and the last attempts; the page is drawn again when it is over."""
    now = job.snapshot()
    if now.over:
        st.rerun()
    text = before_examples(job, TRIED)
    draw_progress(job, text or f"{now.done:,} of {now.total:,} queries{now.time_left}")
    found: Bootstrap | None = now.partial
    if found is not None:
        st.markdown(plain(counted(found)))
        st.dataframe(
            [
                {"query": each.query, "predicted": each.predicted, "outcome": each.reason}
                for each in found.tried[: -LATEST - 1 : -1]
            ],
            hide_index=True,
        )
    mark_waiting()
