"""Work beside the pages: jobs, the worker that runs them, and its giving way to a person."""

from .job import Job, JobSnapshot, Urgency
from .watcher import MOST_BEFORE_LOADING, Presence, Watcher
from .worker import Worker

__all__ = [
    "MOST_BEFORE_LOADING",
    "Job",
    "JobSnapshot",
    "Presence",
    "Urgency",
    "Watcher",
    "Worker",
]
