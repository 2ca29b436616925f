"""Cosines of unit rows: fast ones find the possible winners, exact ones decide; bounds."""

import math

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


UNIT_WITHIN = 1e-5
"""A length this close to 1 is a unit vector's: the bound allows for as much."""


def least_cosines(relevance: FloatArray, to: float) -> NDArray[np.float64]:
    """A lower bound on the cosine of each unit row with one of them, shape (n,), in [-1, 1].

    Angles obey the triangle inequality: two rows are at most as far apart as the sum of their
    angles to the query, so m >= r s - sqrt(1 - r^2) sqrt(1 - s^2). Relevances are taken a little
    lower than given, so that rounding cannot make a bound too high.

    Args:
        relevance: Cosine of the query with each row, shape (n,).
        to: The cosine of the query with the one row.

    Source: Schubert 2021, A Triangle Inequality for Cosine Similarity.
    """
    # In place: with a million rows, making arrays costs more than the sums.
    cosines = relevance - 2 * NEAR
    np.clip(cosines, -1.0, 1.0, out=cosines)
    one = float(np.clip(to - 2 * NEAR, -1.0, 1.0))
    least = cosines * cosines
    np.subtract(1.0, least, out=least)
    np.sqrt(least, out=least)
    least *= -np.sqrt(1.0 - one * one)
    opposite = cosines < -one  # angles that sum to more than 180 degrees bound nothing
    cosines *= one
    least += cosines
    least[opposite] = -1.0
    bounds: NDArray[np.float64] = least
    return bounds


def most_weighed(
    pick: float, value: float, *, lambda_d: float, lambda_b: float = 1.0, bias: float = 0.0
) -> float:
    """An upper bound on the weighed value, after a pick, of a row known only by bounds.

    The weighed value is lambda_d * v - (1 - lambda_d) * m, with v = lambda_b * r + (1 - lambda_b)
    * b. The farther the row is from the query, the lower is its v, but the lower may be its
    cosine m with the pick as well: with both angles added up the weight is one wave of the row's
    angle, and its crest is the bound.

    Args:
        pick: The pick's cosine with the query.
        value: The row's v is at most this.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias.
        bias: The row's quality bias b is at most this.
    """
    to_pick = math.acos(max(-1.0, min(1.0, pick - 2 * NEAR)))
    least_relevance = -1.0  # below this cosine, v cannot reach `value`
    if lambda_b > 0:
        least_relevance = (value - (1 - lambda_b) * bias) / lambda_b
    if least_relevance <= -1.0:
        return lambda_d * value + (1 - lambda_d)
    nearest = math.acos(min(1.0, least_relevance))  # nearer rows have the same v, and a higher m
    farthest = max(nearest, math.pi - to_pick)  # from there on m may be -1
    crest = math.atan2(
        (1 - lambda_d) * math.sin(to_pick), lambda_d * lambda_b - (1 - lambda_d) * math.cos(to_pick)
    )
    angle = min(max(crest, nearest), farthest)
    most_value = lambda_b * math.cos(angle) + (1 - lambda_b) * bias
    return lambda_d * most_value - (1 - lambda_d) * math.cos(min(math.pi, angle + to_pick))
