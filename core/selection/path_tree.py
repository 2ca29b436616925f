"""Every list of picks along a straight way through the lambdas: a tree of their beginnings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import FloatArray, IntArray
from .cosines import NEAR, exact_redundancy, fast_cosine_rows
from .envelope import Lines, highest
from .pool_arrays import PoolArrays
from .selection import PathPiece

_LOOKS = np.array([0.0, 0.5, 1.0])
"""Where in an interval the first few winners are looked for."""


@dataclass(frozen=True, slots=True)
class Way:
    """One knob turned from 0 to 1 while the other stands still."""

    knob: str  # "lambda_d" or "lambda_b"
    other: float

    def weights(self, at: float, *, first: bool = False) -> NDArray[np.float64]:
        """What relevance, quality bias, redundancy and being closed count there, shape (4,).

        A pick's weighed value is this sum; the first one has no redundancy to weigh.
        """
        lambda_d, lambda_b = (at, self.other) if self.knob == "lambda_d" else (self.other, at)
        if first:
            lambda_d = 1.0
        return np.array([lambda_d * lambda_b, lambda_d * (1 - lambda_b), lambda_d - 1, 1.0])


def pieces_along(way: Way, pool: PoolArrays, gram: ArrayLike | None) -> list[PathPiece]:
    """The pieces of the way on which `mmr` gives one and the same list, ascending.

    Args:
        way: The knob that is turned, and where the other one stands.
        pool: Checked arrays.
        gram: All cosines of the rows, shape (n, n), within 1e-5 of the exact ones; or None.

    Raises:
        ValueError: Embeddings or Gram matrix hold a value that is not finite, or the latter has
            another shape.
    """
    tree = _Tree(way, pool, _checked_gram(gram, len(pool.relevance)))
    # Level by level, each from the left to the right: so the pieces come out in order.
    level = [_Prefix(0.0, 1.0, [], None)]
    for _ in range(pool.k):
        tree.prepare({prefix.chosen[-1] for prefix in level if prefix.chosen})
        level = [longer for prefix in level for longer in tree.longer(prefix)]
    return [
        PathPiece(prefix.low, prefix.high, np.array(prefix.chosen, dtype=np.int64))
        for prefix in level
    ]


@dataclass(slots=True)
class _Prefix:
    """The first picks, shared by every place of the knob from low to high."""

    low: float
    high: float
    chosen: list[int]
    redundancy: FloatArray | None  # (n,), fast, with all picks but the last


class _Tree:
    """The tree of prefixes: each one splits where the next pick changes."""

    def __init__(self, way: Way, pool: PoolArrays, gram: FloatArray | None) -> None:
        self.pool, self.gram = pool, gram
        self.cosines: dict[int, FloatArray] = {}  # one row a demonstration, however many nodes
        self.closed = np.where(pool.closed, -np.inf, 0.0)
        self.parts = np.zeros((4, len(pool.relevance)))
        self.parts[0] = pool.relevance
        if pool.quality_bias is not None:
            self.parts[1] = pool.quality_bias
        self.first_weights = way.weights(0.0, first=True), way.weights(1.0, first=True)
        self.weights = way.weights(0.0), way.weights(1.0)

    def prepare(self, picks: set[int]) -> None:
        """Have the cosines with these demonstrations at hand, all in one pass over the pool."""
        missing = sorted(picks - self.cosines.keys())
        if missing:
            rows = self._rows(missing)
            self.cosines.update(zip(missing, rows, strict=True))

    def longer(self, prefix: _Prefix) -> list[_Prefix]:
        """The prefixes with one pick more, from the lowest place of the knob to the highest."""
        redundancy = self._redundancy(prefix)
        rivals = self._rivals(prefix, redundancy)
        parts = self.parts[:, rivals]
        if redundancy is not None:
            parts[2] = exact_redundancy(self.pool.embeddings, rivals, np.array(prefix.chosen))
        pieces = highest(self._lines(prefix, parts), prefix.low, prefix.high)
        ends = [*(start for start, _ in pieces[1:]), prefix.high]
        return [
            _Prefix(low, high, [*prefix.chosen, int(rivals[line])], redundancy)
            for (low, line), high in zip(pieces, ends, strict=True)
        ]

    def _rows(self, indices: list[int]) -> FloatArray:
        if self.gram is None:
            return fast_cosine_rows(self.pool.embeddings, indices)
        rows: FloatArray = self.gram[indices]
        if not np.isfinite(rows).all():
            raise ValueError("gram holds a value that is not finite")
        return rows

    def _redundancy(self, prefix: _Prefix) -> FloatArray | None:
        """The fast redundancies with all picks of the prefix, (n,); None before the first pick."""
        if not prefix.chosen:
            return None
        newest = self.cosines[prefix.chosen[-1]]
        return newest if prefix.redundancy is None else np.maximum(prefix.redundancy, newest)

    def _lines(self, prefix: _Prefix, parts: NDArray[np.float64]) -> Lines:
        return Lines(parts, *(self.weights if prefix.chosen else self.first_weights))

    def _rivals(self, prefix: _Prefix, redundancy: FloatArray | None) -> IntArray:
        """The few demonstrations that can win anywhere in the prefix, ascending; none is missed.

        A few winners bound the envelope from below. Above that bound a straight line can only be
        at one of the bound's corners, so whoever is below it at every corner is so everywhere.
        """
        self.parts[2] = 0.0 if redundancy is None else redundancy
        self.parts[3] = self.closed
        self.parts[3, prefix.chosen] = -np.inf
        lines = self._lines(prefix, self.parts)
        low, high = prefix.low, prefix.high
        looks = lines.heights(low + (high - low) * _LOOKS)
        winners = sorted(set(looks.argmax(axis=1).tolist()))
        floor = self._lines(prefix, self.parts[:, winners])
        above = lines.heights(np.array([low, *floor.crossings(low, high), high]))
        above -= above[:, winners].max(axis=1)[:, None]
        return np.flatnonzero(above.max(axis=0) >= -NEAR)


def _checked_gram(gram: ArrayLike | None, n: int) -> FloatArray | None:
    if gram is None:
        return None
    matrix = np.asarray(gram)
    if matrix.shape != (n, n):
        raise ValueError(f"gram has shape {matrix.shape}; give ({n}, {n})")
    return matrix
