"""Exact nearest neighbours of every row, found block by block."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import IntArray

BLOCK = 512
"""Rows compared with all others at once: 512 x 50,000 cosines take 100 MB."""


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
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        cosines = rows[start:stop] @ rows.T  # (block, n)
        # Rounding may put a near double before the row itself.
        cosines[np.arange(stop - start), np.arange(start, stop)] = np.inf
        found = np.argpartition(cosines, n - k, axis=1)[:, n - k :]  # (block, k)
        values = np.take_along_axis(cosines, found, axis=1)
        order = np.lexsort((found, -values), axis=1)
        nearest[start:stop] = np.take_along_axis(found, order, axis=1)
        distances[start:stop] = np.maximum(0.0, 1.0 - np.take_along_axis(values, order, axis=1))
        after_block(stop)
    return nearest, distances
