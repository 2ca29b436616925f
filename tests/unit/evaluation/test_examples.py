"""From demonstrations to evaluation examples, and their seeded order."""

from dataclasses import replace

import pytest

from core.errors import InvalidInput
from core.evaluation.examples import examples_of, sample
from core.types import Demonstration, EvaluationExample, Status


def demonstration(number, query, answer, incorrect=(), *, best=False):
    return Demonstration(
        number, query, answer, tuple(incorrect), (), best, Status.INCLUDED, "", revision=1
    )


def test_queries_are_joined_after_normalisation_in_order_of_first_appearance():
    found = examples_of(
        [
            demonstration(1, "Is water wet?", "Yes", ["No", "Never"]),
            demonstration(2, "Who?", "Nobody", ["You"]),
            demonstration(3, "  is WATER\twet?", "It is", ["Never", "Perhaps"], best=True),
        ]
    )
    assert found == [
        EvaluationExample("Is water wet?", ("Yes", "It is"), ("No", "Never", "Perhaps"), best=1),
        EvaluationExample("Who?", ("Nobody",), ("You",), best=0),
    ]


def test_doubles_and_incorrect_answers_that_are_correct_are_left_out():
    found = examples_of(
        [
            demonstration(1, "Q", "Yes", ["yes", "No "]),
            demonstration(2, "Q", " Yes ", ["No", "Yes", "  "]),
            demonstration(3, "Q", "Indeed", ["Indeed"]),
        ]
    )
    assert found == [EvaluationExample("Q", ("Yes", "Indeed"), ("yes", "No"), best=0)]


def test_kinds_stay_with_their_answers():
    found = examples_of(
        [
            replace(
                demonstration(1, "Q", "Yes", ["No", "Yes", "Never"]), incorrect_kinds=("", "x", "y")
            ),
            replace(demonstration(2, "Q", "Aye", ["No", "Hardly"]), incorrect_kinds=("z", "")),
            demonstration(3, "Q", "Sure", ["Never", "Perhaps"]),
        ]
    )
    (example,) = found
    assert example.incorrect == ("No", "Never", "Hardly", "Perhaps")
    assert example.incorrect_kinds == ("z", "y", "", "")


def test_no_demonstrations_make_no_examples():
    assert examples_of([]) == []


def many(n):
    return [EvaluationExample(f"query {i}", ("a",), ()) for i in range(n)]


def test_a_larger_limit_extends_the_smaller_ones_order():
    examples = many(30)
    everything = sample(examples, None, seed=4)
    assert sorted(e.query for e in everything) == sorted(e.query for e in examples)
    assert everything != examples
    for limit in (1, 7, 30, 31, 1000):
        assert sample(examples, limit, seed=4) == everything[:limit]


def test_the_seed_decides_the_order():
    assert sample(many(30), 30, seed=1) == sample(many(30), 30, seed=1)
    assert sample(many(30), 30, seed=1) != sample(many(30), 30, seed=2)
    assert sample([], 5) == []


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(InvalidInput, match=f"is {limit}; give 1 or more"):
        sample(many(3), limit)
