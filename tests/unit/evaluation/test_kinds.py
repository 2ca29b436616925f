"""DPO by kind of incorrect answer, by hand."""

import math

import numpy as np
import pytest

from core.demonstration.demonstration import EvaluationExample, incorrect_answers
from core.evaluation.results.outcomes import dpo_by_kind
from core.metrics.bounds.intervals import estimate
from core.metrics.registry import METRICS
from core.metrics.scores import AnswerScores


def example(incorrect, kinds=(), correct=("yes",)):
    return EvaluationExample("q", tuple(correct), incorrect_answers(incorrect, kinds))


def scores(correct, incorrect):
    """With a context; alone everything is at 0, so a gain is the value itself."""
    a, b = np.array(correct, dtype=float), np.array(incorrect, dtype=float)
    return AnswerScores(a, b, np.zeros(len(a)), np.zeros(len(b)))


def log_sigmoid(x):
    return -math.log1p(math.exp(-x))


def test_each_kind_has_the_triples_of_its_own_answers():
    examples = [
        example(["b", "c", "d"], ["missing", "myth", "missing"], correct=["yes", "aye"]),
        example(["b", "c"], ["", "myth"]),
        example(["b"]),
    ]
    found = dpo_by_kind(
        examples,
        [scores([1.0, 2.0], [-1.0, 3.0, 0.5]), scores([0.0], [9.0, -2.0]), scores([5.0], [5.0])],
    )
    assert list(found) == ["missing", "myth"]
    missing = sum(map(log_sigmoid, (2.0, 0.5, 3.0, 1.5))) / 4
    assert found["missing"].mean == pytest.approx(missing, abs=1e-12)
    # Over triples, not over examples: two of the first, one of the second.
    myth = (log_sigmoid(-2.0) + log_sigmoid(-1.0) + log_sigmoid(2.0)) / 3
    assert found["myth"].mean == pytest.approx(myth, abs=1e-12)
    assert {kind: interval.n for kind, interval in found.items()} == {"missing": 1, "myth": 2}
    assert found["missing"].low is None  # one example says nothing about the next
    assert (found["myth"].needed, found["myth"].high) == (20, None)


def test_one_kind_for_all_is_the_metric_itself():
    rng = np.random.default_rng(0)
    all_scores = [scores(rng.normal(size=2), rng.normal(size=3)) for _ in range(20)]
    found = dpo_by_kind([example("bcd", "kkk")] * 20, all_scores)
    assert found == {"k": estimate(METRICS["dpo_per_triple"], all_scores)}


def test_without_kinds_there_is_nothing_to_tell():
    assert dpo_by_kind([example(["b"]), example([])], [scores([1], [0]), scores([1], [])]) == {}
    assert dpo_by_kind([], []) == {}
