"""The mean over examples as a step function of lambda_d: by hand, and against a plain sum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.results.cells import StepFunction, mean_steps, outcome_path
from core.evaluation.results.outcomes import Outcome
from core.interval import Piece
from core.metrics.preference import dpo_per_triple
from core.metrics.scores import AnswerScores
from tests.unit.evaluation.value_at import value_at

LOG_HALF = math.log(0.5)


def outcome(*gains, ids=(1, 2), diversity=0.5):
    """One correct answer that gains nothing against incorrect ones that lose `gains` each."""
    loss = np.array(gains, dtype=float)
    alone = np.full(len(loss), -9.0)
    scores = AnswerScores([-1.0], -9.0 - loss, [-1.0], alone, diversity=diversity)
    return Outcome(ids, 0, scores)


def path(*pieces):
    """A path of (low, outcome)s."""
    highs = [low for low, _ in pieces[1:]] + [1.0]
    return tuple(Piece(low, high, each) for (low, each), high in zip(pieces, highs, strict=True))


def log_sigmoid(x):
    return -math.log1p(math.exp(-x))


def test_two_examples_by_hand():
    one = path((0.0, outcome(0.0)), (0.5, outcome(2.0)))
    other = path((0.0, outcome(1.0, 1.0, 1.0)), (0.25, outcome(0.0, 0.0, 0.0)))
    steps = mean_steps([one, other], "dpo_per_triple")
    assert steps.lows.tolist() == [0.0, 0.25, 0.5]
    assert steps.values == pytest.approx(
        [
            (LOG_HALF + 3 * log_sigmoid(1.0)) / 4,
            LOG_HALF,
            (log_sigmoid(2.0) + 3 * LOG_HALF) / 4,
        ]
    )
    assert value_at(steps, 0.0) == steps.values[0]
    assert value_at(steps, 0.2499) == steps.values[0]
    assert value_at(steps, 0.25) == steps.values[1]
    assert value_at(steps, 1.0) == steps.values[2]


def test_diversity_leaves_out_where_it_is_undefined():
    one = path((0.0, outcome(0.0, diversity=0.2)), (0.5, outcome(0.0, diversity=math.nan)))
    other = path((0.0, outcome(0.0, diversity=0.6)))
    alone = mean_steps([one], "diversity")
    assert alone.values[0] == pytest.approx(0.2)
    assert math.isnan(alone.values[1])
    assert mean_steps([one, other], "diversity").values == pytest.approx([0.4, 0.6])


def test_an_infinite_ratio_is_infinite_only_where_it_holds():
    sure = Outcome((1,), 0, AnswerScores([0.0], [-5000.0], [-1.0], [-1.0]))
    steps = mean_steps(
        [path((0.0, outcome(0.0)), (0.3, sure), (0.6, outcome(0.0))), path((0.0, outcome(0.0)))],
        "mc3",
    )
    assert np.isinf(steps.values).tolist() == [False, True, False]
    assert steps.values[2] == pytest.approx(math.exp(8.0))


def test_nothing_to_average_is_nan_everywhere():
    for paths in ([], [()]):
        steps = mean_steps(paths, "dpo_per_triple")
        assert steps.lows.tolist() == [0.0]
        assert math.isnan(value_at(steps, 0.7))
    without_incorrect = Outcome((1,), 0, AnswerScores([-1.0], [], [-2.0], []))
    assert math.isnan(value_at(mean_steps([path((0.0, without_incorrect))], "dpo_per_triple"), 0.5))


def test_pieces_of_one_set_in_one_prompt_are_joined():
    first, second = outcome(1.0, ids=(1, 2, 3)), outcome(2.0, ids=(1, 2, 4))
    again = Outcome((3, 2, 1), 0, first.scores)
    joined = outcome_path(path((0.0, first), (0.1, again), (0.4, second)))
    assert [(piece.low, piece.high) for piece in joined] == [(0.0, 0.4), (0.4, 1.0)]
    assert [piece.value for piece in joined] == [first, second]
    other_prompt = Outcome((3, 2, 1), 0, outcome(1.0).scores)
    assert len(outcome_path(path((0.0, first), (0.1, other_prompt)))) == 2


paths = st.lists(
    st.lists(st.tuples(st.floats(0.001, 0.999), st.floats(-3, 3)), max_size=5).map(
        lambda more: path(
            (0.0, outcome(0.3, 0.1)),
            *((low, outcome(gain, -gain)) for low, gain in sorted(dict(more).items())),
        )
    ),
    min_size=1,
    max_size=6,
)


@given(paths, st.floats(0, 1))
def test_the_steps_equal_the_metric_of_what_holds_there(paths, lambda_d):
    here = [
        next(piece.value for piece in reversed(each) if piece.low <= lambda_d) for each in paths
    ]
    wanted = dpo_per_triple([each.scores for each in here])
    assert value_at(mean_steps(paths, "dpo_per_triple"), lambda_d) == pytest.approx(
        wanted, abs=1e-12
    )


def test_a_value_between_two_steps_is_that_of_the_lower():
    steps = StepFunction(np.array([0.0, 0.5]), np.array([1.0, 2.0]))
    assert [value_at(steps, x) for x in (0.0, 0.4999, 0.5, 1.0)] == [1.0, 1.0, 2.0, 2.0]
