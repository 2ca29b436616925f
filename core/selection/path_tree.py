"""Every list of picks along a line through the lambdas, lambda_b among them: a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import FloatArray, IntArray
from .cosines import NEAR, PickedCosines, exact_redundancy
from .pool_arrays import PathPiece, PoolArrays, checked_lambda, pool_arrays

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


@dataclass(frozen=True, slots=True)
class LambdaLine:
    """One lambda that goes from 0 to 1 while the other is fixed."""

    knob: str  # "lambda_d" or "lambda_b"
    other: float

    def weights(self, at: float, *, first: bool = False) -> NDArray[np.float64]:
        """The weights of relevance, quality bias, redundancy and being closed there, shape (4,).

        A pick's weighed value is this sum; the first one has no redundancy to weigh.
        """
        lambda_d, lambda_b = (at, self.other) if self.knob == "lambda_d" else (self.other, at)
        if first:
            lambda_d = 1.0
        return np.array([lambda_d * lambda_b, lambda_d * (1 - lambda_b), lambda_d - 1, 1.0])


def pieces_along(way: LambdaLine, pool: PoolArrays, gram: ArrayLike | None) -> list[PathPiece]:
    """The pieces of the way on which `mmr` gives one and the same list, ascending.

    Args:
        way: The lambda that varies, and the value of the other one.
        pool: Checked arrays.
        gram: All cosines of the rows, shape (n, n), within 1e-5 of the exact ones; or None.

    Raises:
        ValueError: Embeddings or Gram matrix contain a value that is not finite, or the latter has
            another shape.
    """
    return _Tree(way, pool, _checked_gram(gram, len(pool.relevance))).pieces()


@dataclass(slots=True)
class _Prefix:
    """The first picks, shared by every value of the lambda from low to high."""

    low: float
    high: float
    chosen: list[int]
    redundancy: FloatArray | None  # (n,), fast, with all picks but the last


_Stretch = list[_Prefix]
"""Neighbours, ascending, that picked the same demonstrations in different orders."""


class _Tree:
    """The tree of prefixes: each one splits where the next pick changes.

    The next pick depends on which demonstrations were picked, not on their order: so it is found
    once for a whole stretch, which with many picks saves most of the work.
    """

    def __init__(self, way: LambdaLine, pool: PoolArrays, gram: FloatArray | None) -> None:
        self.pool = pool
        self.cosines = PickedCosines(pool.embeddings, gram)  # shared by all prefixes
        self.closed = np.where(pool.closed, -np.inf, 0.0)
        self.parts = np.zeros((4, len(pool.relevance)))
        self.parts[0] = pool.relevance
        if pool.quality_bias is not None:
            self.parts[1] = pool.quality_bias
        self.first_weights = np.stack([way.weights(end, first=True) for end in (0.0, 1.0)])
        self.weights = np.stack([way.weights(end) for end in (0.0, 1.0)])

    def pieces(self) -> list[PathPiece]:
        """The leaves of the tree: the intervals and lists of all k picks, ascending."""
        found: list[PathPiece] = []
        # All prefixes grow at once, so that the cosines with the newest picks cost one pass over
        # the pool. Where that would take too much memory, the half on the left goes first.
        pinned = self.pool.pinned
        waiting = [[_Prefix(0.0, 1.0, pinned, self.cosines.redundancy_before_last(pinned))]]
        while waiting:
            prefixes = waiting.pop()
            stretches = [list(same) for _, same in groupby(prefixes, _picked)]
            if len(prefixes[0].chosen) == self.pool.k:
                found += [PathPiece(p.low, p.high, np.array(p.chosen, np.int64)) for p in prefixes]
            elif len(stretches) > 1 and self.cosines.too_many(len(stretches)):
                left = sum(map(len, stretches[: len(stretches) // 2]))
                waiting += [prefixes[left:], prefixes[:left]]
            else:
                self.cosines.prepare({one[0].chosen[-1] for one in stretches if one[0].chosen})
                waiting.append([longer for one in stretches for longer in self._longer(one)])
        return found

    def _longer(self, stretch: _Stretch) -> Iterator[_Prefix]:
        """The prefixes of a stretch with one pick more, ascending."""
        redundancy = self.cosines.redundancy(stretch[0].chosen, stretch[0].redundancy)
        picks = self._next_picks(stretch, redundancy)
        for prefix in stretch:
            start = prefix.low
            for end, pick in picks:
                stop = prefix.high if end > prefix.high - RESOLUTION else end
                if stop > start + RESOLUTION:
                    yield _Prefix(start, stop, [*prefix.chosen, pick], redundancy)
                    start = stop

    def _next_picks(
        self, stretch: _Stretch, redundancy: FloatArray | None
    ) -> list[tuple[float, int]]:
        """The end of the interval in which each next pick wins, and that pick; ascending."""
        low, high, chosen = stretch[0].low, stretch[-1].high, stretch[0].chosen
        weights = self.weights if chosen else self.first_weights
        self.parts[2] = 0.0 if redundancy is None else redundancy
        self.parts[3] = self.closed
        self.parts[3, chosen] = -np.inf
        if self.pool.groups is not None:
            for pick in chosen:
                self.parts[3, self.pool.closed_by(pick)] = -np.inf
        left, right = Lines(self.parts, weights).heights([low, high])
        rivals = near_highest(left, right, NEAR)
        parts = self.parts[:, rivals]
        if redundancy is not None:
            parts[2] = exact_redundancy(self.pool.embeddings, rivals, np.array(chosen))
        found = highest(Lines(parts, weights), low, high)
        ends = [*(start for start, _ in found[1:]), high]
        return [(end, int(rivals[line])) for end, (_, line) in zip(ends, found, strict=True)]


def _picked(prefix: _Prefix) -> frozenset[int]:
    return frozenset(prefix.chosen)


def _checked_gram(gram: ArrayLike | None, n: int) -> FloatArray | None:
    if gram is None:
        return None
    matrix = np.asarray(gram)
    if matrix.shape != (n, n):
        raise ValueError(f"gram has shape {matrix.shape}; give ({n}, {n})")
    return matrix


def mmr_lambda_b_path(  # noqa: PLR0913 - those of `mmr`
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    quality_bias: ArrayLike,
    excluded: ArrayLike | None = None,
    gram: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> list[PathPiece]:
    """All pieces of lambda_b in [0, 1] on which `mmr` gives one and the same list, ascending.

    The weighed value of a demonstration is a straight line in lambda_b too, also that of the first
    pick. The pieces are as in `mmr_path`.

    The arguments are those of `mmr`, and `gram` that of `mmr_path`.

    Returns:
        The pieces; one piece without indices for k = 0 and for an empty pool.

    Raises:
        ValueError: As for `mmr_path`.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded, groups, pinned)
    return pieces_along(LambdaLine("lambda_b", checked_lambda("lambda_d", lambda_d)), pool, gram)
