"""A bootstrap that goes on: how far it is, what came out so far, and a button to stop it."""

import streamlit as st

from core.background import Job
from core.background.watcher import EMBEDDING, EXAMPLES
from core.studio.programs.attempts import Bootstrap
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.programs.attempts import counted

BATCH = 0.5
"""Seconds that most texts of a model take at most; a longer one is not waited for."""
LATEST = 5
"""How many of the last attempts are shown."""


@st.fragment(run_every=1.0)
def watch(job: Job) -> None:
    """Progress and the last attempts; the page is drawn again when it is over."""
    now = job.snapshot()
    if now.over:
        st.rerun()
    bar, stop = st.columns([6, 1], vertical_alignment="center")
    share = now.done / now.total if now.total else 0.0
    bar.progress(min(share, 1.0), text=plain(_progress(job)))
    stop.button("Stop", on_click=_stop, args=[job], width="stretch")
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


def show_end(job: Job | None) -> None:
    """Show when the last run of this server did not finish."""
    if job is None:
        return
    now = job.snapshot()
    if now.state == "failed":
        st.error(plain(now.error or "The run failed."), icon=":material/error:")
    elif now.state == "cancelled":
        st.info("Stopped. The attempts so far are kept: starting again goes on from there.")


def _stop(job: Job) -> None:
    """Ask it to stop, and wait for the text in hand, so that the page shows the end at once."""
    job.cancel()
    job.wait(BATCH)


def _progress(job: Job) -> str:
    now = job.snapshot()
    if job.cancel_asked:
        return "Stopping; the attempts so far are kept"
    if now.state == "waiting":
        return "Waiting for the language model"
    if now.phase == EXAMPLES:
        return f"{now.done:,} of {now.total:,} queries{now.time_left}"
    count = f": {now.count}" if now.count else ""
    embedding = now.phase == EMBEDDING and bool(count)
    return f"First, embedding{count}" if embedding else "Loading the language model"
