"""Every list of picks along a straight way through the lambdas: a tree of their prefixes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import FloatArray
from .cosines import NEAR, PickedCosines, exact_redundancy
from .envelope import RESOLUTION, Lines, highest, near_highest
from .pool_arrays import PoolArrays
from .selection import PathPiece


@dataclass(frozen=True, slots=True)
class Way:
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


def pieces_along(way: Way, pool: PoolArrays, gram: ArrayLike | None) -> list[PathPiece]:
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

    def __init__(self, way: Way, pool: PoolArrays, gram: FloatArray | None) -> None:
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
