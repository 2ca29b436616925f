"""Incorrect answers and their columns: the one place that writes, reads and joins them."""

import pytest

from core.demonstration.demonstration import (
    IncorrectAnswer,
    distinct,
    edited,
    from_columns,
    incorrect_answers,
    to_columns,
)
from core.errors import InvalidInput

BLIND = IncorrectAnswer("They are blind", "myth")
SOUND = IncorrectAnswer("Only by sound")


def test_columns_hold_one_value_for_each_answer_and_no_kinds_where_none_has_one():
    assert to_columns([BLIND, SOUND]) == {
        "incorrect": ["They are blind", "Only by sound"],
        "incorrect_kinds": ["myth", ""],
    }
    assert to_columns([SOUND]) == {"incorrect": ["Only by sound"], "incorrect_kinds": []}
    assert to_columns([]) == {"incorrect": [], "incorrect_kinds": []}


@pytest.mark.parametrize("answers", [(), (SOUND,), (BLIND, SOUND)])
def test_what_was_written_is_read_again(answers):
    assert from_columns(to_columns(answers)) == answers


def test_a_row_that_knows_no_kinds_has_none():
    assert from_columns({"incorrect": ["Only by sound"], "query": "Q"}) == (SOUND,)
    assert from_columns({}) == ()


@pytest.mark.parametrize("kinds", [["x"], ["x", "y", "z"]])
def test_another_number_of_kinds_is_refused(kinds):
    with pytest.raises(InvalidInput, match=f"answers: 2, kinds of them: {len(kinds)}; give each"):
        incorrect_answers(["a", "b"], kinds)


def test_equal_texts_become_one_with_the_first_kind_that_is_not_empty():
    given = incorrect_answers([" a", "", "a ", "b", "a"], ["", "lost", " k ", "", "later"])
    assert distinct(given) == incorrect_answers([" a", "b"], ["k", ""])
    others = incorrect_answers(["é", "É", "e\u0301", "3²", "32", "\u200b", "a  b", "a b"])
    assert distinct(others) == incorrect_answers(["é", "É", "3²", "32", "a  b", "a b"])


@pytest.mark.parametrize(
    ("columns", "then"),
    [
        ({}, [("They are blind", "myth"), ("Only by sound", "")]),
        ({"incorrect": ["Deaf", " They are blind "]}, [("Deaf", ""), (" They are blind ", "myth")]),
        ({"incorrect": []}, []),
        ({"incorrect_kinds": ["x"]}, [("They are blind", "x"), ("Only by sound", "")]),
        ({"incorrect_kinds": []}, [("They are blind", ""), ("Only by sound", "")]),
        ({"incorrect": ["Deaf"], "incorrect_kinds": ["x"]}, [("Deaf", "x")]),
    ],
)
def test_one_column_is_edited_beside_the_other(columns, then):
    wanted = tuple(
        each if isinstance(each, IncorrectAnswer) else IncorrectAnswer(*each) for each in then
    )
    assert edited((BLIND, SOUND), columns) == wanted


def test_more_kinds_than_answers_are_refused():
    with pytest.raises(InvalidInput, match="answers: 2, kinds of them: 3"):
        edited((BLIND, SOUND), {"incorrect_kinds": ["x", "y", "z"]})
