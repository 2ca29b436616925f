"""How often one row of a comparison is above another, example by example, and its largest lead.

A row's number of an example is its metric of that one example (`own_values`). A row wins where its
number is the larger one, whichever end of the metric is the better one.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...undefined import defined
from ..bounds.intervals import ALPHA
from ..bounds.quantiles import clopper_pearson

Vector = NDArray[np.float64]

LEVEL = 1e-6
"""Nearer numbers tie: one set of float32 rows gives unequal last digits in another order."""


@dataclass(frozen=True, slots=True)
class Wins:
    """On how many examples one row is above another, level with it and below it.

    Examples on which either of them is undefined are left out.

    Attributes:
        wins: Examples on which the row is above, by `LEVEL` at least.
        ties: Examples on which the two are nearer than that.
        losses: Examples on which the row is below.
        max_diff: The most by which the row is above on any example, in the metric's unit; negative
            where it is below on all of them. None without an example, and where it is infinite.
        max_diff_reverse: The same for the other row; never less than -`max_diff`.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4), for the win rate and
    Max-diff; ties, losses and the reverse are not in the paper.
    """

    wins: int
    ties: int
    losses: int
    max_diff: float | None
    max_diff_reverse: float | None

    @property
    def n(self) -> int:
        """The examples on which both are defined."""
        return self.wins + self.ties + self.losses

    @property
    def win_rate(self) -> float:
        """The share of wins, in [0, 1]; NaN without an example. A tie is no win."""
        return self.wins / self.n if self.n else math.nan

    @property
    def swapped(self) -> "Wins":
        """The other row against this one."""
        return Wins(self.losses, self.ties, self.wins, self.max_diff_reverse, self.max_diff)

    def interval(self, alpha: float = ALPHA) -> tuple[float, float]:
        """The exact interval of the share of wins, in [0, 1]; NaN without an example.

        It is for this one pair; the intervals of several pairs are not simultaneously valid.

        Args:
            alpha: The chance that it misses, at most.

        Source: Clopper and Pearson 1934.
        """
        return clopper_pearson(self.wins, self.n, alpha) if self.n else (math.nan, math.nan)


def own_values(numerators: ArrayLike, denominators: ArrayLike) -> Vector:
    """Each example's own number of a metric, shape as given; NaN where the metric is undefined.

    Args:
        numerators: As `MetricInfo.numerators` gives them.
        denominators: As `MetricInfo.denominators` gives them, 0 where it is undefined.
    """
    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def differences(ours: ArrayLike, theirs: ArrayLike) -> Vector:
    """Ours less theirs, same shape; 0 where they tie, NaN where either is undefined.

    Args:
        ours: One number an example, shape (q,) or (..., q); NaN where it is undefined.
        theirs: The other row's, of the same examples.

    Raises:
        ValueError: Shapes that disagree.
    """
    one, other = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if not one.ndim or one.shape != other.shape:
        raise ValueError(f"shapes {one.shape} and {other.shape}; give a number an example for both")
    with np.errstate(invalid="ignore"):  # two infinite numbers are equal: 0, not NaN
        apart = np.where(one == other, 0.0, one - other)
    return np.where(np.abs(apart) < LEVEL, 0.0, apart)


def wins(ours: ArrayLike, theirs: ArrayLike) -> Wins:
    """How often, and by how much at most, one row is above another.

    Args:
        ours: One number an example, shape (q,); NaN where it is undefined (an empty context).
        theirs: The other row's, of the same examples.

    Raises:
        ValueError: Shapes that disagree.
    """
    (found,) = _counted(differences(ours, theirs)[None, :])
    return found


def wins_of_pairs(values: Vector) -> dict[tuple[int, int], Wins]:
    """`wins` for every two of m rows, keyed by their positions (first, second), first < second.

    Args:
        values: One number a row and example, shape (m, q); NaN where it is undefined.
    """
    first, second = np.triu_indices(len(values), 1)
    found = _counted(differences(values[first], values[second]))
    return dict(zip(zip(first.tolist(), second.tolist(), strict=True), found, strict=True))


def _counted(apart: Vector) -> list[Wins]:
    """The wins of each row of differences, shape (p, q)."""
    undefined = np.isnan(apart)
    above, below = (apart > 0).sum(axis=1), (apart < 0).sum(axis=1)
    level = (~undefined).sum(axis=1) - above - below
    most = np.where(undefined, -np.inf, apart).max(axis=1, initial=-np.inf)
    reverse = np.where(undefined, -np.inf, -apart).max(axis=1, initial=-np.inf)
    columns = (above.tolist(), level.tolist(), below.tolist(), _known(most), _known(reverse))
    return [Wins(*row) for row in zip(*columns, strict=True)]


def _known(values: Vector) -> list[float | None]:
    return list(map(defined, (values + 0.0).tolist()))
