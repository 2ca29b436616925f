"""Every context that maximal marginal relevance gives a query, over the whole of lambda_d."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BoolArray, FloatArray, IntArray
from .cosines import NEAR, exact_redundancy, fast_cosines
from .envelope import breakpoints
from .mmr import valued, weighed
from .pool_arrays import PoolArrays, pool_arrays
from .selection import PathPiece


def mmr_path(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_b: float = 1.0,
    quality_bias: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
) -> list[PathPiece]:
    """All pieces of lambda_d in [0, 1] on which `mmr` gives one and the same list, ascending.

    The weighed value of a demonstration is a straight line in lambda_d, so after any picks the
    next one is read off the upper envelope of lines. The pieces are half-open, the last one is
    closed, and they tile [0, 1]. Inside a piece `mmr` chooses these indices in this order; at its
    ends two lists tie. A list that wins at a single point only has no piece.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias, 0 = bias only.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.

    Returns:
        The pieces; one piece without indices for k = 0 and for an empty pool.

    Raises:
        ValueError: As for `mmr`.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded)
    values = valued(pool.relevance, pool.quality_bias, lambda_b)
    if pool.k == 0:
        return [PathPiece(0.0, 1.0, np.empty(0, dtype=np.int64))]
    tree = _Tree(pool, values)
    # The leftmost unfinished prefix is always on top, so the pieces come out in order.
    unfinished = [tree.root()]
    pieces: list[PathPiece] = []
    while unfinished:
        prefix = unfinished.pop()
        if len(prefix.chosen) == pool.k:
            pieces.append(PathPiece(prefix.low, prefix.high, prefix.chosen))
        else:
            unfinished.extend(reversed(tree.longer(prefix)))
    return pieces


class _Prefix:
    """The first picks, shared by every lambda_d from low to high."""

    __slots__ = ("chosen", "high", "low", "redundancy")

    def __init__(
        self, low: float, high: float, chosen: IntArray, redundancy: FloatArray | None
    ) -> None:
        self.low, self.high, self.chosen = low, high, chosen
        self.redundancy = redundancy  # (n,), fast, with all picks but the last


class _Tree:
    """The tree of prefixes: each one splits where the next pick changes."""

    def __init__(self, pool: PoolArrays, values: NDArray[np.float64]) -> None:
        self.pool, self.values = pool, values
        self.rows: dict[int, FloatArray] = {}  # one pass over the pool a demonstration, not a node

    def root(self) -> _Prefix:
        first = int(np.argmax(np.where(self.pool.closed, -np.inf, self.values)))
        return _Prefix(0.0, 1.0, np.array([first], dtype=np.int64), None)

    def longer(self, prefix: _Prefix) -> list[_Prefix]:
        """The prefixes with one pick more, from the lowest lambda_d to the highest."""
        redundancy = self._cosines(int(prefix.chosen[-1]))
        if prefix.redundancy is not None:
            redundancy = np.maximum(prefix.redundancy, redundancy)
        closed = self.pool.closed.copy()
        closed[prefix.chosen] = True
        rivals = _rivals(self.values, redundancy, closed, prefix.low, prefix.high)
        exact = exact_redundancy(self.pool.embeddings, rivals, prefix.chosen)
        values = self.values[rivals]
        found: list[_Prefix] = []
        for low, high in pairwise(breakpoints(-exact, values, prefix.low, prefix.high)):
            # Weighed as `mmr` weighs it, so that equal values go to the same index there and here.
            winner = int(rivals[np.argmax(weighed(values, exact, (low + high) / 2))])
            if found and found[-1].chosen[-1] == winner:
                found[-1].high = high
            else:
                chosen = np.append(prefix.chosen, winner)
                found.append(_Prefix(low, high, chosen, redundancy))
        return found

    def _cosines(self, index: int) -> FloatArray:
        if index not in self.rows:
            self.rows[index] = fast_cosines(self.pool.embeddings, index)
        return self.rows[index]


def _rivals(
    values: NDArray[np.float64],
    redundancy: FloatArray,
    closed: BoolArray,
    low: float,
    high: float,
) -> IntArray:
    """The few demonstrations that can win anywhere from low to high, ascending; none is missed.

    A few winners bound the envelope from below. Above that bound a straight line can only be at
    one of the bound's corners, so whoever is below it at every corner is below it everywhere.
    """

    def weights(lambda_ds: FloatArray) -> NDArray[np.float64]:  # (m, n)
        at = weighed(values, redundancy, lambda_ds[:, None])
        at[:, closed] = -np.inf
        return at

    winners = np.unique(weights(np.linspace(low, high, 4)).argmax(axis=1))
    floor_values, floor_redundancy = values[winners], redundancy[winners].astype(np.float64)
    corners = np.array(breakpoints(-floor_redundancy, floor_values, low, high))
    floor = weighed(floor_values, floor_redundancy, corners[:, None]).max(axis=1)
    return np.flatnonzero((weights(corners) >= floor[:, None] - NEAR).any(axis=0))
