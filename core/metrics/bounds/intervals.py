"""95 % intervals over evaluation examples, for outcomes that are skewed, clustered or all equal.

Examples are what is drawn, all triples of an example together: a ratio of sums is linearised, so
that each example has one influence on it. Means and paired differences have skew-corrected
intervals (`skewed`), shares of right answers exact ones (Clopper and Pearson). Where there are too
few examples for such an interval to have its nominal coverage, or all are equal, there is none,
and `Interval.needed` is the number of examples it would take.
"""

from collections.abc import Sequence, Sized
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...interval import Interval
from ..metric import MetricInfo
from ..scores import AnswerScores, ratio
from .quantiles import LEAST, Moments, Vector, clopper_pearson, student

ALPHA = 0.05
PRETENDED = 2
"""Examples on which the context changes nothing that are pretended for the interval of a mean."""
ROUNDING = 1e-9
"""Influences no larger than this, in the metric's unit, are zero except for rounding."""


def estimate(
    metric: MetricInfo, examples: Sequence[AnswerScores], alpha: float = ALPHA
) -> Interval:
    """The metric over the examples with its interval; `n` counts those for which it is defined.

    NaN mean when it is defined for none. An unbounded metric has no interval.

    Args:
        metric: What is estimated.
        examples: Scores of the examples under one context each.
        alpha: The chance that the interval misses; 1 - alpha is its level.
    """
    numerators, denominators = metric.numerators(examples), metric.denominators(examples)
    idle = no_effect(metric, examples)
    return metric_interval(metric, numerators, denominators, alpha, idle=idle)


def metric_interval(
    metric: MetricInfo,
    numerators: Vector,
    denominators: Vector,
    alpha: float = ALPHA,
    *,
    idle: float | None = None,
) -> Interval:
    """The ratio of sums with the kind of interval that the metric has; `idle`: its `no_effect`."""
    if metric.spread == "unbounded":
        return _without(ratio(numerators, denominators), int((denominators > 0).sum()))
    if metric.spread == "share":
        return share_interval(numerators, denominators, alpha)
    found = ratio_interval(numerators, denominators, alpha, idle=idle)
    return replace(found, high=None if found.high is None else min(found.high, metric.highest))


def no_effect(metric: MetricInfo, examples: Sequence[AnswerScores]) -> float | None:
    """The metric if the contexts changed nothing; None where that is not meaningful."""
    if metric.without_effect is None:
        return None
    return ratio(metric.without_effect(examples), metric.denominators(examples))


def paired_difference(
    metric: MetricInfo, a: Sequence[AnswerScores], b: Sequence[AnswerScores], alpha: float = ALPHA
) -> Interval:
    """The metric under `a` less that under `b`, with the interval of this one difference.

    Several differences that are read together take `simultaneous` instead.

    Args:
        metric: What is compared.
        a: Scores of the examples under one method.
        b: Scores of the same examples, in the same order, under another.
        alpha: The chance that the interval misses.

    Raises:
        ValueError: The two have different lengths.
    """
    same_length(a, b)
    both, counted = paired_sums(metric, [a, b])
    found = paired_interval(
        both, counted, alpha, share=metric.spread == "share", idle=no_effect(metric, b)
    )
    return found.without_ends(0) if metric.spread == "unbounded" else found


def mean_interval(values: ArrayLike, alpha: float = ALPHA) -> Interval:
    """The mean of the values that are not NaN, shape (q,), with its interval."""
    numbers = np.asarray(values, dtype=np.float64).reshape(-1)
    defined = ~np.isnan(numbers)
    return ratio_interval(np.where(defined, numbers, 0.0), defined.astype(np.float64), alpha)


def paired_sums(
    metric: MetricInfo, scores: Sequence[Sequence[AnswerScores]]
) -> tuple[Vector, Vector]:
    """Numerators (m, n) of m methods over the same examples, and the weight of each example (n,).

    An example for which any of the methods is undefined does not count, except that a method
    that is undefined for all of them takes no part.
    """
    numerators = np.array([metric.numerators(each) for each in scores])
    denominators = np.array([metric.denominators(each) for each in scores])
    return paired(numerators, denominators)


def paired(numerators: Vector, denominators: Vector) -> tuple[Vector, Vector]:
    """`paired_sums` from the methods' own sums, shape (m, n) each."""
    some = denominators.any(axis=1)
    counted = denominators[some].min(axis=0) if some.any() else denominators[0]
    return np.where(counted > 0, numerators, 0.0), counted


def ratio_interval(
    numerators: Vector, denominators: Vector, alpha: float = ALPHA, *, idle: float | None = None
) -> Interval:
    """The sum of the numerators over that of the denominators, with its skew-corrected interval.

    Args:
        numerators: One number an example, shape (n,).
        denominators: What it counts for, shape (n,), >= 0; 0 leaves the example out.
        alpha: The chance that the interval misses.
        idle: What the ratio would be if nothing had an effect. Towards it the interval allows for
            `PRETENDED` examples of that kind, as none may have been seen yet.
    """
    used = denominators > 0
    numerators, denominators = numerators[used], denominators[used]
    n, mean = len(numerators), ratio(numerators, denominators)
    if n < LEAST or not np.isfinite(mean):
        return _without(mean, n, LEAST)
    moved = influences(numerators, denominators)
    if np.abs(moved).max() <= ROUNDING * max(1.0, abs(mean)):
        return _without(mean, n)
    away = 0.0 if idle is None else idle - mean
    below, above = (PRETENDED * side**2 for side in (min(away, 0.0), max(away, 0.0)))
    return _skewed(mean, moved, (below, above), alpha)


