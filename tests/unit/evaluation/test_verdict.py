"""Whether contexts help or harm: DPO per triple says it only where delta agrees."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.results.cells import CalibrationCell
from core.evaluation.results.verdict import Verdict, verdict_of, verdict_of_one_query
from core.interval import UNDEFINED, Interval
from core.metrics import AnswerScores
from core.metrics.preference import NO_EFFECT, delta, dpo_per_triple
from tests.unit.reporting.summaries import cell, method

ABOVE = Interval(-0.5, -0.6, -0.4)
AROUND = Interval(-0.7, -0.9, -0.5)
BELOW = Interval(-2.2, -2.9, -1.7)
GAINED, EVEN, LOST = Interval(0.9, 0.2, 1.6), Interval(0.1, -0.5, 0.7), Interval(-0.9, -1.6, -0.2)


@pytest.mark.parametrize(
    ("dpo", "delta", "verdict"),
    [
        (ABOVE, GAINED, Verdict.HELPS),
        (AROUND, GAINED, Verdict.NO_CLEAR_EFFECT),
        (AROUND, LOST, Verdict.NO_CLEAR_EFFECT),
        (BELOW, LOST, Verdict.HARMS),
        (BELOW, EVEN, Verdict.SOME_LOSE_MUCH),
        (BELOW, GAINED, Verdict.SOME_LOSE_MUCH),
        (BELOW, Interval(0.9, None, None), Verdict.SOME_LOSE_MUCH),
        (BELOW, Interval(-0.9, None, None), Verdict.TOO_FEW),
        (Interval(-2.2, None, None), LOST, Verdict.TOO_FEW),
        (Interval(NO_EFFECT, None, None, 40), Interval(0.0, None, None), Verdict.NO_CLEAR_EFFECT),
        (Interval(NO_EFFECT, None, None, 4, 20), Interval(0.0, None, None), Verdict.TOO_FEW),
        (UNDEFINED, UNDEFINED, None),
    ],
)
def test_the_verdict_of_many_examples(dpo, delta, verdict):
    assert verdict_of(dpo, delta) is verdict


def test_an_interval_that_ends_at_no_effect_is_not_clear():
    assert verdict_of(Interval(-0.5, NO_EFFECT, -0.3), GAINED) is Verdict.NO_CLEAR_EFFECT
    assert verdict_of(Interval(-0.9, -1.0, NO_EFFECT), LOST) is Verdict.NO_CLEAR_EFFECT
    assert verdict_of(BELOW, Interval(-0.5, -1.0, 0.0)) is Verdict.SOME_LOSE_MUCH


@pytest.mark.parametrize(
    ("dpo", "delta", "verdict"),
    [
        (-2.0103, 1.0, Verdict.SOME_LOSE_MUCH),  # deltas of +6 and -4
        (-2.0103, -1.0, Verdict.HARMS),
        (-0.313, 1.0, Verdict.HELPS),
        (-math.log(2), 0.0, Verdict.NO_CLEAR_EFFECT),
        (-0.6925, 0.0013, Verdict.NO_CLEAR_EFFECT),
        (None, None, None),
    ],
)
def test_the_verdict_of_one_query(dpo, delta, verdict):
    assert verdict_of_one_query(dpo, delta) is verdict


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_a_verdict_never_contradicts_delta(gains):
    example = AnswerScores([-30.0 + x for x in gains], [-1.0], [-30.0] * len(gains), [-1.0])
    mean = delta([example])
    found = verdict_of_one_query(dpo_per_triple([example]), mean)
    assert found is not Verdict.TOO_FEW
    assert found is not Verdict.HELPS or mean > 0
    assert found is not Verdict.HARMS or mean < 0
    if len(gains) == 1 and mean < 0:
        assert found is not Verdict.SOME_LOSE_MUCH or mean > -0.011


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8))
def test_below_no_effect_triples_lose_by_at_least_as_much_on_average(gains):
    example = AnswerScores([-60.0 + x for x in gains], [-1.0], [-60.0] * len(gains), [-1.0])
    lost = sum(max(-x, 0.0) for x in gains) / len(gains)
    assert lost >= NO_EFFECT - dpo_per_triple([example]) - 1e-9


def test_a_method_and_a_cell_have_the_verdict_of_their_figures():
    figures = replace(method("rel", -2.2), metrics={"dpo_per_triple": BELOW, "delta": EVEN})
    assert figures.verdict is Verdict.SOME_LOSE_MUCH
    found = replace(cell(1.0, -2.2), dpo=BELOW, value=BELOW, delta=LOST)
    assert found.verdict is Verdict.HARMS
    read = CalibrationCell.from_json(found.to_json("dpo_per_triple"), "dpo_per_triple")
    assert (read.verdict, read.knobs, read.delta) == (Verdict.HARMS, found.knobs, LOST)
