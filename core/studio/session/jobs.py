"""Background work that every visit of a page requests and that must start only once."""

from collections.abc import Callable
from typing import Any

from ...background import Job, Urgency, Worker


def submit_once(
    worker: Worker,
    slot: str,
    label: str,
    work: Callable[[Job], Any],
    *,
    urgency: Urgency = Urgency.RUN,
) -> Job:
    """The slot's job unless it has finished; else a new one.

    A slot names the content that is computed. A job that failed or was cancelled stays, so that
    its error can be read and nothing starts by itself against the user's will;
    `worker.forget(slot)` lets it be tried again.
    """
    job = worker.latest(slot)
    if job is not None and job.state != "finished":
        return job
    return worker.submit(slot, label, work, urgency=urgency)


def report_progress(job: Job, done: int, total: int) -> None:
    """Report how far the job is, and let more urgent work run."""
    job.progress(done, total)
    job.breathe()
