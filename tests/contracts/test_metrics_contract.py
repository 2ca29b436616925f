"""What every registered metric keeps, whatever it measures."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.metrics import METRICS, AnswerScores, estimate, gain, multiple_choice, paired_difference
from core.metrics import preference as preference_module
from core.metrics.metric import Counted
from core.metrics.scores import OfAnswer, OfContext, OfLabels

MEASURED = {name for each in (OfContext, OfLabels, OfAnswer) for name in each.__annotations__}
"""What is measured of a context and of a generated answer, whatever the log-probabilities are."""
every_metric = pytest.mark.parametrize("name", METRICS)
every_ranking_metric = pytest.mark.parametrize(
    "name",
    [
        name
        for name, each in METRICS.items()
        if each.higher_is_better is not None and name not in MEASURED
    ],
)


def mean_of_measured(name, examples):
    numbers = [getattr(one, name) for one in examples]
    known = [number for number in numbers if not math.isnan(number)]
    return float(np.mean(known)) if known else math.nan


def public_function(name):
    if name in MEASURED:  # That of one example is a function of a context or of a text.
        return partial(mean_of_measured, name)
    (module,) = [each for each in (preference_module, multiple_choice, gain) if hasattr(each, name)]
    return getattr(module, name)


def random_example(generator, b):
    a = int(generator.integers(1, 5))
    return AnswerScores(
        correct=-20 * generator.random(a),
        incorrect=-20 * generator.random(b),
        correct_alone=-20 * generator.random(a),
        incorrect_alone=-20 * generator.random(b),
        best=int(generator.integers(a)),
        diversity=math.nan if b == 0 else a / 5 - b / 10,
        cos_sum=math.nan if b == 0 else b / 5 - a / 10,
        label_consistency=math.nan if b == 0 else a / 10 + b / 10,
        label_chance=0.25,
        **dict.fromkeys(OfAnswer.__annotations__, math.nan if b == 0 else a / b % 1.0),
        correct_tokens=generator.integers(1, 9, a),
    )


@pytest.fixture
def examples():
    """Forty examples; every fourth has no incorrect answer and an empty context."""
    generator = np.random.default_rng(0)
    return [
        random_example(generator, 0 if i % 4 == 3 else int(generator.integers(1, 5)))
        for i in range(40)
    ]


def test_the_metrics_of_the_design_are_there():
    assert set(METRICS) == {
        "dpo",
        "dpo_per_triple",
        "delta",
        "triple_accuracy",
        "mc1",
        "mc2",
        "mc3",
        "mc3_normalised",
        "dpo_correct_only",
        "gain_per_token",
        "gain_per_answer",
        "diversity",
        "cos_sum",
        "label_consistency",
        "exact_match",
        "f1",
        "precision",
        "rouge_l",
        "nf1",
    }


@every_metric
def test_it_says_what_it_is(name):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.explanation.endswith(".")
    assert all([metric.label, metric.unit, metric.source])
    assert (metric.higher_is_better is None) == (metric.ends is not None)
    labels = [other.label for other in METRICS.values()]
    assert labels.count(metric.label) == 1


@every_metric
def test_its_function_is_the_ratio_of_its_sums(name, examples):
    metric = METRICS[name]
    numerators, denominators = metric.numerators(examples), metric.denominators(examples)
    assert numerators.shape == denominators.shape == (40,)
    assert numerators.dtype == denominators.dtype == np.float64
    expected = numerators.sum() / denominators.sum()
    assert public_function(name)(examples) == pytest.approx(expected)
    assert estimate(metric, examples).mean == pytest.approx(expected)


@every_metric
def test_an_undefined_example_has_no_weight(name, examples):
    metric = METRICS[name]
    numerators, denominators = metric.numerators(examples), metric.denominators(examples)
    undefined = denominators == 0
    left_out = {Counted.WITH_INCORRECT: 10, Counted.WITHOUT_INCORRECT: 30}
    assert undefined.sum() == (10 if name in MEASURED else left_out.get(metric.counts, 0))
    assert (numerators[undefined] == 0).all()
    defined = [one for one, out in zip(examples, undefined, strict=True) if not out]
    assert repr(estimate(metric, defined)) == repr(estimate(metric, examples))
    assert estimate(metric, examples).n == len(defined)


@every_metric
def test_nothing_is_nan(name):
    metric = METRICS[name]
    assert metric.numerators([]).shape == metric.denominators([]).shape == (0,)
    assert math.isnan(public_function(name)([]))
    interval = estimate(metric, [])
    assert interval.mean is None
    assert interval.n == 0


@every_metric
def test_the_order_of_examples_and_answers_does_not_matter(name, examples):
    value = public_function(name)(examples)
    turned = [
        AnswerScores(
            one.correct[::-1],
            one.incorrect[::-1],
            one.correct_alone[::-1],
            one.incorrect_alone[::-1],
            best=len(one.correct) - 1 - one.best,
            diversity=one.diversity,
            cos_sum=one.cos_sum,
            label_consistency=one.label_consistency,
            **one.of_answer,
            correct_tokens=one.correct_tokens[::-1],
        )
        for one in reversed(examples)
    ]
    assert public_function(name)(turned) == pytest.approx(value)


@every_metric
def test_the_mean_lies_in_its_interval(name, examples):
    metric, many = METRICS[name], examples * 2  # 20 of them are without incorrect answers
    interval = estimate(metric, many)
    if metric.spread == "unbounded":
        assert interval.low is None
        assert interval.high is None
    else:
        assert interval.low <= interval.mean <= interval.high
        assert interval.low < interval.high
        assert interval.high <= metric.highest
    if metric.spread == "share":
        assert interval.low >= 0.0
        assert metric.highest == 1.0


@every_ranking_metric
def test_raising_the_correct_answers_in_the_context_moves_it_its_good_way(name, examples):
    metric = METRICS[name]
    raised = [replace(one, correct=one.correct + 3.0) for one in examples]
    better = paired_difference(metric, raised, examples)
    assert (better.mean > 0) == metric.higher_is_better
    worse = paired_difference(metric, examples, raised)
    assert (worse.mean, worse.needed) == (pytest.approx(-better.mean), better.needed)
    if better.low is not None:
        assert worse.high == pytest.approx(-better.low)


@every_ranking_metric
@pytest.mark.parametrize("sign", [1, -1])
def test_extreme_log_probabilities_give_no_nan(name, sign):
    high, low = (-1.0, -1e4)[::sign]
    extreme = [
        AnswerScores([high, high], [low], [low, low], [high]),
        AnswerScores([high, low], [low, high], [low, high], [high, low]),
        AnswerScores([low, high], [], [high, low], []),
    ]
    extreme = [replace(one, correct_tokens=[3] * len(one.correct)) for one in extreme]
    value = public_function(name)(extreme)
    assert not math.isnan(value)
    # mc3 alone is unbounded: exp(9999) is more than float64 holds.
    assert math.isfinite(value) or (name == "mc3" and sign == 1)
