"""Intervals that hold at every look, so that a run may be watched, stopped and extended freely.

An ordinary 95 % interval covers the truth at one number of examples that was fixed beforehand;
who looks after every example and stops when it pleases is wrong far more often. The bounds here
are asymptotic confidence sequences: for all numbers of examples from the first look on, taken
together, the probability that any of them is wrong tends to at most alpha as that first look
comes later. They need no bound on the differences, only a finite variance, and no plan of looks.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, "Time-uniform central limit theory
and asymptotic confidence sequences", Annals of Statistics 52(6): theorem 2.2 and its one-sided
form; the tuning of rho is theirs, too.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import Interval

ALPHA = 0.05
FIRST_LOOK = 30
"""Examples before the first look: the bounds are asymptotic."""
TIGHTEST = 100
"""The number of examples at which the bounds are tightest; they hold at every other one as well."""
_ROUNDING = 1e-9  # nats

Vector = NDArray[np.float64]


def two_sided(n: int, alpha: float = ALPHA) -> float:
    """Half the width at n examples, in standard errors of the mean; about 3 where 1.96 is usual."""
    spread = n * _rho_squared(alpha)
    return math.sqrt((spread + 1) / spread * math.log((spread + 1) / alpha**2))


def one_sided(n: int, alpha: float = ALPHA) -> float:
    """How far the bound is from the mean at n examples, in standard errors of the mean."""
    spread = n * _rho_squared(2 * alpha)
    return math.sqrt(2 * (spread + 1) / spread * math.log1p(math.sqrt(spread + 1) / (2 * alpha)))


def _rho_squared(alpha: float) -> float:
    return (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / TIGHTEST


def ratio_interval(numerators: Vector, denominators: Vector, alpha: float = ALPHA) -> Interval:
    """The sum of the numerators over that of the denominators, with an interval for every look.

    The ratio is linearised: an example's influence is what it adds to the numerator beyond the
    ratio's share. Examples whose denominator is 0 are left out.

    Args:
        numerators: One number an example, shape (n,), such as the difference of two methods.
        denominators: What it counts for, shape (n,), >= 0, such as the number of triples.
        alpha: The chance that the interval is wrong at any look; 1 - alpha is its level.

    Returns:
        NaN ends below two examples, NaN everywhere without any.
    """
    used = denominators > 0
    numerators, denominators = numerators[used], denominators[used]
    n = len(numerators)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    mean = float(numerators.sum() / denominators.sum())
    if n < 2 or not math.isfinite(mean):
        return Interval(mean, math.nan, math.nan, n)
    error = float((numerators - mean * denominators).std(ddof=1) / denominators.mean())
    half = two_sided(n, alpha) * error / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)


@dataclass(frozen=True)
class Leader:
    """The best of several candidates so far, and by how much another may still be better.

    With probability 1 - alpha, for all looks together, the best of the candidates is better than
    the leader of that look by at most `gap`. It is infinite before the first look.
    """

    place: int
    gap: float


def leader(
    numerators: NDArray[np.float64], denominators: Vector, place: int, alpha: float = ALPHA
) -> Leader:
    """How far candidates may be ahead of the one in the lead; larger is better.

    A run that stops as soon as the gap is within a margin has a leader that is worse than the best
    candidate by more than the margin with probability alpha at most. For that to happen, the one
    difference between the best candidate and that leader must be bounded wrongly; there are as many
    such differences as candidates beside the best one, so each is bounded at alpha divided by
    their number (Bonferroni), whichever leads at whichever look.

    A bound from the variance alone would trust candidates that have hardly differed yet. So one
    difference of the usual size may always be yet to come: as in Bernstein's bound, size times
    log(candidates / alpha) / n is added.

    Args:
        numerators: A row a candidate, shape (c, n), one column an example.
        denominators: What each example counts for, shape (n,), >= 0, the same for all candidates.
        place: The row of the candidate in the lead.
        alpha: The chance that any look is wrong.
    """
    used = denominators > 0
    numerators, denominators = numerators[:, used], denominators[used]
    n, others = int(used.sum()), len(numerators) - 1
    if others < 1:
        return Leader(place, 0.0)
    if n < FIRST_LOOK or not np.isfinite(numerators).all():
        return Leader(place, math.inf)
    ahead = np.delete(numerators, place, axis=0) - numerators[place]  # (c - 1, n)
    means = ahead.sum(axis=1) / denominators.sum()
    influences = ahead - means[:, None] * denominators
    errors = influences.std(axis=1, ddof=1) / math.sqrt(n)
    yet_to_come = math.log(others / alpha)
    unseen = _usual_sizes(ahead, numerators, yet_to_come) * yet_to_come / n
    bounds = means + (one_sided(n, alpha / others) * errors + unseen) / denominators.mean()
    return Leader(place, max(0.0, float(bounds.max())))


def _usual_sizes(
    ahead: NDArray[np.float64], numerators: NDArray[np.float64], doubt: float
) -> Vector:
    """For each candidate the root mean square of its differences that are not zero, shape (c - 1,).

    A candidate that differed seldom says little of its own size: each is taken together with
    `doubt` differences of the largest such size. Where none has differed but for rounding, that is
    the spread of the values themselves.
    """
    differs = np.abs(ahead) > _ROUNDING
    counts, squares = differs.sum(axis=1), np.where(differs, ahead**2, 0.0).sum(axis=1)
    seen = counts > 0
    largest = (squares[seen] / counts[seen]).max() if seen.any() else numerators.var(axis=1).max()
    sizes: Vector = np.sqrt((squares + doubt * largest) / (counts + doubt))
    return sizes
