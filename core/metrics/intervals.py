"""95 % intervals over evaluation examples, by a seeded percentile bootstrap.

Examples are drawn with replacement, all triples of an example together, and the ratio of sums is
taken anew in each draw. The draws depend on the number of examples only, so two methods that are
asked about the same examples are compared on the same draws.

Source: Efron and Tibshirani 1993, chapter 13.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import Interval
from .registry import MetricInfo
from .scores import AnswerScores, ratio

RESAMPLES = 2000
LEVEL = 0.95
_SEED = 0
_BLOCK = 200  # draws at a time: 16 MB at 10,000 examples


def estimate(metric: MetricInfo, examples: Sequence[AnswerScores]) -> Interval:
    """The metric over the examples with its interval; `n` counts those for which it is defined.

    NaN mean and ends when it is defined for none; NaN ends for one, which says nothing about
    the next.
    """
    return _interval(metric.numerators(examples), metric.denominators(examples))


def paired_difference(
    metric: MetricInfo, a: Sequence[AnswerScores], b: Sequence[AnswerScores]
) -> Interval:
    """The metric under `a` less that under `b`, with the interval of the difference.

    Args:
        metric: What is compared.
        a: Scores of the examples under one method.
        b: Scores of the same examples, in the same order, under another.

    Raises:
        ValueError: The two have different lengths.
    """
    return _paired(
        metric.numerators(a), metric.denominators(a), metric.numerators(b), metric.denominators(b)
    )


def mean_interval(values: ArrayLike) -> Interval:
    """The mean of the values that are not NaN, shape (q,), with its interval."""
    return _interval(*_as_ratio(values))


def paired_mean_interval(a: ArrayLike, b: ArrayLike) -> Interval:
    """The mean of a - b over the positions where neither is NaN, with its interval.

    Raises:
        ValueError: The two have different lengths.
    """
    return _paired(*_as_ratio(a), *_as_ratio(b))


def _as_ratio(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    numbers = np.asarray(values, dtype=np.float64).reshape(-1)
    defined = ~np.isnan(numbers)
    return np.where(defined, numbers, 0.0), defined.astype(np.float64)


def _interval(numerators: NDArray[np.float64], denominators: NDArray[np.float64]) -> Interval:
    defined = denominators > 0
    numerators, denominators = numerators[defined], denominators[defined]
    drawn = _resampled(numerators, denominators)
    return _summary(ratio(numerators, denominators), drawn, len(numerators))


def _paired(
    a_numerators: NDArray[np.float64],
    a_denominators: NDArray[np.float64],
    b_numerators: NDArray[np.float64],
    b_denominators: NDArray[np.float64],
) -> Interval:
    if len(a_numerators) != len(b_numerators):
        raise ValueError(
            f"{len(a_numerators)} examples against {len(b_numerators)}; give the same ones twice"
        )
    defined = (a_denominators > 0) & (b_denominators > 0)
    a = a_numerators[defined], a_denominators[defined]
    b = b_numerators[defined], b_denominators[defined]
    with np.errstate(invalid="ignore"):  # two infinite ratios have no difference: NaN
        drawn = _resampled(*a) - _resampled(*b)
        return _summary(ratio(*a) - ratio(*b), drawn, int(defined.sum()))


def _resampled(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The ratio of sums in each draw, shape (RESAMPLES,)."""
    n = len(numerators)
    if n < 2:
        return np.full(RESAMPLES, np.nan)
    infinite = np.isinf(numerators)
    columns = np.stack([np.where(infinite, 0.0, numerators), denominators, infinite], axis=1)
    counts = _counts(n)
    sums = np.concatenate(
        [counts[at : at + _BLOCK] @ columns for at in range(0, RESAMPLES, _BLOCK)]
    )
    ratios: NDArray[np.float64] = np.where(sums[:, 2] > 0, np.inf, sums[:, 0] / sums[:, 1])
    return ratios


@lru_cache(maxsize=4)
def _counts(n: int) -> NDArray[np.uint16]:
    """How often each of n examples is in each draw, shape (RESAMPLES, n)."""
    generator = np.random.default_rng(_SEED)
    counts = np.empty((RESAMPLES, n), dtype=np.uint16)
    for draw in range(RESAMPLES):
        counts[draw] = np.bincount(generator.integers(n, size=n), minlength=n)
    return counts


def _summary(mean: float, drawn: NDArray[np.float64], n: int) -> Interval:
    """The mean with the percentiles of the draws; whole draws, as infinite ones allow no mixing."""
    if np.isnan(drawn).any():
        return Interval(mean, float("nan"), float("nan"), n)
    ordered = np.sort(drawn)
    tail = (1 - LEVEL) / 2 * (RESAMPLES - 1)
    low, high = int(np.floor(tail)), int(np.ceil(RESAMPLES - 1 - tail))
    return Interval(mean, float(ordered[low]), float(ordered[high]), n)
