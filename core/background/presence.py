"""Whether a person is served: then they go first, and work beside the pages waits a moment."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

DRAWING = 0.25
"""Seconds after a page's run in which the browser draws what it was sent."""
MOST = 2.0
"""Seconds that work may pause before it has worked as long again."""
MOST_BEFORE_LOADING = 15.0
"""The same before weights are read: that takes seconds and cannot be interrupted, and a first page
that is drawn beside it takes twice as long."""
_LOOK = 0.01


class Presence:
    """Whether a person is being served: a page runs for them, or their browser is drawing it.

    A display that redraws itself, such as a progress bar, is no person and does not count.

    Args:
        clock: Returns the time in seconds.
        drawing: Seconds after a page's run in which the browser draws what it was sent.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, drawing: float = DRAWING
    ) -> None:
        self._clock = clock
        self._drawing = drawing
        self._lock = threading.Lock()
        self._runs = 0
        self._drawn = -math.inf

    @contextmanager
    def serving(self) -> Iterator[None]:
        """A person is served while the block runs, and while the browser draws what it sent."""
        with self._lock:
            self._runs += 1
        try:
            yield
        finally:
            with self._lock:
                self._runs -= 1
                self._drawn = self._clock() + self._drawing

    @property
    def served(self) -> bool:
        """Whether someone is served now."""
        return self._runs > 0 or self._clock() < self._drawn

    def left(self, seconds: float) -> bool:
        """Whether someone was served, and for so many seconds nobody."""
        return self._runs == 0 and -math.inf < self._drawn <= self._clock() - seconds


class WaitForPeople:
    """One thread's waiting for those who are served: for so long at most before it works again.

    Waiting is repaid by work: the more it has worked since, the longer it may wait again.
    However long a person stays, at least half of the time goes to the work.
    """

    def __init__(
        self,
        presence: Presence,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._presence = presence
        self._clock = clock
        self._sleep = sleep
        self._paused = 0.0
        self._left = clock()

    def give_way(self, hurried: Callable[[], bool], most: float = MOST) -> None:
        """Wait while someone is served, but not once `hurried()`: then the work must go on."""
        came = self._clock()
        waited, before = 0.0, max(0.0, self._paused - (came - self._left))
        while self._presence.served and before + waited < most and not hurried():
            self._sleep(_LOOK)
            waited = self._clock() - came
        self._paused, self._left = before + waited, came + waited
