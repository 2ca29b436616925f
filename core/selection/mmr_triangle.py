"""Every context that maximal marginal relevance gives a query: the triangle of all weights."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import FloatArray, IntArray
from .cosines import PickedCosines, exact_redundancy
from .mmr_path import mmr_path
from .polygons import TRIANGLE, Polygon, near_winners, parts_won, share
from .pool_arrays import PoolArrays, pool_arrays


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A convex part of the triangle of weights in which `mmr` chooses one list.

    Attributes:
        polygon: The weights (relevance, quality, diversity) of its corners in order round it, shape
            (v, 3), each row in [0, 1] with sum 1. Without a quality bias the triangle is the edge
            from "similar" to "diverse", and this the two ends of a stretch of it.
        indices: The demonstrations in the order chosen, shape (k,).
    """

    polygon: NDArray[np.float64]
    indices: IntArray

    @property
    def share(self) -> float:
        """Its share of the triangle, in (0, 1]; of the edge, if that is all there is."""
        if len(self.polygon) == 2:
            return float(abs(self.polygon[1, 2] - self.polygon[0, 2]))
        return share([tuple(corner) for corner in self.polygon.tolist()])


@dataclass(frozen=True, slots=True)
class ContextCells:
    """All cells in which the same demonstrations are chosen, in whatever order."""

    chosen: frozenset[int]
    cells: tuple[Cell, ...]

    @property
    def share(self) -> float:
        """Their share of the triangle, in (0, 1]."""
        return sum(cell.share for cell in self.cells)


def by_context(cells: Iterable[Cell]) -> list[ContextCells]:
    """The cells of each set of demonstrations together, the largest share first."""
    together: dict[frozenset[int], list[Cell]] = defaultdict(list)
    for cell in cells:
        together[frozenset(cell.indices.tolist())].append(cell)
    contexts = [ContextCells(chosen, tuple(cells)) for chosen, cells in together.items()]
    return sorted(contexts, key=lambda context: -context.share)


def mmr_triangle(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    quality_bias: ArrayLike | None,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> list[Cell]:
    """All cells of the triangle of weights, in each of which `mmr` gives one and the same list.

    With the weights x = lambda_d * lambda_b of relevance, y = lambda_d * (1 - lambda_b) of quality
    and z = 1 - lambda_d of diversity, which sum to 1, a step maximises x r_i + y b_i - z m_i, and
    the first one, unless some are pinned, x r_i + y b_i: linear in the weights. So the triangle
    with the corners "similar" (x = 1), "likely" (y = 1) and "diverse" (z = 1) falls pick by pick
    into ever smaller convex cells. They tile it. Inside a cell `mmr` chooses its indices in this
    order; on an edge between two cells both lists tie. A list that wins on a line or at a point
    only has no cell.

    `mmr_path` goes along lines of constant y / x, from the corner "diverse" to the edge opposite
    to it, and `mmr_lambda_b_path` along lines of constant z.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows, or groups, that are not excluded.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0, or that
            on another scale. None = there is only the edge from "similar" to "diverse": every cell
            has two corners.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        groups: As for `mmr`.
        pinned: As for `mmr`.

    Returns:
        The cells, in no order that means anything; the whole triangle (or edge) without indices for
        k = 0 and for an empty pool.

    Raises:
        ValueError: As for `mmr`.

    Source: RAGSys (Algorithm 1, sections 3.3.2 and 3.3.3): both lambdas are places in the triangle.
    """
    if quality_bias is None:
        path = mmr_path(relevance, embeddings, k, excluded=excluded, groups=groups, pinned=pinned)
        ends = [np.array([[p.low, 0, 1 - p.low], [p.high, 0, 1 - p.high]]) for p in path]
        return [Cell(end, piece.indices) for end, piece in zip(ends, path, strict=True)]
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded, groups, pinned)
    return _CellTree(pool).cells()


@dataclass(frozen=True, slots=True)
class _CellPrefix:
    """The first picks, shared by all weights of a polygon."""

    polygon: Polygon
    chosen: list[int]
    redundancy: FloatArray | None  # (n,), fast, with all picks but the last


class _CellTree:
    """The tree of prefixes: each one falls into parts by the next pick.

    The next pick depends on which demonstrations were picked, not on their order, so redundancies
    are computed once for all prefixes that picked the same.
    """

    def __init__(self, pool: PoolArrays) -> None:
        self.pool = pool
        self.cosines = PickedCosines(pool.embeddings)  # shared by all prefixes
        self.closed = np.flatnonzero(pool.closed)
        self.parts = np.zeros((3, len(pool.relevance)))
        self.parts[0] = pool.relevance
        self.parts[1] = pool.quality_bias

    def cells(self) -> list[Cell]:
        """The leaves of the tree."""
        found: list[Cell] = []
        # All prefixes grow at once, so that the cosines with the newest picks cost one pass over
        # the pool. Where that would take too much memory, the first half goes first.
        pinned = self.pool.pinned
        waiting = [[_CellPrefix(TRIANGLE, pinned, self.cosines.redundancy_before_last(pinned))]]
        while waiting:
            prefixes = waiting.pop()
            if len(prefixes[0].chosen) == self.pool.k:
                found += [Cell(np.array(p.polygon), np.array(p.chosen, np.int64)) for p in prefixes]
                continue
            same = [list(some) for _, some in groupby(sorted(prefixes, key=_picked), _picked)]
            if len(same) > 1 and self.cosines.too_many(len(same)):
                half = len(same) // 2
                waiting += [sum(same[half:], []), sum(same[:half], [])]
            else:
                self.cosines.prepare({some[0].chosen[-1] for some in same if some[0].chosen})
                waiting.append([longer for some in same for longer in self._longer(some)])
        return found

    def _longer(self, prefixes: list[_CellPrefix]) -> Iterator[_CellPrefix]:
        """These prefixes, which picked the same, with one pick more."""
        chosen = prefixes[0].chosen
        redundancy = self.cosines.redundancy(chosen, prefixes[0].redundancy)
        self.parts[2] = 0.0 if redundancy is None else -redundancy
        closed = self._closed_after(chosen)
        for prefix in prefixes:
            rivals = near_winners(prefix.polygon, self.parts, closed)
            parts = self.parts[:, rivals]
            if redundancy is not None:
                parts[2] = -exact_redundancy(self.pool.embeddings, rivals, np.array(chosen))
            for place, polygon in parts_won(prefix.polygon, parts):
                yield _CellPrefix(polygon, [*prefix.chosen, int(rivals[place])], redundancy)

    def _closed_after(self, chosen: list[int]) -> IntArray:
        return np.concatenate([self.closed, *map(self.pool.closed_by, chosen)])


def _picked(prefix: _CellPrefix) -> list[int]:
    return sorted(prefix.chosen)
