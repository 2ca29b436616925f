"""The upper envelope of straight lines over an interval of [0, 1]."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import IntArray

RESOLUTION = 1e-12
"""Breakpoints nearer to each other than this are reported as one."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Straight lines over [0, 1]; the height of each is a weighted sum of its parts.

    The weights run straight too, from those at 0 to those at 1.
    """

    parts: NDArray[np.float64]  # (p, c)
    weights: NDArray[np.float64]  # (2, p)

    def heights(self, places: Sequence[float]) -> NDArray[np.float64]:
        """The height of every line at every place, shape (len(places), c), rounded."""
        shares = np.array([[1 - place, place] for place in places])
        heights: NDArray[np.float64] = shares @ self.weights @ self.parts
        return heights

    def leads(self, line: int) -> NDArray[np.float64]:
        """How far one line is above every line at 0 and at 1, shape (2, c).

        Differences of parts come first: lines that almost coincide lose no digits that way.
        """
        leads: NDArray[np.float64] = self.weights @ (self.parts[:, line, None] - self.parts)
        return leads


def highest(lines: Lines, low: float, high: float) -> list[tuple[float, int]]:
    """The highest line at every place from `low` to `high`: where it becomes highest, and which.

    Ascending, the first one from `low`. Equal lines go to the first of them. The walk goes from low
    to high: on the highest line it looks for the first crossing with a steeper line, and goes on
    along whichever line is the highest right behind it.

    Args:
        lines: At least one.
        low: Where the interval begins, in [0, 1].
        high: Where it ends, in [low, 1].
    """
    at, current = low, 0
    found: list[tuple[float, int]] = []
    while True:
        current, (lead_at_0, lead_at_1) = _highest_behind(lines, current, at + RESOLUTION)
        found.append((at, current))
        fall = lead_at_0 - lead_at_1
        steeper = np.flatnonzero(fall > 0)
        crossings = lead_at_0[steeper] / fall[steeper]
        crossings[crossings <= at + RESOLUTION] = np.inf  # behind, except for rounding
        if not len(crossings) or crossings.min() >= high - RESOLUTION:
            return found
        nearest = int(crossings.argmin())
        at, current = float(crossings[nearest]), int(steeper[nearest])


def _highest_behind(lines: Lines, current: int, place: float) -> tuple[int, NDArray[np.float64]]:
    """The first of the highest lines at a place, and its leads; the search starts at `current`.

    A lead over a line that nearly coincides is exact, one over a line far off is rounded: so the
    line that is found is compared once more with those near to it.
    """
    leads = lines.leads(current)
    for _ in range(3):
        better = int(((1 - place) * leads[0] + place * leads[1]).argmin())
        if better == current:
            break
        current = better
        leads = lines.leads(current)
    return current, leads


def near_highest(left: NDArray[np.float64], right: NDArray[np.float64], margin: float) -> IntArray:
    """The lines that come within `margin` of the highest one somewhere, ascending; none is missed.

    A few of the highest lines bound the envelope from below. Above that bound a straight line can
    only be at one of the bound's corners, so whoever stays below it at every corner does so
    everywhere.

    Args:
        left: The heights at the interval's low end, shape (n,); -inf at both ends leaves one out.
        right: Those at its high end, shape (n,).
        margin: More than the heights' rounding; a line a little further off may be among them too.
    """
    first, last = int(left.argmax()), int(right.argmax())
    near = (left >= left[first] - margin) | (right >= right[last] - margin)
    for heights, bound in _corners(left, right, first, last, margin):
        near |= heights >= bound - margin
    return np.flatnonzero(near)


def _corners(
    left: NDArray[np.float64], right: NDArray[np.float64], first: int, last: int, margin: float
) -> Iterator[tuple[NDArray[np.float64], float]]:
    """All heights, and the bound's, at each corner between two of the highest lines."""
    lead, lag = left[first] - left[last], right[last] - right[first]
    share = lead / (lead + lag) if lead + lag > 0 else 0.0
    if not 0 < share < 1:  # they meet at an end
        return
    heights = (1 - share) * left + share * right
    bound, top = float(heights[first]), int(heights.argmax())
    if heights[top] > bound + margin:
        yield from _corners(left, right, first, top, margin)
        yield from _corners(left, right, top, last, margin)
    else:
        yield heights, bound
