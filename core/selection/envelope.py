"""The upper envelope of straight lines over an interval of [0, 1]."""

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 1e-12
"""Breakpoints nearer to each other than this are reported as one."""


def breakpoints(
    left: NDArray[np.float64], right: NDArray[np.float64], low: float, high: float
) -> list[float]:
    """Where the highest line changes, ascending, from `low` to `high`, both included.

    A line runs from left[i] at 0 to right[i] at 1. The walk goes from low to high: on the
    highest line it looks for the first crossing with a steeper line and goes on along that one.

    Args:
        left: Heights at 0, shape (c,), c >= 1.
        right: Heights at 1, shape (c,).
        low: Where the interval begins, in [0, 1].
        high: Where it ends, in [low, 1].
    """
    current = int(np.argmax(low * right + (1 - low) * left))
    at, found = low, [low]
    while True:
        # Differences of heights first: nearly equal lines lose no digits that way.
        lead_at_0 = left[current] - left
        lead_at_1 = right[current] - right
        steeper = np.flatnonzero(lead_at_0 - lead_at_1 > 0)
        if len(steeper) == 0:
            break
        fall = lead_at_0[steeper] - lead_at_1[steeper]
        crossings = np.maximum(lead_at_0[steeper] / fall, at)
        first = float(crossings.min())
        if first >= high - RESOLUTION:
            break
        # Exactly equal crossings only: of two nearly parallel lines, one that is met a hair later
        # can stay below the other for long.
        met = np.flatnonzero(crossings == first)
        current = int(steeper[met[np.argmax(fall[met])]])
        at = first
        if at > found[-1] + RESOLUTION:
            found.append(at)
    return [*found, high]
