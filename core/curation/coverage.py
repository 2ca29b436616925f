"""Where a pool has holes, and how a measured value is distributed over its tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..demonstration.demonstration import Demonstration
from ..retrieval.pool_view import PoolView
from ..types import FloatArray, IntArray
from ..watcher import NOBODY, Watcher

BLOCK = 64
"""Queries between two reports of progress; with 100,000 demonstrations 26 MB of cosines."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """How near the nearest included demonstration of each of m queries is.

    Attributes:
        queries: The queries, each a different text.
        vectors: Their unit rows, shape (m, d).
        nearest: The id of the nearest demonstration of another query, shape (m,); 0 for none.
        similarity: Its cosine with the query, shape (m,), in [-1, 1]; -1 for none.
    """

    queries: tuple[str, ...]
    vectors: FloatArray
    nearest: IntArray
    similarity: FloatArray

    def at_share(self, share: float) -> float:
        """The similarity that this share of the queries, in [0, 1], does not exceed; 0 for none."""
        return float(np.quantile(self.similarity, share)) if len(self.similarity) else 0.0

    def holes(self, below: float) -> IntArray:
        """Places of the queries whose nearest is less similar than that, the farthest first."""
        ranked = np.argsort(self.similarity, kind="stable")
        return ranked[self.similarity[ranked] < below]

    def fills(self, below: float) -> IntArray:
        """For each of `holes`, how many of the others end if its query gets a demonstration.

        Shape (holes,). A pool's own queries end none: each of them has one already.
        """
        rows = self.vectors[self.holes(below)]
        near = (rows @ rows.T) >= below
        np.fill_diagonal(near, False)
        ends: IntArray = near.sum(axis=1)
        return ends


def cover(
    view: PoolView, queries: Sequence[str], vectors: FloatArray, *, watcher: Watcher = NOBODY
) -> Coverage:
    """The nearest demonstration of each query; its own ones (`PoolView.same_query`) are left out.

    Args:
        view: The included demonstrations.
        queries: The evaluation queries, each a different text.
        vectors: Their unit rows, shape (m, d).
        watcher: Gets how many queries are done, and of how many; asked between blocks of them.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    nearest = np.zeros(len(queries), dtype=np.int64)
    similarity = np.full(len(queries), -1.0)
    for start in range(0, len(queries), BLOCK):
        watcher.checkpoint("Comparing was stopped.")
        block = slice(start, start + BLOCK)
        cosines = (vectors[block] @ view.embeddings.T)[:, view.rows]
        for place, query in enumerate(queries[block]):
            cosines[place, view.same_query(query)] = -np.inf
        if len(view):
            best = cosines.argmax(axis=1)
            values = cosines[np.arange(len(best)), best]
            there = np.isfinite(values)
            nearest[block] = np.where(there, view.ids[best], 0)
            similarity[block] = np.where(there, np.clip(values, -1.0, 1.0), -1.0)
        watcher.on_progress(min(start + BLOCK, len(queries)), len(queries))
    return Coverage(tuple(queries), vectors, nearest, similarity)


SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a distribution."""
MOST = 15
"""So many tags are told apart, the most frequent ones."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of the demonstrations of one tag.

    Attributes:
        tag: The tag; "" for those without any.
        count: How many demonstrations with a value it has, >= 1.
        quantiles: At `SHARES`, ascending, shape (5,).
    """

    tag: str
    count: int
    quantiles: FloatArray


def by_tag(
    rows: Sequence[Demonstration], values: Mapping[int, float], most: int = MOST
) -> list[Distribution]:
    """The distribution of the values for each of the most frequent tags, by median, lowest first.

    A demonstration with several tags counts for each of them; one without a value for none.

    Args:
        rows: The demonstrations.
        values: By id.
        most: How many tags, >= 0; those without a tag come on top of that.
    """
    found: dict[str, list[float]] = {}
    for row in rows:
        value = values.get(row.id)
        if value is not None:
            for tag in row.tags or ("",):
                found.setdefault(tag, []).append(value)
    tags = sorted((tag for tag in found if tag), key=lambda tag: (-len(found[tag]), tag))[:most]
    kept = [*tags, *([""] if "" in found else [])]
    each = [Distribution(tag, len(found[tag]), np.quantile(found[tag], SHARES)) for tag in kept]
    return sorted(each, key=lambda one: (float(one.quantiles[2]), one.tag))
