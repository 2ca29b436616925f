"""Work that a page waits for: how far it is, with cancel."""

import streamlit as st

from core.background import Job
from core.studio import Studio
from core.studio.runs.duration import ScoringRequest, timing
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain

WAITS = "waiting for the work before it"


@st.fragment(run_every=0.5)
def watch(studio: Studio, job: Job, again: str, *, stops: bool = False) -> None:
    """Draw how far the pool's work is; the page runs again by itself when it is done.

    Args:
        studio: Whose work it is.
        job: The work.
        again: The label of the button that starts it again after it failed or was cancelled.
        stops: Whether it can be cancelled also while nothing is counted.
    """
    now = job.snapshot()
    if now.state == "finished":
        st.rerun()
    if now.over:
        st.info(plain(now.error or f"{now.label} was cancelled."))
        if st.button(again, type="primary"):
            studio.pool_worker.forget(now.slot)
            studio.model_worker.forget(now.slot)
            st.rerun()
        return
    waiting = now.state == "waiting"
    label = f"{now.label}, {now.phase}" if now.phase else now.label
    parts = (label, WAITS if waiting else now.partial or "", now.count)
    share = now.done / now.total if now.total else 0.0
    st.progress(share, text=plain(": ".join(part for part in parts if part)))
    if waiting or now.total or stops:
        st.button("Cancel", on_click=job.cancel)
    mark_waiting()


def draw_again_when_timed(studio: Studio, request: ScoringRequest) -> None:
    """Time the model on the pool, once, and redraw the page with what a run takes."""
    job = timing(studio, request)
    if job is not None and not job.snapshot().over:
        draw_again_after(job, [])


@st.fragment(run_every=0.5)
def draw_again_after(job: Job, drawn: list[bool]) -> None:
    """Draw nothing, and redraw the page once the job is over.

    Args:
        job: The work.
        drawn: An empty list; it is filled.
    """
    # Not in the run of the page itself: that would drop the click which it is there for.
    if drawn and job.snapshot().over:
        st.rerun()
    drawn.append(True)
    mark_waiting()
