"""Cosines of unit rows, twice: fast ones find the possible winners, exact ones decide."""

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray, IntArray

NEAR = 1e-5
"""Fast cosines of unit rows are well within this of the exact ones, in float32 too."""

# BLAS copies a large matrix before it multiplies, which costs more than the product with a few
# rows. It reads a small block in place: half the time with at most so many rows.
_SMALL, _FEW = 64, 16

MOST_COSINES = 2**26
"""The most cosines in memory at a time, 256 MB in float32, and as many redundancies."""

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


class PickedCosines:
    """The fast cosines of all rows with the picked ones: computed once each, whoever needs them.

    `gram` has them all where it is at hand, shape (n, n).
    """

    def __init__(self, embeddings: FloatArray, gram: FloatArray | None = None) -> None:
        self.embeddings, self.gram = embeddings, gram
        self.rows: dict[int, FloatArray] = {}

    def too_many(self, picks: int) -> bool:
        """Whether the cosines with so many picks are more than may be in memory at a time."""
        return picks * len(self.embeddings) > MOST_COSINES

    def prepare(self, picks: set[int]) -> None:
        """Compute what is missing of these in one pass over the rows.

        Raises:
            ValueError: A row, or the Gram matrix, contains a value that is not finite.
        """
        if self.too_many(len(self.rows.keys() | picks)):
            self.rows = {}
        missing = sorted(picks - self.rows.keys())
        if missing:
            self.rows.update(zip(missing, self._computed(missing), strict=True))

    def _computed(self, picks: list[int]) -> FloatArray:
        if self.gram is None:
            return fast_cosine_rows(self.embeddings, picks)
        rows: FloatArray = self.gram[picks]
        if not np.isfinite(rows).all():
            raise ValueError("gram contains a value that is not finite")
        return rows

    def redundancy_before_last(self, chosen: list[int]) -> FloatArray | None:
        """The redundancy of each row with all but the last of these, (n,); None without any."""
        found = None
        for place in range(1, len(chosen)):
            self.prepare({chosen[place - 1]})
            found = self.redundancy(chosen[:place], found)
        return found

    def redundancy(self, chosen: list[int], before: FloatArray | None) -> FloatArray | None:
        """The largest cosine of each row with the chosen ones, (n,); None where there are none.

        Args:
            chosen: Row numbers in the order chosen; the last one was prepared.
            before: The same without the last one, None where that was the first.
        """
        if not chosen:
            return None
        newest = self.rows[chosen[-1]]
        return newest if before is None else np.maximum(before, newest)


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
