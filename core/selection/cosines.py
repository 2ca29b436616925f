"""Cosines of unit rows, twice: fast ones find the possible winners, exact ones decide."""

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray, IntArray

NEAR = 1e-5
"""Fast cosines of unit rows are well within this of the exact ones, in float32 too."""

# BLAS copies a large matrix before it multiplies, which costs more than the product with a few
# rows. It reads a small block in place: half the time with at most so many rows.
_SMALL, _FEW = 64, 16

_CACHED = 1 << 24  # bytes of rows that stay in a processor's cache from pass to pass
_BLOCK = 2048  # rows in float64 at a time: 6 MB at d = 384


def fast_cosines(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """The cosine of every unit row, shape (n, d), with a unit vector, in the rows' own type, (n,).

    Bound by memory. Equal rows may get unequal last bits here, depending on their positions, so
    ties must not be decided by these numbers.

    Raises:
        ValueError: A row contains a value that is not finite.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if rows.nbytes > _CACHED and rows.flags.c_contiguous:
            # One dot product a row reads memory from end to end, at twice the rate of OpenBLAS's
            # matrix-vector product, which walks several rows at a time. From a cache it is slower.
            cosines: FloatArray = np.vecdot(rows, vector)
        else:
            cosines = rows @ vector
    return _finite(cosines)


def fast_cosine_rows(embeddings: FloatArray, indices: list[int]) -> FloatArray:
    """The cosines of every unit row with some of them, shape (len(indices), n): one pass for all.

    Raises:
        ValueError: A row contains a value that is not finite.
    """
    n, d = embeddings.shape
    picks = embeddings[indices].T
    cosines = np.empty((n, len(indices)), dtype=embeddings.dtype)
    blocks, rest = divmod(n, _SMALL) if len(indices) <= _FEW else (0, n)
    with np.errstate(invalid="ignore", over="ignore"):
        rows = embeddings[: n - rest].reshape(blocks, _SMALL, d)
        np.matmul(rows, picks, out=cosines[: n - rest].reshape(blocks, _SMALL, len(indices)))
        np.matmul(embeddings[n - rest :], picks, out=cosines[n - rest :])
    return _finite(np.ascontiguousarray(cosines.T))


def exact_redundancy(
    embeddings: FloatArray, candidates: IntArray, chosen: IntArray
) -> NDArray[np.float64]:
    """The largest float64 cosine of each candidate with the chosen rows, shape (c,).

    Every cosine is a dot product of its own, so that equal rows get equal bits at any position,
    and the order of the two rows does not matter.
    """
    picks = embeddings[chosen].astype(np.float64)  # (s, d)
    largest = np.empty(len(candidates))
    for start in range(0, len(candidates), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = embeddings[candidates[block]].astype(np.float64)
        # vecdot runs one dot product a pair; a matrix product would mix the order of the sums.
        largest[block] = np.vecdot(rows[:, None, :], picks).max(axis=1)
    return largest


def _finite(cosines: FloatArray) -> FloatArray:
    # A value that is not finite stays so in every product: zero times infinity is NaN.
    if not np.isfinite(cosines).all():
        raise ValueError("embeddings contain a value that is not finite")
    return cosines
