"""What was chosen from a pool, as a context."""

import numpy as np

from ..selection.selection import Selection
from ..types import FloatArray, IntArray
from .context import Context
from .pool_view import PoolView


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
    )


def context_of_indices(view: PoolView, relevance: FloatArray, indices: IntArray) -> Context:
    """Demonstrations chosen by whatever means, as a context whose values are undefined."""
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
    )
