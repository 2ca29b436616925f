"""How long work will still take, from its pace so far."""

import math
import time
from collections.abc import Callable

LEAST_SECONDS = 2.0
"""Before that much work was seen, nothing is estimated."""


class Pace:
    """Estimates from (done, total) reports; a new total or a lower count starts over."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = (0.0, 0)
        self._latest: tuple[int, int] | None = None

    def left(self, done: int, total: int) -> float | None:
        """Seconds that are probably left; None while too little was seen or nothing is left.

        What was done before the first report, as by a run that was killed, is no evidence of the
        pace and is ignored.
        """
        now = self._clock()
        if self._latest is None or done < self._latest[0] or total != self._latest[1]:
            self._start = (now, done)
        self._latest = (done, total)
        seconds, steps = now - self._start[0], done - self._start[1]
        if seconds < LEAST_SECONDS or steps <= 0 or done >= total:
            return None
        return (total - done) * seconds / steps


def in_words(seconds: float) -> str:
    """The duration in words, rounded: "about 40 s", "about 4 min", "about 1 h 20 min"."""
    if seconds < 55:
        return f"about {max(5, 5 * math.ceil(seconds / 5))} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min"
    hours, minutes = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h {minutes} min" if minutes else f"about {hours} h"
