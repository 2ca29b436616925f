"""A run that the page starts and may stop: how far it is, and how it ended."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.background import Job, JobSnapshot
from core.watcher import EMBEDDING, EXAMPLES, QUALITY, READING
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.presses import button

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

BATCH = 0.5
"""Seconds that most batches of a model take at most; a longer one is not waited for."""
PREPARING = {
    EMBEDDING: "First, embedding what is not embedded yet",
    QUALITY: "First, scoring the quality bias that is missing",
    READING: "First, reading the pool's texts for their task",
}


def start_button(label: str, *, disabled: bool) -> "tuple[bool, DeltaGenerator]":
    """Draw the one primary action; whether it was pressed, and the place beside it for its cost."""
    action, cost = st.columns([1, 5], vertical_alignment="center")
    with action:
        pressed = button(
            label, key=f"{label}_start", type="primary", disabled=disabled, width="stretch"
        )
    return pressed, cost


def running(job: Job | None) -> bool:
    """Whether the job is waiting or at work."""
    return job is not None and not job.snapshot().over


def _no_lead(now: JobSnapshot) -> str:
    return ""


@st.fragment(run_every=1.0)
def watch(
    job: Job,
    kept: str,
    unit: str,
    draw: Callable[[JobSnapshot], None],
    lead: Callable[[JobSnapshot], str] = _no_lead,
) -> None:
    """Progress, a button to stop, and what came out so far; the page is redrawn when it is over.

    Args:
        job: The run.
        kept: What a run that is stopped keeps, as "what was scored".
        unit: What it goes through, as "examples".
        draw: Draws what came out so far.
        lead: What comes before the count of them.
    """
    now = job.snapshot()
    if now.over:
        st.rerun()
    part = f"{plain(now.part[0].upper() + now.part[1:])}. " if now.part else ""
    counted = f"{lead(now)}{now.done:,} of {now.total:,} {unit}{now.time_left}"
    _draw_progress(job, f"{part}{_before_examples(job, kept) or counted}")
    draw(now)
    mark_waiting()


def _draw_progress(job: Job, text: str) -> None:
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


def _before_examples(job: Job, kept: str) -> str:
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
