"""Work beside the pages: jobs, the worker that runs them, and its giving way to a person."""

from .job import Job, JobSnapshot, Urgency
from .presence import MOST_BEFORE_LOADING, Presence
from .worker import Worker

__all__ = ["MOST_BEFORE_LOADING", "Job", "JobSnapshot", "Presence", "Urgency", "Worker"]
