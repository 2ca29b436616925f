"""What long work writes to standard error while a command waits for it."""

import time

from ..background.job import Pace, in_words
from ..watcher import EXAMPLES, OnProgress, Watcher
from .console import say

REPORT_EVERY = 60.0
"""Seconds between two lines about work that takes long, at most."""


def watcher(what: str) -> Watcher:
    """A watcher that prints the progress of each phase; `what` names that of examples."""
    current = [progress(what)]

    def enter(phase: str) -> None:
        current[0] = progress(what if phase == EXAMPLES else phase)

    return Watcher(
        on_progress=lambda done, total: current[0](done, total),
        on_phase=enter,
        on_part=say,
        on_note=say,
    )


def progress(what: str) -> OnProgress:
    """A callback that writes each further tenth of the work to standard error, or every minute."""
    tenths, pace, latest = 0, Pace(), time.monotonic()

    def print_progress(done: int, total: int) -> None:
        nonlocal tenths, latest
        reached = 10 * done // total if total else 10
        left = pace.left(done, total)
        if reached > tenths or time.monotonic() - latest >= REPORT_EVERY:
            tenths, latest = reached, time.monotonic()
            say(f"{what}: {done:,} of {total:,}" + (f", {in_words(left)} left" if left else ""))

    return print_progress
