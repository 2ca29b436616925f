"""Methods x examples x metrics: evaluation, calibration, and the worker that runs them."""

from .examples import examples_of, sample
from .job import Job, JobSnapshot, Urgency
from .presence import Presence
from .watcher import Watcher
from .worker import Worker

__all__ = [
    "Job",
    "JobSnapshot",
    "Presence",
    "Urgency",
    "Watcher",
    "Worker",
    "examples_of",
    "sample",
]
