import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core.metrics import (
    METRICS,
    AnswerScores,
    estimate,
    mean_interval,
    paired_difference,
    paired_mean_interval,
)
from core.metrics.preference import dpo_per_triple


def examples_of(seed, q, gain=0.0):
    """q examples of unequal size; `gain` is what the context adds to each correct answer."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(q):
        a, b = generator.integers(1, 6, size=2)
        alone, incorrect_alone = -5 * generator.random(a), -5 * generator.random(b)
        made.append(
            AnswerScores(
                alone + gain + generator.normal(size=a) + generator.normal(),
                incorrect_alone + generator.normal(size=b),
                alone,
                incorrect_alone,
            )
        )
    return made


def test_mean_interval_is_that_of_scipy():
    values = np.random.default_rng(1).gamma(2.0, size=300)
    interval = mean_interval(values)
    reference = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=2
    ).confidence_interval
    assert interval.mean == pytest.approx(values.mean())
    assert interval.n == 300
    standard_error = values.std(ddof=1) / math.sqrt(300)
    assert interval.low == pytest.approx(reference.low, abs=0.15 * standard_error)
    assert interval.high == pytest.approx(reference.high, abs=0.15 * standard_error)


def test_mean_interval_is_that_of_the_normal_formula():
    values = np.random.default_rng(3).normal(5, 2, size=500)
    interval = mean_interval(values)
    half = 1.959964 * values.std(ddof=1) / math.sqrt(500)
    assert interval.low == pytest.approx(values.mean() - half, abs=0.15 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.15 * half)


def test_per_triple_interval_clusters_by_example():
    # The standard error of a ratio of sums, by linearisation over examples.
    examples = examples_of(4, 400)
    metric = METRICS["dpo_per_triple"]
    numerators, denominators = metric.numerators(examples), metric.denominators(examples)
    ratio = numerators.sum() / denominators.sum()
    residuals = (numerators - ratio * denominators) / denominators.mean()
    half = 1.959964 * residuals.std(ddof=1) / math.sqrt(400)
    interval = estimate(metric, examples)
    assert interval.mean == pytest.approx(ratio)
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.15)


def test_per_triple_interval_is_that_of_scipy():
    examples = examples_of(5, 150)
    metric = METRICS["dpo_per_triple"]
    pairs = metric.numerators(examples), metric.denominators(examples)
    reference = stats.bootstrap(
        pairs,
        lambda top, bottom, axis=-1: top.sum(axis=axis) / bottom.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=6,
    )
    interval = estimate(metric, examples)
    assert interval.low == pytest.approx(
        reference.confidence_interval.low, abs=0.2 * reference.standard_error
    )
    assert interval.high == pytest.approx(
        reference.confidence_interval.high, abs=0.2 * reference.standard_error
    )


def test_95_percent_of_intervals_hold_the_true_mean():
    generator = np.random.default_rng(7)
    held = [
        interval.low <= 2.0 <= interval.high
        for interval in (mean_interval(generator.exponential(2.0, size=80)) for _ in range(400))
    ]
    # 95 % less what a skewed sample of 80 costs; four standard errors of 400 trials are 4 %.
    assert 0.90 <= np.mean(held) <= 0.985


def test_paired_difference_is_narrower_than_two_intervals():
    metric = METRICS["delta"]
    before = examples_of(8, 120)
    after = [replace(one, correct=one.correct + 0.25) for one in before]
    difference = paired_difference(metric, after, before)
    # Every delta grows by 0.25 exactly.
    assert (difference.mean, difference.low, difference.high) == pytest.approx((0.25,) * 3)
    assert difference.n == 120
    assert estimate(metric, after).low < estimate(metric, before).high


def test_paired_difference_has_a_sign():
    metric = METRICS["dpo_per_triple"]
    worse, better = examples_of(9, 60), examples_of(9, 60, gain=1.0)
    there, back = (
        paired_difference(metric, better, worse),
        paired_difference(metric, worse, better),
    )
    assert there.low > 0
    assert there.mean == pytest.approx(dpo_per_triple(better) - dpo_per_triple(worse))
    assert back.mean == -there.mean
    # Mirrored, up to which draw an end falls on.
    assert back.low == pytest.approx(-there.high, abs=1e-12)
    assert back.high == pytest.approx(-there.low, abs=1e-12)


def test_the_same_examples_have_no_difference():
    metric = METRICS["mc3_normalised"]
    examples = examples_of(10, 30)
    difference = paired_difference(metric, examples, examples)
    assert (difference.mean, difference.low, difference.high, difference.n) == (0, 0, 0, 30)


def test_paired_mean_interval_is_that_of_the_differences():
    generator = np.random.default_rng(11)
    a, b = generator.normal(1, 1, 90), generator.normal(0, 1, 90)
    paired, plain = paired_mean_interval(a, b), mean_interval(a - b)
    assert (paired.mean, paired.low, paired.high) == pytest.approx(
        (plain.mean, plain.low, plain.high)
    )


def test_undefined_values_are_left_out():
    values = [1.0, math.nan, 3.0, 5.0]
    assert mean_interval(values) == mean_interval([1.0, 3.0, 5.0])
    assert mean_interval(values).n == 3
    paired = paired_mean_interval([1.0, math.nan, 3.0, 5.0], [0.0, 1.0, math.nan, 3.0])
    assert (paired.mean, paired.n) == (1.5, 2)


@pytest.mark.parametrize("values", [[], [math.nan]])
def test_nothing_defined_is_nan(values):
    interval = mean_interval(values)
    assert math.isnan(interval.mean)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.n == 0


def test_one_value_has_a_mean_and_no_interval():
    interval = mean_interval([2.5])
    assert (interval.mean, interval.n) == (2.5, 1)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_equal_values_have_an_interval_of_no_width():
    interval = mean_interval([0.25] * 12)
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)


def test_the_same_values_give_the_same_interval():
    values = np.random.default_rng(12).normal(size=40)
    assert mean_interval(values) == mean_interval(values.copy())


def test_an_infinite_ratio_makes_the_mean_and_the_upper_end_infinite():
    finite = [AnswerScores([-1.0], [-2.0], [-1.0], [-2.0])] * 9
    infinite = AnswerScores([-1.0], [-1e4], [-1.0], [-1e4])
    interval = estimate(METRICS["mc3"], [*finite, infinite])
    assert interval.mean == math.inf
    assert interval.low == pytest.approx(math.e)
    assert interval.high == math.inf


def test_other_examples_cannot_be_paired():
    with pytest.raises(ValueError, match="3 examples against 2"):
        paired_difference(METRICS["dpo"], examples_of(1, 3), examples_of(1, 2))
    with pytest.raises(ValueError, match="3 examples against 2"):
        paired_mean_interval([1.0, 2.0, 3.0], [1.0, 2.0])
