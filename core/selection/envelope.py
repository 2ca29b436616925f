"""The upper envelope of straight lines over an interval of [0, 1]."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 1e-12
"""Breakpoints nearer to each other than this are reported as one."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Straight lines over [0, 1]; the height of each is a weighted sum of its parts.

    The weights run straight too, from `at_0` to `at_1`.
    """

    parts: NDArray[np.float64]  # (p, c)
    at_0: NDArray[np.float64]  # (p,)
    at_1: NDArray[np.float64]  # (p,)

    def heights(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The height of every line at every place, shape (len(places), c), rounded."""
        share = places[:, None]
        heights: NDArray[np.float64] = ((1 - share) * self.at_0 + share * self.at_1) @ self.parts
        return heights

    def leads(self, line: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How high one line is above every line at 0 and at 1, shape (c,) each.

        Differences of parts come first: lines that almost coincide lose no digits that way.
        """
        above = self.parts[:, line, None] - self.parts
        return self.at_0 @ above, self.at_1 @ above

    def crossings(self, low: float, high: float) -> list[float]:
        """Where any two lines cross strictly between low and high, in no order; for few lines."""
        left, right = (self.at_0 @ self.parts).tolist(), (self.at_1 @ self.parts).tolist()
        found = []
        for one, other in combinations(range(len(left)), 2):
            lead_at_0, lead_at_1 = left[one] - left[other], right[one] - right[other]
            if lead_at_0 != lead_at_1:
                found.append(lead_at_0 / (lead_at_0 - lead_at_1))
        return [place for place in found if low < place < high]


def highest(lines: Lines, low: float, high: float) -> list[tuple[float, int]]:
    """The highest line at every place from `low` to `high`: where it begins to be, and which.

    Ascending, the first one from `low`. Equal lines go to the first of them. The walk goes from low
    to high: on the highest line it looks for the first crossing with a steeper line, and goes on
    along whichever line is the highest right behind it.

    Args:
        lines: At least one.
        low: Where the interval begins, in [0, 1].
        high: Where it ends, in [low, 1].
    """
    at, current = low, int(lines.heights(np.array([low])).argmax())
    found: list[tuple[float, int]] = []
    while True:
        current, lead_at_0, fall = _highest_behind(lines, current, at + RESOLUTION)
        found.append((at, current))
        crossings = np.full(len(fall), np.inf)
        np.divide(lead_at_0, fall, out=crossings, where=fall > 0)
        crossings[crossings <= at + RESOLUTION] = np.inf  # by rounding alone: they lie behind
        current = int(crossings.argmin())
        at = float(crossings[current])
        if at >= high - RESOLUTION:
            return found


def _highest_behind(
    lines: Lines, current: int, place: float
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """The first of the highest lines at a place, its leads at 0, and how they fall towards 1.

    A lead over a line that nearly coincides is exact, one over a line far off is rounded: so the
    line that a first look finds looks once more at those near to it.
    """
    lead_at_0, lead_at_1 = lines.leads(current)
    for _ in range(2):
        better = int(((1 - place) * lead_at_0 + place * lead_at_1).argmin())
        if better == current:
            break
        current = better
        lead_at_0, lead_at_1 = lines.leads(current)
    return current, lead_at_0, lead_at_0 - lead_at_1
