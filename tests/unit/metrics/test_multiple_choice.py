import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import AnswerScores
from core.metrics.multiple_choice import mc1, mc2, mc3, mc3_normalised

# Worked by hand from the probabilities in tests/unit/metrics/conftest.py.
# Example 1: correct 1/2, 1/4;      incorrect 1/8.       sums 3/4 and 1/8
# Example 2: correct 1/8;           incorrect 1/4, 1/16. sums 1/8 and 5/16
# Example 3: correct 1/4, 1/4, 1/2; incorrect 1/4, 1/8.  sums 1 and 3/8


def test_mc1_of_the_hand_worked_examples(hand_worked):
    # 1/2 > 1/8; 1/8 < 1/4; 1/4 = 1/4 is a tie, which does not win.
    assert [mc1([one]) for one in hand_worked] == [1, 0, 0]
    assert mc1(hand_worked) == pytest.approx(0.3333333, abs=1e-7)


def test_mc1_follows_the_answer_named_best(hand_worked):
    named = replace(hand_worked[2], best=2)  # 1/2 > 1/4
    assert mc1([*hand_worked[:2], named]) == pytest.approx(0.6666667, abs=1e-7)


def test_mc2_of_the_hand_worked_examples(hand_worked):
    # Both; none; only 1/2 of three beats 1/4. Mean of 1, 0, 1/3.
    assert [mc2([one]) for one in hand_worked] == pytest.approx([1, 0, 1 / 3])
    assert mc2(hand_worked) == pytest.approx(0.4444444, abs=1e-7)


def test_mc3_of_the_hand_worked_examples(hand_worked):
    # 6, 2/5 and 8/3; mean 136/45.
    assert [mc3([one]) for one in hand_worked] == pytest.approx([6, 0.4, 2.6666667])
    assert mc3(hand_worked) == pytest.approx(3.0222222, abs=1e-7)


def test_mc3_normalised_of_the_hand_worked_examples(hand_worked):
    # 6/7, 2/7 and 8/11; mean 48/77.
    assert [mc3_normalised([one]) for one in hand_worked] == pytest.approx(
        [0.8571429, 0.2857143, 0.7272727], abs=1e-7
    )
    assert mc3_normalised(hand_worked) == pytest.approx(0.6233766, abs=1e-7)


@pytest.mark.parametrize("metric", [mc1, mc2, mc3, mc3_normalised])
def test_examples_without_incorrect_answers_are_left_out(metric, hand_worked, without_incorrect):
    assert metric([without_incorrect, *hand_worked]) == metric(hand_worked)
    assert math.isnan(metric([without_incorrect]))


def scores(correct, incorrect):
    return AnswerScores(correct, incorrect, np.zeros(len(correct)), np.zeros(len(incorrect)))


def test_probabilities_that_underflow_are_compared_all_the_same():
    # exp(-1e4) is 0 in float64; the ratios are not.
    example = scores([-1e4, -1e4], [-1e4])
    assert mc3([example]) == pytest.approx(2)
    assert mc3_normalised([example]) == pytest.approx(2 / 3)
    assert mc1([example]) == 0
    assert mc1([scores([-9999.0], [-1e4])]) == 1


def test_only_a_ratio_beyond_float64_is_infinite():
    assert mc3([scores([-1.0], [-700.0])]) == pytest.approx(math.exp(699))
    assert mc3([scores([-1.0], [-1e4])]) == math.inf
    assert mc3_normalised([scores([-1.0], [-1e4])]) == 1
    assert mc3([scores([-1e4], [-1.0])]) == 0
    assert mc3_normalised([scores([-1e4], [-1.0])]) == 0


log_probs = st.lists(st.floats(-60, 0), min_size=1, max_size=5)


@given(correct=log_probs, incorrect=log_probs, shift=st.floats(-500, 0))
def test_a_factor_common_to_all_probabilities_cancels(correct, incorrect, shift):
    plain = scores(correct, incorrect)
    shifted = scores(np.array(correct) + shift, np.array(incorrect) + shift)
    assert mc3([shifted]) == pytest.approx(mc3([plain]), rel=1e-9)
    assert mc3_normalised([shifted]) == pytest.approx(mc3_normalised([plain]), rel=1e-9)


@given(correct=log_probs, incorrect=log_probs)
def test_the_two_mc3_are_one_number_on_two_scales(correct, incorrect):
    example = scores(correct, incorrect)
    ratio = mc3([example])
    assert mc3_normalised([example]) == pytest.approx(ratio / (1 + ratio), rel=1e-9)
    assert ratio == pytest.approx(np.exp(correct).sum() / np.exp(incorrect).sum(), rel=1e-9)
