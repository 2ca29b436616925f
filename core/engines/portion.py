"""How much is given to a model at once, so that other work with it soon gets its turn."""

import time
from collections.abc import Callable

SECONDS = 1.0
"""What a portion should take: a person who asks for something waits about that long."""
FIRST = 8
"""The size of the first portion, before anything is known of the model's pace."""


class Portion:
    """The size of the next portion, by how long the one before it took.

    Args:
        most: The largest size, >= 1: what is lost at most if the process is killed.
        least: The smallest size, >= 1, but never more than the largest.
        clock: Seconds since any moment.
    """

    def __init__(
        self, most: int, least: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size = min(max(FIRST, least), most)
        self._most, self._least = most, least
        self._clock = clock
        self._began = 0.0

    def begin(self) -> None:
        """The model begins with a portion."""
        self._began = self._clock()

    def end(self, done: int) -> None:
        """The model has done so much; where that is nothing, the size stays."""
        if done:
            seconds = self._clock() - self._began
            fitting = self._most if seconds <= 0 else int(done * SECONDS / seconds)
            self.size = min(self._most, max(self._least, fitting))
