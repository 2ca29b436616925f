"""Exact nearest neighbours of every row, found block by block."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import IntArray

BLOCK = 512
"""Rows compared with all others at once: 512 x 50,000 cosines take 100 MB."""

STRIDE = 16
"""Of every so many columns one is looked at first."""


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
        nearest[start:stop], values = largest(cosines, k)
        distances[start:stop] = np.maximum(0.0, 1.0 - values)
        after_block(stop)
    return nearest, distances


def largest(cosines: NDArray[np.float32], k: int) -> tuple[IntArray, NDArray[np.float32]]:
    """Columns and values of each row's k largest, the largest first, the lowest column first.

    The k-th largest of some columns is no larger than that of all: a look at every sixteenth one
    leaves few to sort, where finding the k-th largest of all takes longer than the cosines do.

    Args:
        cosines: Shape (q, n).
        k: How many, in [1, n].
    """
    some = cosines[:, ::STRIDE] if cosines.shape[1] >= 2 * STRIDE * k else cosines
    least = np.partition(some, some.shape[1] - k, axis=1)[:, some.shape[1] - k]
    rows, columns = np.nonzero(cosines >= least[:, None])
    values = cosines[rows, columns]
    order = np.lexsort((columns, -values, rows))
    firsts = np.searchsorted(rows, np.arange(len(cosines)))  # rows ascend
    kept = order[firsts[:, None] + np.arange(k)]  # (block, k)
    return columns[kept], values[kept]
