"""Exact nearest neighbours, found by FAISS block by block."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..faiss_loading import import_faiss
from ..types import FloatArray, IntArray

BLOCK = 4096
"""Rows compared at once: FAISS's own block, seconds among 50,000 rows between two looks."""


def exact_neighbours(
    rows: NDArray[np.float32], k: int, after_block: Callable[[int], None]
) -> tuple[IntArray, NDArray[np.float32]]:
    """Each row's k nearest rows by cosine, itself first, and their cosine distances.

    Args:
        rows: Shape (n, d), distinct unit rows.
        k: Neighbours with the row itself, in [1, n].
        after_block: Called with the number of rows done; may raise to stop.

    Returns:
        Indices (n, k) and distances (n, k), >= 0 and ascending, the first 0.
    """
    n = len(rows)
    nearest = np.empty((n, k), dtype=np.int64)
    distances = np.empty((n, k), dtype=np.float32)
    for start, stop, found, cosines in most_similar(rows, rows, k):
        # Rounding may put near doubles before the row itself.
        own = found == np.arange(start, stop)[:, np.newaxis]
        own[~own.any(axis=1), -1] = True
        found[own], cosines[own] = np.arange(start, stop), np.inf
        order = np.lexsort((found, -cosines), axis=1)
        nearest[start:stop] = np.take_along_axis(found, order, axis=1)
        distances[start:stop] = np.maximum(0.0, 1.0 - np.take_along_axis(cosines, order, axis=1))
        after_block(stop)
    return nearest, distances


def most_similar(
    queries: FloatArray, rows: FloatArray, k: int
) -> Iterator[tuple[int, int, IntArray, NDArray[np.float32]]]:
    """Start and stop of a block of queries, and for each its k rows of largest inner product.

    Args:
        queries: Shape (q, d).
        rows: Shape (n, d).
        k: How many, in [1, n].

    Yields:
        Indices (block, k) and inner products (block, k), the largest first; which of those that
        are equal to the k-th come along is FAISS's choice, the same every time.
    """
    faiss = import_faiss()
    vectors = np.ascontiguousarray(queries, dtype=np.float32)
    among = np.ascontiguousarray(rows, dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        products, found = faiss.knn(block, among, k, metric=faiss.METRIC_INNER_PRODUCT)
        yield start, start + len(block), found, products
