"""From demonstrations to evaluation examples, and their seeded order."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import Demonstration, EvaluationExample, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.plan.examples import examples_of, sample
from core.text import normalised


def demonstration(number, query, answer, incorrect=(), kinds=(), *, best=False):
    return Demonstration(
        query, answer, incorrect_answers(incorrect, kinds), best=best, id=number, revision=1
    )


def test_the_same_query_is_joined_in_order_of_first_appearance():
    found = examples_of(
        [
            demonstration(1, "Is water wet?", "Yes", ["No", "Never"]),
            demonstration(2, "Who?", "Nobody", ["You"]),
            demonstration(3, "  Is wa\u00adter wet?\n", "It is", ["Never", "Perhaps"], best=True),
        ]
    )
    assert found == [
        EvaluationExample(
            "Is water wet?", ("Yes", "It is"), incorrect_answers(("No", "Never", "Perhaps")), best=1
        ),
        EvaluationExample("Who?", ("Nobody",), incorrect_answers(("You",)), best=0),
    ]


def test_queries_in_other_letters_are_examples_of_their_own():
    found = examples_of(
        [
            demonstration(1, "What is 3²?", "9", ["6", "32"]),
            demonstration(2, "What is 32?", "thirty-two", ["thirty-one", "nine"]),
            demonstration(3, "What is Co?", "cobalt", ["copper"]),
            demonstration(4, "What is CO?", "carbon monoxide", ["cobalt"]),
            demonstration(5, "What is  Co?", "a place"),
        ]
    )
    assert [(e.query, e.answers, len(e.answers) * len(e.incorrect)) for e in found] == [
        ("What is 3²?", ("9",), 2),
        ("What is 32?", ("thirty-two",), 2),
        ("What is Co?", ("cobalt",), 1),
        ("What is CO?", ("carbon monoxide",), 1),
        ("What is  Co?", ("a place",), 0),
    ]


def test_texts_are_scored_as_they_were_first_written():
    (found,) = examples_of(
        [
            demonstration(1, "def f(x):\n", "    return x\n", ["    pass\n", "pass"]),
            demonstration(2, "def f(x):", "return x", ["\tpass"], best=True),
            demonstration(3, "def f(x):", "    return (x)\n"),
        ]
    )
    assert found == EvaluationExample(
        "def f(x):\n",
        ("    return x\n", "    return (x)\n"),
        incorrect_answers(["    pass\n"]),
        best=0,
    )


def test_doubles_and_incorrect_answers_that_are_correct_are_left_out():
    found = examples_of(
        [
            demonstration(1, "Q", "Yes", ["yes", "No "]),
            demonstration(2, "Q", " Yes ", ["No", "Yes", "  "]),
            demonstration(3, "Q", "Indeed", ["Indeed"]),
        ]
    )
    assert found == [EvaluationExample("Q", ("Yes", "Indeed"), incorrect_answers(("No ",)), best=0)]


def test_kinds_stay_with_their_answers():
    found = examples_of(
        [
            demonstration(1, "Q", "Yes", ["No", "Yes", "Never"], ["", "x", "y"]),
            demonstration(2, "Q", "Aye", ["No", "Hardly"], ["z", ""]),
            demonstration(3, "Q", "Sure", ["Never", "Perhaps"]),
        ]
    )
    (example,) = found
    assert example.incorrect == incorrect_answers(
        ["No", "Never", "Hardly", "Perhaps"], ["z", "y", "", ""]
    )


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


queries = st.lists(st.text(min_size=1), unique_by=normalised, max_size=20)


def asked(*texts):
    return [EvaluationExample(text, ("a",), ()) for text in texts]


def drawn(texts, limit, seed):
    return [example.query for example in sample(asked(*texts), limit, seed)]


@given(queries, st.integers(0, 10**6), st.integers(1, 25), st.randoms())
def test_the_order_in_the_pool_decides_nothing(texts, seed, limit, random):
    shuffled = random.sample(texts, len(texts))
    assert drawn(shuffled, limit, seed) == drawn(texts, limit, seed)


@given(queries, st.integers(0, 10**6), st.integers(1, 25), st.integers(0, 20))
def test_added_and_removed_queries_displace_one_each_at_most(texts, seed, limit, kept):
    fewer, before = drawn(texts[:kept], limit, seed), drawn(texts, limit, seed)
    # What was in the larger pool's sample and is still there stays, in the same order ...
    stayed = [text for text in before if text in texts[:kept]]
    assert fewer[: len(stayed)] == stayed
    # ... and as many follow as have gone from the sample, while there are any.
    assert len(fewer) == min(limit, len(texts[:kept]))


def test_queries_that_differ_in_case_alone_have_one_order_whatever_the_pools():
    for seed in range(20):
        assert drawn(["Co", "CO", "x"], None, seed) == drawn(["CO", "x", "Co"], None, seed)


@given(queries.filter(bool), st.integers(0, 10**6), st.integers(1, 25), st.text(min_size=1))
def test_an_edited_answer_or_another_spelling_of_the_query_moves_nothing(
    texts, seed, limit, answer
):
    examples = asked(*texts)
    edited = [replace(examples[0], query=f" {texts[0]}\t", answers=(answer,)), *examples[1:]]
    before, after = sample(examples, limit, seed), sample(edited, limit, seed)
    assert [examples.index(e) for e in before] == [edited.index(e) for e in after]


def test_over_the_seeds_every_query_is_as_often_at_every_place():
    n, seeds = 8, 2_000
    order = [drawn([f"query {i}" for i in range(n)], None, seed) for seed in range(seeds)]
    for place in range(n):
        counts = Counter(each[place] for each in order)
        # chi square with 7 degrees of freedom: above 32.0 with a probability of 4 in 100,000
        assert sum((counts[f"query {i}"] - seeds / n) ** 2 / (seeds / n) for i in range(n)) < 32.0
    pairs = Counter((each[0], each[1]) for each in order)
    cells = n * (n - 1)  # 55 degrees of freedom: above 105 likewise
    assert len(pairs) == cells
    assert sum((many - seeds / cells) ** 2 / (seeds / cells) for many in pairs.values()) < 105.0


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(InvalidInput, match=f"is {limit}; give 1 or more"):
        sample(many(3), limit)
