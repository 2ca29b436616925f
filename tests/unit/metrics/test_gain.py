"""The gains of the correct answers: worked by hand, and against a loop over the answers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import METRICS, AnswerScores, estimate
from core.metrics.gain import gain_per_answer, gain_per_token

# Gains in units of log 2 (a doubling), from tests/unit/metrics/conftest.py:
# 1, 0 of two answers; -1 of one; -1, 0, 2 of three; 1, -2 of two without incorrect answers.
# Together 1 - 1 + 1 - 1 = 0 over 8 answers; without the last example 1 over 6 answers.
TOKENS = ([2, 3], [5], [1, 1, 4], [7, 1])


@pytest.fixture
def counted(hand_worked, without_incorrect):
    """All four hand-worked examples with 24 tokens."""
    rows = zip([*hand_worked, without_incorrect], TOKENS, strict=True)
    return [replace(one, correct_tokens=tokens) for one, tokens in rows]


def test_the_gain_per_answer_by_hand(counted):
    assert gain_per_answer(counted[:1]) == pytest.approx(0.3465736, abs=1e-7)  # log(2) / 2
    assert gain_per_answer(counted[:3]) == pytest.approx(0.1155245, abs=1e-7)  # log(2) / 6
    assert gain_per_answer(counted) == pytest.approx(0.0, abs=1e-12)
    assert gain_per_answer(counted[3:]) == pytest.approx(-0.3465736, abs=1e-7)


def test_the_gain_per_token_by_hand(counted):
    assert gain_per_token(counted[:1]) == pytest.approx(0.1386294, abs=1e-7)  # log(2) / 5
    assert gain_per_token(counted[:3]) == pytest.approx(0.0433217, abs=1e-7)  # log(2) / 16
    assert gain_per_token(counted[3:]) == pytest.approx(-0.0866434, abs=1e-7)  # -log(2) / 8


def test_incorrect_answers_change_nothing(counted):
    bare = [replace(one, incorrect=[], incorrect_alone=[]) for one in counted]
    for metric in (gain_per_answer, gain_per_token):
        assert metric(bare) == metric(counted)


def test_no_effect_is_zero_with_an_interval_around_it(counted):
    same = [replace(one, correct_alone=one.correct) for one in counted * 10]
    for name in ("gain_per_answer", "gain_per_token"):
        assert estimate(METRICS[name], same).mean == 0.0
        assert METRICS[name].without_effect(same).tolist() == [0.0] * 40


def test_where_tokens_were_not_counted_an_example_is_left_out(counted, hand_worked):
    older = hand_worked[1:]
    assert gain_per_token([counted[0], *older]) == gain_per_token(counted[:1])
    assert math.isnan(gain_per_token(older))
    assert estimate(METRICS["gain_per_token"], [counted[0], *older]).n == 1
    assert gain_per_answer(older) == gain_per_answer(counted[1:3])


answers = st.tuples(st.floats(-500, 0), st.floats(-500, 0), st.integers(1, 40))


@given(st.lists(st.lists(answers, min_size=1, max_size=4), min_size=1, max_size=6))
def test_they_are_means_over_answers_and_over_tokens(examples):
    scores = [
        AnswerScores(
            [there for there, _, _ in rows],
            [],
            [alone for _, alone, _ in rows],
            [],
            correct_tokens=[tokens for _, _, tokens in rows],
        )
        for rows in examples
    ]
    flat = [row for rows in examples for row in rows]
    gains = [there - alone for there, alone, _ in flat]
    each_token = np.repeat(
        [g / t for g, (_, _, t) in zip(gains, flat, strict=True)], [t for _, _, t in flat]
    )
    assert gain_per_answer(scores) == pytest.approx(np.mean(gains), abs=1e-9)
    assert gain_per_token(scores) == pytest.approx(np.mean(each_token), abs=1e-9)
