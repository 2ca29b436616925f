"""Bounds that are valid at every look, so that a run may be watched, stopped, extended freely.

An ordinary 95 % interval covers the truth at one number of examples that was fixed beforehand;
someone who looks after every example and stops at will is wrong far more often. The bounds here
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

from ...recorded import Recorded, same
from .quantiles import normal_alpha

ALPHA = 0.05
FIRST_LOOK = 30
"""Examples before the first look: the bounds are asymptotic."""
GROWTH = 1.5
"""Each further look at verdicts has so many times the examples of the one before."""
RESERVED = 0.8
"""The share of alpha that an end planned beforehand keeps for its own verdicts."""
TIGHTEST = 100
"""The number of examples at which the bounds are tightest; they are valid at every other too."""
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


def alpha_for_every_look(n: int, alpha: float = ALPHA) -> float:
    """The level of one look at n examples that makes an interval valid at all looks together."""
    return normal_alpha(two_sided(n, alpha))


@dataclass(frozen=True)
class Look(Recorded):
    """Which examples verdicts may be taken from: the first `n`, at level 1 - alpha.

    `n` is 0 before the first look; `fixed` is True for the one end planned beforehand.
    """

    KEYS = {"examples": "n", **same("alpha", "fixed")}
    n: int
    alpha: float
    fixed: bool = False


def last_look(n: int, *, ended: bool = False, planned: bool = True) -> Look:
    """The look that verdicts after n examples come from, so that all looks together err in alpha.

    Looks are at numbers of examples that no outcome chooses: `FIRST_LOOK` and each further one
    `GROWTH` times the last. The j-th spends 1 / (j (j + 1)) of its share of alpha; over endlessly
    many looks that sums to all of it (a union bound). A run whose end is planned keeps most of
    alpha for that end; a run that ends because of its figures, by rule or by hand, has no such
    end.

    Args:
        n: How many examples there are.
        ended: Whether these are all that were planned.
        planned: Whether the number of examples was fixed before any was seen.
    """
    if ended and planned:
        return Look(n, RESERVED * ALPHA, fixed=True)
    share, at, number = ALPHA * (1 - RESERVED if planned else 1.0), 0, 0
    while (following := math.ceil(FIRST_LOOK * GROWTH**number)) <= n:
        at, number = following, number + 1
    return Look(at, share / (max(number, 1) * (max(number, 1) + 1)))


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
    """How far candidates may be ahead of the leading one; larger is better.

    A run that stops as soon as the gap is within a margin has a leader that is worse than the best
    candidate by more than the margin with probability alpha at most. For that to happen, the one
    difference between the best candidate and that leader must be bounded wrongly; there are as many
    such differences as candidates beside the best one, so each is bounded at alpha divided by
    their number (Bonferroni), whichever leads at whichever look.

    A bound from the variance alone would trust candidates that have hardly differed so far. So one
    more difference of the usual size is allowed for: as in Bernstein's bound, size times
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

    A candidate that seldom differed shows little of its own size: each is taken together with
    `doubt` differences of the largest such size. Where none has differed except by rounding, that
    is the spread of the values themselves.
    """
    differs = np.abs(ahead) > _ROUNDING
    counts, squares = differs.sum(axis=1), np.where(differs, ahead**2, 0.0).sum(axis=1)
    seen = counts > 0
    largest = (squares[seen] / counts[seen]).max() if seen.any() else numerators.var(axis=1).max()
    sizes: Vector = np.sqrt((squares + doubt * largest) / (counts + doubt))
    return sizes
