"""Quantiles without scipy, and the ends of an interval for the mean of skewed values.

A mean of few values from a distribution with a long tail is itself skewed, and Student's t, which
takes it for symmetric, misses the truth on the tail's side far too often. Hall's transformation of
t takes the skewness out. The skewness of a sample is smaller than that of the distribution when the
tail is long, as the tail has hardly been seen; so it is taken half as large again. What that costs
on the other side is given back by keeping Student's own end there: the interval is the smallest
that contains both.

No sample reveals a tail that has not been seen yet. Where a metric has a natural place for such
values, as no effect is for DPO, some are pretended: they widen the interval, never move the mean.

Source: Hall 1992, "On the removal of skewness by transformation", JRSS B 54(1), 221-228; Agresti
and Coull 1998, "Approximate is better than exact", for the pretended values. docs/statistics.md
reports how often such intervals covered in simulations.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_NORMAL = NormalDist()
_HALVINGS = 50  # of [0, 1]: far below the last decimal that is shown


def normal(alpha: float) -> float:
    """The absolute value that a standard normal exceeds with probability alpha: 1.96 for 0.05."""
    return -_NORMAL.inv_cdf(alpha / 2)


def normal_alpha(z: float) -> float:
    """The probability that a standard normal's absolute value exceeds z: `normal` inverted."""
    return math.erfc(z / math.sqrt(2))


@lru_cache(maxsize=256)
def student(alpha: float, freedom: int) -> float:
    """The absolute value that t exceeds with probability alpha, for 19 degrees of freedom or more.

    By its expansion in 1 / freedom, within 0.1 % there for alpha from 1e-4.

    Source: Abramowitz and Stegun 1964, 26.7.5.
    """
    z = normal(alpha)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, start=1))


@lru_cache(maxsize=4096)
def clopper_pearson(successes: int, n: int, alpha: float) -> tuple[float, float]:
    """The exact interval of a share: it misses with probability alpha at most, whatever the share.

    Never of width 0: n of n successes leave the share open down to (alpha / 2) ** (1 / n).

    Source: Clopper and Pearson 1934.
    """
    low = 0.0 if successes == 0 else 1 - _share_at(n - successes, n, alpha / 2)
    high = 1.0 if successes == n else _share_at(successes, n, alpha / 2)
    return low, high


def _share_at(most: int, n: int, tail: float) -> float:
    """The share at which no more than `most` of n successes have probability `tail`."""
    counts = np.arange(most + 1)
    ways = np.r_[0.0, np.log((n - counts[:-1]) / counts[1:]).cumsum()]  # log of n over k
    below, above = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = (below + above) / 2
        logs = ways + counts * math.log(share) + (n - counts) * math.log1p(-share)
        if np.exp(logs).sum() > tail:
            below = share
        else:
            above = share
    return (below + above) / 2


LEAST = 20
"""Below so many values there is no interval of a mean."""
ONE_CARRIES = 1.2
"""There is none either below this times the squared skewness: a single value carries most of it."""
_UNSEEN = 1.5

Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Sums over n centred values, in arrays of one shape.

    `below` and `above` are what the pretended values on that side of the mean add to the sum of
    squares.
    """

    squares: Vector
    cubes: Vector
    below: Vector
    above: Vector
    n: int

    @property
    def skewness(self) -> Vector:
        """The sample skewness; 0 where all values are equal."""
        with np.errstate(divide="ignore", invalid="ignore"):
            biased = (self.cubes / self.n) / (self.squares / self.n) ** 1.5
        factor = math.sqrt(self.n * (self.n - 1)) / (self.n - 2) if self.n > 2 else 0.0
        return np.where(self.squares > 0, biased * factor, 0.0)

    @property
    def needed(self) -> NDArray[np.int64]:
        """How many values an interval needs, estimated from n of them; 0 if n are enough."""
        carried = np.ceil(ONE_CARRIES * self.skewness**2)
        wanted = np.maximum(LEAST, carried).astype(np.int64)
        return np.where(wanted > self.n, wanted, 0)

    def reach(self, critical: float) -> tuple[Vector, Vector]:
        """How far the interval reaches below and above the mean, in the unit of the values.

        Args:
            critical: How far it would reach either way without skewness, in standard errors.
        """
        error = self._error(self.squares)
        below = _untransformed(critical, self.skewness, self.n) * error
        above = -_untransformed(-critical, self.skewness, self.n) * error
        return (
            np.maximum(below, critical * self._error(self.squares + self.below)),
            np.maximum(above, critical * self._error(self.squares + self.above)),
        )

    def _error(self, squares: Vector) -> Vector:
        """The standard error of the mean of n values with that sum of squares."""
        return np.sqrt(squares / (self.n - 1) / self.n)


def _untransformed(t: float, skew: Vector, n: int) -> Vector:
    """The value whose Hall transform is t: t itself without skewness."""
    bend = _UNSEEN * skew / (3 * math.sqrt(n))
    straight = np.abs(bend) < 1e-9
    safe = np.where(straight, 1.0, bend)
    bent = (np.cbrt(1 + 3 * safe * (t - safe / 2)) - 1) / safe
    return np.where(straight, t, bent)
