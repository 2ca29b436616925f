"""Examples that give each other away are of one group, and a group is never divided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import EvaluationExample
from core.evaluation.runs.recorded_scores import FOLDS, folds_of, groups_of


def example(query, *answers):
    return EvaluationExample(query, answers, ())


def test_by_query_by_answer_and_along_a_chain():
    examples = [
        example("Who wrote it?", "Ann"),
        example("WHO  wrote it?", "Bea"),
        example("Who drew it?", "Cid", "bea "),
        example("Who sang it?", "Dan"),
        example("Who sold it?", "Eva", "Cid"),
    ]
    assert groups_of(examples).tolist() == [0, 0, 0, 1, 0]


def test_an_answer_of_many_queries_is_a_label_and_joins_nothing():
    labels = [example(f"Is {number} odd?", "yes" if number % 2 else "no") for number in range(8)]
    assert groups_of(labels).tolist() == list(range(8))
    assert groups_of(labels[:3]).tolist() == [0, 1, 0]  # "no" twice is none yet
    assert groups_of([]).tolist() == []


def test_folds_are_whole_groups_of_nearly_equal_size():
    examples = [example(f"query {number}", f"answer {number // 2}") for number in range(60)]
    groups = groups_of(examples)
    assert groups.tolist() == [number // 2 for number in range(60)]
    folds = folds_of(examples, groups, seed=0)
    assert np.bincount(folds).tolist() == [6] * FOLDS
    assert (folds[::2] == folds[1::2]).all()
    assert folds_of(examples, groups, seed=0).tolist() == folds.tolist()
    assert folds_of(examples, groups, seed=1).tolist() != folds.tolist()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_fewer_groups_than_folds_are_a_fold_each(n):
    examples = [example(f"query {number}", f"answer {number}") for number in range(n)]
    assert sorted(folds_of(examples, groups_of(examples), 0).tolist()) == list(range(n))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25), st.integers(0, 3))
def test_no_fold_has_a_query_or_an_answer_of_another(pairs, seed):
    # Each answer of few queries: with three of a tenth of all it would be a label.
    used = {}
    kept = [
        (query, answer)
        for query, answer in pairs
        if len(used.setdefault(answer, set()) | {query}) <= 2 and not used[answer].add(query)
    ]
    examples = [example(f"query {query}", f"answer {answer}") for query, answer in kept]
    folds = folds_of(examples, groups_of(examples), seed)
    for one, (query, answer) in enumerate(kept):
        for other, (its_query, its_answer) in enumerate(kept):
            if query == its_query or answer == its_answer:
                assert folds[one] == folds[other]
