"""The input of a method, and its choice as a context."""

from dataclasses import dataclass

import numpy as np

from ..selection.selection import Selection
from ..types import BoolArray, FloatArray, IntArray
from .context import Context
from .knobs import Knobs
from .pool_view import PoolView


@dataclass(frozen=True, eq=False)
class Asked:
    """A query whose context a method is to choose, with all that the choice depends on.

    `view` has the embeddings that the knobs ask for, `vector` is the query's unit vector, shape
    (d,), and `relevance` the cosine of each demonstration with it, shape (n,). The knobs are as the
    method uses them (`Method.settle`). `excluded` is the mask (n,) of what may not be chosen; where
    the knobs set candidates, it includes all others but the pinned ones.
    """

    view: PoolView
    query: str
    vector: FloatArray
    relevance: FloatArray
    knobs: Knobs
    excluded: BoolArray

    @property
    def groups(self) -> IntArray | None:
        """The number of each demonstration's query, shape (n,), if only one of each may be chosen.

        None if any number may be.
        """
        return self.view.groups if self.knobs.one_per_query else None

    @property
    def pinned(self) -> IntArray:
        """The positions that begin the context, in the order of their ids; at most k."""
        return self.first_k(self.view.pinned[~self.excluded[self.view.pinned]])

    def first_k(self, ranked: IntArray) -> IntArray:
        """The k that are chosen of positions in some order: the first, or those of k queries."""
        ranked = self.view.first_of_each_query(ranked) if self.knobs.one_per_query else ranked
        return ranked[: self.knobs.k]

    def context(self, chosen: Selection | IntArray) -> Context:
        """What was chosen as a context; without the values of a selection these are undefined."""
        if isinstance(chosen, Selection):
            return context_of(self.view, chosen)
        return context_of_indices(self.view, self.relevance, chosen)


def context_of(view: PoolView, selection: Selection) -> Context:
    """A selection over the whole view as a context."""
    return Context(
        indices=selection.indices,
        ids=view.ids[selection.indices],
        values=selection.values,
        relevance=selection.relevance,
        quality_bias=view.quality_bias[selection.indices],
        redundancy=selection.redundancy.clip(-1.0, 1.0),  # rounding may exceed 1; NaN stays NaN
        embeddings=view.embeddings[view.rows[selection.indices]],
        pinned=int(np.isin(selection.indices, view.pinned).sum()),
    )


def context_of_indices(view: PoolView, relevance: FloatArray, indices: IntArray) -> Context:
    """Demonstrations chosen in any way, as a context whose values are undefined."""
    rows = view.embeddings[view.rows[indices]]
    similarity = np.tril(rows @ rows.T, -1) + np.triu(np.full((len(rows),) * 2, -np.inf))
    redundancy = similarity.max(axis=1, initial=-np.inf).clip(-1.0, 1.0).astype(np.float64)
    redundancy[:1] = np.nan
    return Context(
        indices=indices,
        ids=view.ids[indices],
        values=np.full(len(indices), np.nan),
        relevance=relevance[indices].astype(np.float64),
        quality_bias=view.quality_bias[indices],
        redundancy=redundancy,
        embeddings=rows,
        pinned=int(np.isin(indices, view.pinned).sum()),
    )
