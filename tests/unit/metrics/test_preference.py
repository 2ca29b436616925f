import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import AnswerScores
from core.metrics.preference import (
    NO_EFFECT,
    delta,
    deltas,
    dpo,
    dpo_correct_only,
    dpo_per_triple,
    log_sigmoid,
    triple_accuracy,
)

# Gains in units of log 2 (a doubling), worked by hand from tests/unit/metrics/conftest.py.
# Example 1: correct +1, 0; incorrect -1.            deltas  2, 1
# Example 2: correct -1;    incorrect 0, -1.         deltas -1, 0
# Example 3: correct -1, 0, +2; incorrect +1, 0.     deltas -2, -1, -1, 0, 1, 2
# sigmoid(n log 2) = 2^n / (2^n + 1):  -2 -> 1/5, -1 -> 1/3, 0 -> 1/2, 1 -> 2/3, 2 -> 4/5.
# Example 1: log(4/5 * 2/3)                         = log(8/15)  = -0.6286087
# Example 2: log(1/3 * 1/2)                         = log(1/6)   = -1.7917595
# Example 3: log(1/5 * 1/3 * 1/3 * 1/2 * 2/3 * 4/5) = log(4/675) = -5.1284183
# Together -7.5487865 over 3 examples and 2 + 2 + 6 = 10 triples; the deltas add up to
# 3 - 1 - 1 = 1.


def test_dpo_of_the_hand_worked_examples(hand_worked):
    assert dpo(hand_worked[:1]) == pytest.approx(-0.6286087, abs=1e-7)
    assert dpo(hand_worked[1:2]) == pytest.approx(-1.7917595, abs=1e-7)
    assert dpo(hand_worked[2:]) == pytest.approx(-5.1284183, abs=1e-7)
    assert dpo(hand_worked) == pytest.approx(-2.5162622, abs=1e-7)


def test_dpo_per_triple_of_the_hand_worked_examples(hand_worked):
    assert dpo_per_triple(hand_worked[:1]) == pytest.approx(-0.3143043, abs=1e-7)
    assert dpo_per_triple(hand_worked) == pytest.approx(-0.75487865, abs=1e-7)


def test_delta_of_the_hand_worked_examples(hand_worked):
    np.testing.assert_allclose(
        deltas(hand_worked[2]) / math.log(2), [[-2, -1], [-1, 0], [1, 2]], atol=1e-12
    )
    assert delta(hand_worked) == pytest.approx(0.0693147, abs=1e-7)  # log(2) / 10


def test_triple_accuracy_of_the_hand_worked_examples(hand_worked):
    # Example 1: 1/2 and 1/4 beat 1/8: 2 of 2. Example 2: 1/8 beats 1/16, not 1/4: 1 of 2.
    # Example 3: 1/4 ties with 1/4 and beats 1/8, twice, 1/2 beats both: 4 of 6. 7 of 10 in all.
    assert triple_accuracy(hand_worked[:1]) == 1.0
    assert triple_accuracy(hand_worked[1:2]) == 0.5
    assert triple_accuracy(hand_worked[2:]) == pytest.approx(2 / 3)
    assert triple_accuracy(hand_worked) == 0.7, "over triples, not the mean of examples"


def test_both_ends_of_triple_accuracy():
    won, lost, tied = (AnswerScores([-1.0], [b, b], [-9.0], [b, b]) for b in (-2.0, -0.5, -1.0))
    assert triple_accuracy([won]) == 1.0
    assert triple_accuracy([lost]) == triple_accuracy([tied]) == 0.0
    assert triple_accuracy([won, lost]) == 0.5


def test_a_mean_below_no_effect_says_nothing_of_the_mean_delta():
    """Deltas of +6 and -4: the mean is +1, and DPO per triple far below -0.69."""
    example = AnswerScores([-2.0], [-8.0, -2.0], [-4.0], [-4.0, -8.0])
    assert deltas(example).tolist() == [[6.0, -4.0]]
    assert delta([example]) == 1.0
    assert dpo_per_triple([example]) == pytest.approx(-2.0103, abs=1e-4)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8))
def test_a_mean_above_no_effect_implies_a_mean_delta_above_zero(gains):
    example = AnswerScores(np.array(gains) - 60.0, [-1.0], np.full(len(gains), -60.0), [-1.0])
    if dpo_per_triple([example]) > NO_EFFECT + 1e-9:
        assert delta([example]) > 0


def test_correct_only_of_a_hand_worked_example(without_incorrect):
    # Gains +1 and -2 doublings: log(2/3) + log(1/5) = log(2/15).
    assert dpo_correct_only([without_incorrect]) == pytest.approx(-2.0149030, abs=1e-7)


def test_no_effect_is_minus_log_two_a_triple(hand_worked):
    same = [
        replace(one, correct_alone=one.correct, incorrect_alone=one.incorrect)
        for one in hand_worked
    ]
    assert dpo_per_triple(same) == pytest.approx(-0.6931472, abs=1e-7)
    assert dpo(same) == pytest.approx(-0.6931472 * 10 / 3, abs=1e-6)
    assert delta(same) == 0


def test_examples_without_incorrect_answers_are_never_averaged_with_triples(
    hand_worked, without_incorrect
):
    for metric in (dpo, dpo_per_triple, delta, triple_accuracy):
        assert metric([*hand_worked, without_incorrect]) == metric(hand_worked)
        assert math.isnan(metric([without_incorrect]))
    assert dpo_correct_only([*hand_worked, without_incorrect]) == dpo_correct_only(
        [without_incorrect]
    )
    assert math.isnan(dpo_correct_only(hand_worked))


def test_extreme_log_probabilities_stay_exact():
    worse = AnswerScores([-1e4], [-1.0], [-1.0], [-1e4])
    better = AnswerScores([-1.0], [-1e4], [-1e4], [-1.0])
    assert dpo([worse]) == -19998.0
    assert dpo([better]) == 0.0
    assert delta([worse]) == -19998.0
    assert delta([better]) == 19998.0


@given(st.floats(-1e6, 1e6))
def test_log_sigmoid_keeps_its_symmetry(x):
    # sigmoid(x) / sigmoid(-x) = exp(x)
    there, back = log_sigmoid(np.array([x, -x]))
    assert there <= 0
    assert there - back == pytest.approx(x, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(0, -0.69314718056), (1, -0.31326168752), (-1, -1.31326168752), (40, -4.2483542553e-18)],
)
def test_log_sigmoid_in_numbers(x, expected):
    assert log_sigmoid(np.array([float(x)]))[0] == pytest.approx(expected, rel=1e-10, abs=0)
