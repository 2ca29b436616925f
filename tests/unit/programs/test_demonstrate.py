"""Samples, neighbours, all but one, cross-validation: hand-worked values and both ends."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Cancelled, InvalidInput
from core.programs import Example, Turn
from core.programs.primitives import CrossValidation, all_but, crossval, knn, sample
from core.watcher import Watcher

TRAIN = tuple(Example(f"question {number}", (f"answer {number}",)) for number in range(7))


@pytest.mark.parametrize("k", [0, 1, 7, 8])
def test_a_sample_is_the_beginning_of_a_larger_one(k):
    found = sample(TRAIN, k, seed=3)
    assert found == sample(TRAIN, 100, seed=3)[:k]
    assert len(set(found_of(found))) == min(k, 7)


def found_of(examples):
    return [each.question for each in examples]


def test_a_sample_is_of_its_seed():
    assert sample(TRAIN, seed=3) == sample(TRAIN, 16, 3)
    assert set(found_of(sample(TRAIN, 16, 3))) == set(found_of(TRAIN))
    assert len({tuple(found_of(sample(TRAIN, 3, seed))) for seed in range(9)}) > 1
    assert sample((), 3) == ()


@pytest.mark.parametrize("choose", [sample, lambda train, k: knn(train, rows)(TRAIN[0], k)])
def test_a_negative_k_is_refused(choose):
    with pytest.raises(InvalidInput, match=r"k is -1; it must be 0 or more\."):
        choose(TRAIN, -1)


def rows(texts):
    """Unit rows at the angle, in degrees, that a text ends in."""
    angles = np.radians([float(text.split()[-1]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_the_nearest_come_first_and_the_first_among_equals():
    train = [Example(f"at {angle}") for angle in (90, 20, 0, 20, 50)]
    nearest = knn(train, rows)
    asked = Example("at 30")
    assert found_of(nearest(asked, 4)) == ["at 20", "at 20", "at 50", "at 0"]
    assert nearest(asked, 2) == (train[1], train[3])
    assert len(nearest(asked, 6)) == 5
    assert nearest(asked, 0) == knn([], rows)(asked, 3) == ()


def test_what_is_compared_can_be_chosen_and_training_examples_are_encoded_once():
    encoded = []

    def encode(texts):
        encoded.append(list(texts))
        return rows(texts)

    train = [Example("a", (f"{angle}",)) for angle in (0, 90)]
    nearest = knn(train, encode, cast=lambda example: example.answers[0])
    assert nearest(Example("b", ("80",)), 1) == nearest(Example("b", ("70",)), 1) == (train[1],)
    assert encoded == [["0", "90"], ["80"], ["70"]]


def test_all_but_leaves_out_the_question_in_every_spelling():
    train = [Example("Who wrote it?"), Example("who  wrote it?", ("x",)), Example("Who wrote")]
    assert all_but(train, Example("WHO WROTE IT?")) == (train[2],)
    assert all_but(train, Example("Why?")) == tuple(train)
    assert all_but([], Example("Why?")) == ()


def test_all_but_leaves_out_what_shares_a_turn():
    first, second = Turn("Who was Ada?", "A writer."), Turn("When was she born?", "In 1815.")
    conversation = [
        Example("Who was Ada?"),
        Example("When was she born?", history=(first,)),
        Example("And where?", history=(first, second)),
    ]
    other = Example("Where is it?", history=(Turn("What is a tower?"),))
    for each in conversation:
        assert all_but([*conversation, other], each) == (other,)


@given(st.lists(st.sampled_from("abcdAB"), max_size=8), st.sampled_from("abcd"))
def test_all_but_keeps_the_others_in_order(questions, question):
    train = [Example(each) for each in questions]
    kept = [each for each in train if each.question.lower() != question]
    assert list(all_but(train, Example(question))) == kept


def test_each_set_is_scored_on_exactly_the_others():
    asked = []

    def evaluate(demos, example):
        asked.append((demos, example))
        return float(example.question[-1])

    found = crossval(TRAIN, evaluate, n=4, k=2, seed=1)
    assert len(asked) == 4 * 5
    assert all(example not in demos for demos, example in asked)
    for places, scores in zip(found.sets, found.scores, strict=True):
        assert len(set(places)) == 2
        others = [None if place in places else float(place) for place in range(7)]
        assert list(scores) == others
    expected = [(21 - sum(places)) / 5 for places in found.sets]
    assert found.means == pytest.approx(expected)
    assert found.best == expected.index(max(expected))
    assert found.chosen(TRAIN) == tuple(TRAIN[place] for place in found.sets[found.best])
    table = found.table
    assert table.shape == (4, 7)
    assert np.isnan(table).sum() == 8
    assert all(math.isnan(table[row, place]) for row in range(4) for place in found.sets[row])
    assert CrossValidation.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_the_first_of_equal_sets_is_the_best_and_fewer_sets_are_the_first_ones():
    many = crossval(TRAIN, lambda demos, example: 1.0, n=9, k=3)
    few = crossval(TRAIN, lambda demos, example: 1.0, n=4, k=3)
    assert (many.best, few.sets) == (0, many.sets[:4])
    assert len(set(many.sets)) > 1


@pytest.mark.parametrize(("k", "scores"), [(0, 7), (1, 6), (6, 1)])
def test_both_ends_of_the_size_of_a_set(k, scores):
    done = []
    found = crossval(
        TRAIN,
        lambda demos, example: 0.5,
        n=2,
        k=k,
        watcher=Watcher(on_progress=lambda *at: done.append(at)),
    )
    assert [len(places) for places in found.sets] == [k, k]
    assert done == [(scores, 2 * scores), (2 * scores, 2 * scores)]
    assert list(found.means) == [0.5, 0.5]


@pytest.mark.parametrize(("n", "k"), [(0, 2), (3, 7), (3, -1)])
def test_sets_that_leave_nothing_to_score_are_refused(n, k):
    with pytest.raises(InvalidInput, match="To cross-validate, "):
        crossval(TRAIN, lambda demos, example: 1.0, n=n, k=k)


def test_a_score_must_be_a_number_and_the_work_can_be_stopped():
    with pytest.raises(ValueError, match="on example 0 is nan"):
        crossval(TRAIN, lambda demos, example: math.nan, k=0)
    with pytest.raises(Cancelled):
        crossval(TRAIN, lambda demos, example: 1.0, k=1, watcher=Watcher(cancelled=lambda: True))