def share_interval(numerators: Vector, denominators: Vector, alpha: float = ALPHA) -> Interval:
    """A share as the ratio of sums, with its interval, which lies in [0, 1].

    A share of right answers is exact; any other of values in [0, 1] gets a 0 and a 1 more. These
    two keep an interval near one end from ignoring the other end. They count for as much as an
    example does on average.

    Args:
        numerators: One number an example, shape (n,), in [0, what it counts for].
        denominators: What it counts for, shape (n,), >= 0; 0 leaves the example out.
        alpha: The chance that the interval misses.
    """
    used = denominators > 0
    numerators, denominators = numerators[used], denominators[used]
    n, mean = len(numerators), ratio(numerators, denominators)
    if n == 0:
        return _without(mean, 0)
    values = numerators / denominators
    if np.ptp(denominators) == 0 and ((values == 0) | (values == 1)).all():
        return Interval(mean, *clopper_pearson(int(values.sum()), n, alpha), n)
    if n < LEAST:
        return _without(mean, n, LEAST)
    usual = denominators.mean()
    more, counted = np.r_[numerators, 0.0, usual], np.r_[denominators, usual, usual]
    moved = influences(more, counted)
    low, high = _ends(ratio(more, counted), _moments(moved, (0.0, 0.0)), alpha)
    return Interval(mean, max(0.0, min(low, mean)), min(1.0, max(high, mean)), n)


def paired_interval(
    both: Vector,
    denominators: Vector,
    alpha: float = ALPHA,
    *,
    share: bool = False,
    idle: float | None = None,
) -> Interval:
    """The first row's ratio of sums less the second's, shape (2, n), with its interval.

    One difference either way is pretended, as `pair_sizes` has it, so that differences that are all
    zero except a few, or all equal, do not give an interval that is too narrow.
    """
    used = denominators > 0
    both, denominators = both[:, used], denominators[used]
    n = both.shape[1]
    with np.errstate(invalid="ignore"):  # two infinite ratios have no difference: NaN
        mean = ratio(both[0], denominators) - ratio(both[1], denominators)
        apart = (both[0] - both[1]) / denominators.mean() if n else both[0]
    if n < LEAST or not np.isfinite(mean):
        return _without(mean, n, LEAST)
    means: Vector = both.sum(axis=1) / denominators.sum()
    usual, rare = pair_sizes(apart, means, share, idle)
    if usual == 0.0:
        return _without(mean, n)
    moved = influences(both[0] - both[1], denominators)
    found = _skewed(mean, moved, (rare, rare), alpha, known=2 * usual)
    if not share:
        return found
    low = -1.0 if found.low is None else max(-1.0, found.low)
    high = 1.0 if found.high is None else min(1.0, found.high)
    return replace(found, low=low, high=high)


def pair_sizes(
    apart: Vector, means: Vector, share: bool, idle: float | None
) -> tuple[Vector, Vector]:
    """The squares of a usual difference of two methods, and of a rare one not seen so far.

    A usual one is as large as those that are not zero, for shares 1 (Bonett and Price 2012). In a
    rare one the context of either method changes nothing, the other does as it does on average.

    Args:
        apart: The differences, shape (..., n), in the metric's unit.
        means: The metric under either method, shape (2, ...).
        share: Whether the metric is a share.
        idle: The metric if no context had an effect; None where that is not meaningful.
    """
    squares, differ = (apart**2).sum(axis=-1), (np.abs(apart) > ROUNDING).sum(axis=-1)
    usual = np.where(differ > 0, 1.0 if share else squares / np.maximum(differ, 1), 0.0)
    rare = 0.0 * usual if idle is None else ((means - idle) ** 2).max(axis=0)
    return usual, rare


def influences(numerators: Vector, denominators: Vector) -> Vector:
    """How far each example moves the ratio of sums, times n: shape as `numerators`, mean 0."""
    shares = numerators.sum(axis=-1, keepdims=True) / denominators.sum()
    moved: Vector = (numerators - shares * denominators) / denominators.mean()
    return moved


def same_length(a: Sized, b: Sized) -> None:
    """Refuse what cannot be paired.

    Raises:
        ValueError: The two have different lengths.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} examples against {len(b)}; give the same ones twice")


def _skewed(
    mean: float,
    moved: Vector,
    pretended: tuple[float | Vector, float | Vector],
    alpha: float,
    *,
    known: float | Vector = 0.0,
) -> Interval:
    """The interval from the influences, none where one carries it; `known` counts as seen."""
    moments = _moments(moved, pretended, known)
    if wanted := int(moments.needed):
        return _without(mean, moments.n, wanted)
    return Interval(mean, *_ends(mean, moments, alpha), moments.n)


def _moments(
    moved: Vector, pretended: tuple[float | Vector, float | Vector], known: float | Vector = 0.0
) -> Moments:
    squares, cubes = (moved**2).sum() + known, (moved**3).sum()
    below, above = pretended
    sums = [np.asarray(each, dtype=np.float64) for each in (squares, cubes, below, above)]
    return Moments(sums[0], sums[1], sums[2], sums[3], len(moved))


def _ends(mean: float, moments: Moments, alpha: float) -> tuple[float, float]:
    down, up = moments.reach(student(alpha, moments.n - 1))
    return mean - float(down), mean + float(up)


def _without(mean: float, n: int, wanted: int = 0) -> Interval:
    return Interval(mean, None, None, n, wanted if wanted > n else 0)
