"""The overlap of generated answers as metrics: examples without one count in none."""

import math
from dataclasses import replace

import pytest

from core.metrics import METRICS, AnswerScores, estimate, paired_difference
from core.metrics.metric import Counted
from core.metrics.registry import metrics_of
from core.metrics.scores import NOTHING_GENERATED, OfAnswer

GENERATED = tuple(OfAnswer.__annotations__)
SCORED = AnswerScores([-1.0], [-2.0], [-1.0], [-2.0])
every_one = pytest.mark.parametrize("name", GENERATED)


def answered(**values):
    return replace(SCORED, **dict.fromkeys(GENERATED, 0.0) | values)


def test_they_are_the_metrics_of_generated_answers_and_only_runs_with_them_have_them():
    assert {name for name, each in METRICS.items() if each.counts is Counted.GENERATED} == {
        *GENERATED
    }
    assert metrics_of(generated=True) == list(METRICS)
    assert metrics_of(generated=False) == [name for name in METRICS if name not in GENERATED]


@every_one
def test_the_mean_is_over_the_examples_with_an_answer(name):
    found = estimate(METRICS[name], [answered(**{name: 0.25}), SCORED, answered(**{name: 1.0})])
    assert (found.mean, found.n) == (0.625, 2)
    assert all(math.isnan(value) for value in SCORED.of_answer.values())
    assert SCORED.of_answer.keys() == NOTHING_GENERATED.keys()


@every_one
def test_a_difference_is_paired_over_the_examples_that_both_have(name):
    ours = [answered(**{name: 1.0}), answered(**{name: 1.0}), SCORED]
    theirs = [answered(**{name: 0.5}), SCORED, answered(**{name: 0.25})]
    found = paired_difference(METRICS[name], ours, theirs)
    assert (found.mean, found.n) == (0.5, 1)


def test_exact_match_has_the_interval_of_a_share_of_right_answers():
    right = [answered(exact_match=1.0)] * 15 + [answered()] * 15
    mc1 = [AnswerScores([-1.0], [-2.0], [-1.0], [-2.0])] * 15
    mc1 += [AnswerScores([-2.0], [-1.0], [-2.0], [-1.0])] * 15
    assert estimate(METRICS["exact_match"], right) == estimate(METRICS["mc1"], mc1)
    assert estimate(METRICS["exact_match"], right).low == pytest.approx(0.3130, abs=5e-4)


@every_one
def test_an_interval_stays_within_the_shares(name):
    found = estimate(METRICS[name], [answered(**{name: i / 40}) for i in range(40)])
    assert 0.0 < found.low < found.mean < found.high < 1.0
