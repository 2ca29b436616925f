"""The figures of a run that is still going: a summary of its examples so far."""

import time
from collections.abc import Callable

from ...background import JobSnapshot
from ...evaluation.results.run_figures import RunFigures

GAP = 1.0
"""Seconds between two summaries of a partial result, at least."""
SHARE = 4.0
"""A summary that took t seconds is not made again for SHARE * t seconds."""


class LiveSummary:
    """Summaries of partial results, made seldom enough to leave the machine to the model.

    A summary of many cells and many examples costs something; between two of them the earlier one
    is shown.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._job: int | None = None
        self._counted = ("", 0)  # the part, and its examples
        self._not_before = 0.0
        self._summary: RunFigures | None = None

    def of(self, now: JobSnapshot) -> RunFigures | None:
        """The summary of the job's examples so far; None before the first."""
        if self._job != now.id:
            self._job, self._counted, self._summary = now.id, ("", 0), None
            self._not_before = 0.0
        partial, started = now.partial, self._clock()
        if partial is None or started < self._not_before:
            return self._summary
        # Each model of a comparison counts from 0 again.
        counted = (now.part, partial.figures.done)
        if counted == self._counted:
            return self._summary
        self._summary, self._counted = partial.summary(), counted
        spent = self._clock() - started
        self._not_before = started + spent + max(GAP, SHARE * spent)
        return self._summary
