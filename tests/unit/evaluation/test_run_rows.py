"""Rows of a recorded run: they come back as they went in."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import EvaluationExample, incorrect_answers
from core.evaluation.results.outcomes import Outcome
from core.evaluation.results.run_figures import SkippedExample, SkipReason
from core.evaluation.runs.tally import ContextRow, recorded_contexts, skipped_to_json
from core.interval import Stretch
from core.metrics.scores import AnswerScores

EXAMPLE = EvaluationExample("Is ice hot?", ("No", "Never"), incorrect_answers(["Yes"], ["heat"]), 1)
SCORES = AnswerScores(
    correct=[-1.0, -2.0],
    incorrect=[-3.0],
    correct_alone=[-2.0, -4.0],
    incorrect_alone=[-1.5],
    best=1,
    correct_tokens=[3, 5],
)


def context_row(**changes):
    fields = {
        "query": EXAMPLE.query,
        "requests": ("rel", "rel+div"),
        "stretches": (Stretch(0.0, 0.25), Stretch(0.5, 1.0)),
        "outcome": Outcome((4, 7), 1, replace(SCORES, diversity=0.5, cos_sum=0.75), leaking=(7,)),
        "example": EXAMPLE,
    }
    return ContextRow(**fields | changes)


@pytest.mark.parametrize("example", [EXAMPLE, None])
def test_a_row_comes_back_as_it_went_in(example):
    row = context_row(example=example)
    again = ContextRow.from_json(json.loads(json.dumps(row.to_json())))
    assert (again.query, again.requests, again.stretches) == (
        row.query,
        row.requests,
        row.stretches,
    )
    assert again.example == example
    assert (again.outcome.ids, again.outcome.leaking) == ((4, 7), (7,))
    assert (again.outcome.scores.diversity, again.outcome.left_out) == (0.5, 1)
    assert again.outcome.scores.cos_sum == 0.75
    np.testing.assert_array_equal(again.outcome.scores.correct, [-1.0, -2.0])
    assert again.outcome.scores.best == 1
    assert again.outcome.scores.correct_tokens.tolist() == [3, 5]


def test_an_undefined_sameness_is_null_and_comes_back_undefined():
    row = context_row(outcome=Outcome((), 0, SCORES)).to_json()
    assert row["diversity"] is None
    assert math.isnan(ContextRow.from_json(row).outcome.scores.diversity)


def test_examples_that_were_passed_over_are_left_out(store):
    run = store.runs.start("evaluate", None, {})
    passed = skipped_to_json(SkippedExample("Why?", SkipReason.TOO_LONG))
    assert passed == {"query": "Why?", "reason": "too long", "skipped": True}
    store.runs.append(run, [passed, context_row().to_json()])
    assert [row.query for row in recorded_contexts(store, run)] == ["Is ice hot?"]
