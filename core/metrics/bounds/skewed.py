"""The ends of an interval for the mean of skewed values, from their moments alone.

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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
