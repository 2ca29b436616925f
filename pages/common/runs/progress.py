"""How far a run is that the page may stop, and how it ended."""

import streamlit as st

from core.background import Job
from core.background.watcher import EMBEDDING, EXAMPLES, QUALITY, READING
from pages.common.frame.text import plain

BATCH = 0.5
"""Seconds that most batches of a model take at most; a longer one is not waited for."""
PREPARING = {
    EMBEDDING: "First, embedding what is not embedded yet",
    QUALITY: "First, scoring the quality bias that is missing",
    READING: "First, reading the pool's texts for their task",
}


def draw_progress(job: Job, text: str) -> None:
    """A bar with the text in it, and a button to stop."""
    now = job.snapshot()
    bar, stop = st.columns([6, 1], vertical_alignment="center")
    share = now.done / now.total if now.total else 0.0
    bar.progress(min(share, 1.0), text=text)
    stop.button("Stop", key=f"stop_{now.slot}", on_click=_stop, args=[job], width="stretch")


def _stop(job: Job) -> None:
    """Ask it to stop, and wait for the batch in hand, so that the page shows the end at once."""
    job.cancel()
    job.wait(BATCH)


def before_examples(job: Job, kept: str) -> str:
    """What the run does, unless it goes through its examples: "" then.

    Args:
        job: The run.
        kept: What a run that is stopped keeps, as "what was scored".
    """
    now = job.snapshot()
    if job.cancel_asked:
        return f"Stopping; {kept} is kept"
    if now.state == "waiting":
        return "Waiting for the language model"
    if now.phase == EXAMPLES:
        return ""
    count = f": {now.count}" if now.count else ""
    return f"{PREPARING.get(now.phase, 'Loading the language model')}{count}"


def show_end(job: Job | None, kept: str) -> None:
    """Show when the last run of this server did not finish."""
    if job is None:
        return
    now = job.snapshot()
    if now.state == "failed":
        st.error(plain(now.error or "The run failed."), icon=":material/error:")
    elif now.state == "cancelled":
        what = f"{kept[0].upper()}{kept[1:]}"
        st.info(f"Stopped. {what} is kept: starting again continues from there.")
