"""How much an approximate index misses, measured against every row."""

import numpy as np

from ..types import FloatArray
from .base import VectorIndex

EQUAL_WITHIN = 1e-6
"""Two float32 inner products this close are the same value: either row may be found."""


def measure_recall(
    index: VectorIndex, embeddings: FloatArray, queries: FloatArray, c: int
) -> float:
    """Mean share of the c most relevant rows that the index finds, in [0, 1]; 1 = misses nothing.

    Args:
        index: Built over `embeddings`.
        embeddings: Shape (n, d), n >= 1, unit rows.
        queries: Shape (q, d), q >= 1, unit rows: a sample.
        c: Candidates to find, >= 1.

    Raises:
        ValueError: There is nothing to measure.
    """
    c = min(c, len(embeddings))
    if c < 1 or len(queries) == 0:
        raise ValueError("recall needs at least one row, one query and one candidate")
    shares = []
    for query in queries:
        relevance = embeddings @ query  # (n,)
        least = np.partition(relevance, -c)[-c]
        found, _ = index.search(query, c)
        shares.append(np.count_nonzero(relevance[found] >= least - EQUAL_WITHIN) / c)
    return float(np.mean(shares))
