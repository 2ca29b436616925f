"""Contenders that do the same work in turns: their CPU times, and differences from our numbers."""

import time
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.figures import quartiles, record_time

OURS = "shotlist"

Work = TypeVar("Work")


class Turns(Generic[Work]):
    """The measurements of all contenders; ours is named `OURS` and comes first.

    `ms` has by contender the CPU milliseconds an item, round by round; `apart` the largest
    difference of one of its numbers from ours.
    """

    def __init__(self, contenders: Mapping[str, Callable[[Work], ArrayLike]]) -> None:
        self._contenders = contenders
        self.ms: dict[str, list[float]] = {name: [] for name in contenders}
        self.apart = dict.fromkeys(contenders, 0.0)

    def warm_up(self, work: Work) -> None:
        """Let each do the work once unmeasured: the first time is slower."""
        for do in self._contenders.values():
            do(work)

    def take(self, work: Work, items: int) -> None:
        """One round: each does the work, which has so many items."""
        found = {}
        for name, do in self._contenders.items():
            started = time.process_time()
            found[name] = do(work)
            self.ms[name].append(1e3 * (time.process_time() - started) / items)
            difference = np.abs(np.asarray(found[name]) - np.asarray(found[OURS]))
            self.apart[name] = max(self.apart[name], float(difference.max()))

    def report(self, work: str, *, item: str, numbers: str) -> None:
        """Print and record each contender's median with quartiles and the ratio to ours.

        Args:
            work: What is done, for the record.
            item: What one item is, such as "a query".
            numbers: What the compared numbers are.
        """
        for name, ms in self.ms.items():
            taken = quartiles(ms)
            # Each round by itself: what else the machine did then slowed both.
            ratio = quartiles([a / b for a, b in zip(ms, self.ms[OURS], strict=True)])
            equal = "" if name == OURS else f"{numbers} at most {self.apart[name]:.0e} apart"
            print(
                f"  {name:12} {taken.median:9.2f} ms CPU {item} ({taken.low:.2f} to "
                f"{taken.high:.2f})  {ratio.median:6.2f}x ({ratio.low:.2f} to {ratio.high:.2f})"
                f"  {equal}"
            )
            record_time(work, name, ms, ratio.median, equal)
