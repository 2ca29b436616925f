"""Votes and verdicts: hand-worked values, and laws of the majority."""

from collections import Counter
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.metrics.overlap import normalised_answer
from core.programs import Example, Passage
from core.programs.primitives import answer_match, majority, most_common, passage_match


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["Five", "five.", "", "six"], "Five"),
        (["", ""], ""),
        (["the", "", "."], "the"),
        (["", "", "", "six"], "six"),
        (["b", "a", "a", "b"], "b"),
        (["one"], "one"),
    ],
)
def test_the_majority(options, chosen):
    assert majority(options) == chosen


def test_anything_with_a_text_can_be_voted_on():
    some = [Example("q", pred=text) for text in ("x", "y", "The y")]
    assert majority(some, attrgetter("pred")) is some[1]
    with pytest.raises(ValueError, match="nothing to vote on"):
        majority([])


@pytest.mark.parametrize(
    ("k", "chosen"),
    [(0, ()), (1, ("b",)), (2, ("b", "X")), (3, ("b", "X", "c")), (4, ("b", "X", "c"))],
)
def test_the_most_common(k, chosen):
    assert most_common(["X", "b", "", "c", "B.", "b", "x"], k) == chosen


def test_the_most_common_of_none_and_of_a_negative_number():
    assert most_common([]) == most_common([""]) == ()
    assert most_common(list("bcdef")) == tuple("bcde")
    with pytest.raises(InvalidInput, match="k is -1"):
        most_common(["a"], -1)


OPTIONS = st.lists(st.sampled_from(["Five", "five.", "six", "", "the", "7", "Six!"]), min_size=1)


@given(OPTIONS)
def test_nothing_has_more_votes_than_the_majority(options):
    votes = Counter(filter(None, map(normalised_answer, options)))
    chosen = majority(options)
    assert chosen in options
    if votes:
        key = normalised_answer(chosen)
        assert votes[key] == max(votes.values())
        assert chosen == next(each for each in options if normalised_answer(each) == key)
        assert most_common(options, 1) == (chosen,)
    assert majority([*options, chosen]) == chosen


def test_a_passage_matches_by_tokens():
    passages = (Passage(1, "Nothing here."), Passage(2, "Built in 2010.", "Five storeys"))
    example = Example("q", ("10",), passages=passages)
    assert not passage_match(example)
    assert passage_match(example.copy(answers=("10", "2010")))
    assert passage_match(example.copy(answers=("five storeys",)))
    assert not passage_match(example.copy(answers=()))
    assert not passage_match(example.copy(answers=("2010",), passages=()))


def test_an_answer_matches_exactly_after_normalising():
    example = Example("q", ("Five storeys", "5"), pred="the five storeys.")
    assert answer_match(example)
    assert not answer_match(example.copy(pred="five storeys tall"))
    assert not answer_match(example.copy(answers=()))
    assert not answer_match(example.copy(pred=""))
