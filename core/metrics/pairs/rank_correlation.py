"""Spearman's rank correlation, and a 95 % interval of it that allows for ties."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...interval import Interval
from ..bounds.intervals import ALPHA
from ..bounds.quantiles import student
from ..bounds.skewed import LEAST

Vector = NDArray[np.float64]

_ONE = 1 - 1e-12
"""A correlation from here on is perfect except for rounding."""
_NUMBERS_AT_ONCE = 1_000_000
"""The most comparisons of two examples in memory at a time."""


def rank_correlation(x: ArrayLike, y: ArrayLike, alpha: float = ALPHA) -> Interval:
    """Spearman's rho of two numbers an example, in [-1, 1], ties by mid-ranks; `n` used examples.

    1 where the two order the examples the same way, -1 where the opposite way, near 0 where they
    are unrelated. NaN with fewer than two examples, or where all are equal in
    either number. The interval is by the jackknife on Fisher's scale (artanh of rho): where two
    methods choose the same context for many examples their differences tie at 0, and with 60 % such
    ties Fisher's own variance (Bonett and Wright 2000) missed the truth in 23 % of simulated
    samples, the jackknife in 1 to 6 %. There is none below 20 examples, and none where the
    correlation is perfect or hangs on one example.

    Args:
        x: One number an example, shape (q,); NaN where it is undefined.
        y: The other number of the same examples.
        alpha: The chance that the interval misses.

    Raises:
        ValueError: Shapes that disagree.

    Source: Spearman 1904; for the interval Arvesen 1969, "Jackknifing U-statistics".
    """
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"shapes {one.shape} and {other.shape}; give a number an example for both")
    defined = ~(np.isnan(one) | np.isnan(other))
    one, other = one[defined], other[defined]
    n = len(one)
    rho = float(spearman(one, other))
    needed = LEAST if n < LEAST else 0
    if needed or not abs(rho) < _ONE:
        return Interval(rho, None, None, n, needed)
    spread = student(alpha, n - 1) * _jackknifed(one, other)
    middle = math.atanh(rho)
    return Interval(rho, math.tanh(middle - spread), math.tanh(middle + spread), n)


def spearman(x: ArrayLike, y: ArrayLike, within: float = 0.0) -> Vector:
    """Pearson's correlation of the mid-ranks along the last axis, shape (..., m) to (...).

    In [-1, 1]; NaN where all are equal in either. Infinite values have ranks like any others; what
    NaN would rank is for the caller to leave out.

    Args:
        x: One side, shape (..., m).
        y: The other, of the same shape.
        within: As for `mid_ranks`.
    """
    one, other = mid_ranks(x, within), mid_ranks(y, within)
    middle = (one.shape[-1] + 1) / 2
    return _correlation(one - middle, other - middle)


def mid_ranks(values: ArrayLike, within: float = 0.0) -> Vector:
    """The place of each value in ascending order along the last axis, from 1 on, shape (..., m).

    Equal ones share the mean of their places.

    Args:
        values: Shape (..., m).
        within: Values in a row that are no further apart are equal; 0 = only the same number is.
    """
    given = np.asarray(values, dtype=np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    with np.errstate(invalid="ignore"):  # two infinite values are equal
        larger = np.diff(np.take_along_axis(given, order, axis=-1), axis=-1) > within
    ends = np.ones((*given.shape[:-1], 1), dtype=bool)
    m, places = given.shape[-1], np.arange(given.shape[-1])
    begins = np.concatenate([ends, larger], axis=-1)[..., :m]
    closes = np.concatenate([larger, ends], axis=-1)[..., :m]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(closes, places, m)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty_like(given)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def _correlation(a: Vector, b: Vector) -> Vector:
    """The correlation of centred ranks along the last axis; NaN where either is constant."""
    size = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    found = np.full_like(size, np.nan)
    np.divide((a * b).sum(axis=-1), size, out=found, where=size > 0)
    return np.asarray(np.clip(found, -1.0, 1.0), dtype=np.float64)


def _jackknifed(x: Vector, y: Vector) -> float:
    """The standard error of artanh rho; NaN where leaving out one example leaves no correlation."""
    n, parts = len(x), []
    at_once = max(1, _NUMBERS_AT_ONCE // n)
    ranks = [mid_ranks(each) - n / 2 for each in (x, y)]
    for start in range(0, n, at_once):
        left_out = np.arange(start, min(start + at_once, n))
        # Without an example each rank falls by 1 where that one was lower, by a half where equal;
        # the one that is left out does not count itself.
        first, second = (
            rank - (each[left_out, None] < each) - 0.5 * (each[left_out, None] == each)
            for rank, each in zip(ranks, (x, y), strict=True)
        )
        for moved in (first, second):
            moved[np.arange(len(left_out)), left_out] = 0.0
        parts.append(_correlation(first, second))
    scaled = np.arctanh(np.clip(np.concatenate(parts), -_ONE, _ONE))
    return math.sqrt((n - 1) / n * float(((scaled - scaled.mean()) ** 2).sum()))
