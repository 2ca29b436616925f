"""Guessing, writing down and reading which column is which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation import FileTable, Mapping, guess_mapping, parse_mapping
from core.errors import InvalidInput


def table(*columns, format="csv", rows=()):
    return FileTable(
        columns=list(columns),
        rows=list(rows) or [dict.fromkeys(columns, "x")],
        encoding="utf-8",
        format=format,
        name="f",
    )


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        ("query answer incorrect tags id status note best",
         "query=query,answer=answer,incorrect=incorrect,tags=tags,best=best,note=note"),
        ("question answer", "query=question,answer=answer"),
        ("Prompt Completion", "query=Prompt,answer=Completion"),
        ("instruction input output answer", "query=instruction+input,answer=answer"),
        ("instruction input output", "query=instruction+input,answer=output"),
        ("text label response", "query=text,answer=response,tags=label"),
        ("input output", "query=input,answer=output"),
        ("question best_answer correct_answers incorrect_answers category",
         "query=question,answer=correct_answers,incorrect=incorrect_answers,tags=category,"
         "best=best_answer"),
        ("question best_answer", "query=question,answer=best_answer"),
        ("question correct_answer distractor1 distractor2 distractor3",
         "query=question,answer=correct_answer,incorrect=distractor1|distractor2|distractor3"),
        ("id Question answer_1 answer_2 wrong topic",
         "query=Question,answer=answer_1|answer_2,incorrect=wrong,tags=topic"),
        ("query answers distractors", "query=query,answer=answers,incorrect=distractors"),
        ("question choice0 choice1 answer",
         "query=question,answer=answer,options=choice0|choice1"),
        ("story answer", "query=story,answer=answer"),
    ],
)  # fmt: skip
def test_guesses(columns, mapping):
    assert str(guess_mapping(table(*columns.split()))) == mapping


def test_a_column_that_occurs_twice_is_used_twice():
    guessed = guess_mapping(table("query", "answer", "incorrect", "incorrect (2)"))
    assert guessed.incorrect == ("incorrect", "incorrect (2)")


def test_a_status_column_is_used_only_when_it_says_included_or_excluded():
    rows = [{"query": "q", "answer": "a", "status": status} for status in ("Excluded", "", None)]
    assert guess_mapping(table("query", "answer", "status", rows=rows)).status == "status"
    rows[1]["status"] = "done"
    assert guess_mapping(table("query", "answer", "status", rows=rows)).status is None


def test_semicolons_split_only_in_truthfulqas_format():
    columns = ("Question", "Correct Answers", "Incorrect Answers")
    assert guess_mapping(table(*columns, format="truthfulqa")).split == ";"
    assert guess_mapping(table(*columns)).split is None
    text = "query=Question,answer=Correct Answers"
    assert parse_mapping(text, table(*columns, format="truthfulqa")).split == ";"
    assert parse_mapping(text, table(*columns)).split is None
    assert parse_mapping(text + ",split=;", table(*columns)).split == ";"
    assert parse_mapping(text + ",split=,", table(*columns)).split == ","
    assert parse_mapping(text + ",split=none", table(*columns, format="truthfulqa")).split == ""


def test_a_written_mapping_is_the_whole_mapping():
    columns = ("query", "answer", "incorrect", "tags")
    assert parse_mapping("query=query, answer=answer", table(*columns)) == Mapping(
        query=("query",), answer=("answer",)
    )


def test_columns_with_commas_equals_signs_and_bars():
    parsed = parse_mapping(
        "query=Question, in full,answer=a=b|c|d,incorrect=x|y",
        table("Question, in full", "a=b", "c", "d", "x|y"),
    )
    assert parsed == Mapping(
        query=("Question, in full",), answer=("a=b", "c", "d"), incorrect=("x|y",)
    )


def test_case_matters_only_where_it_must():
    assert parse_mapping("query=QUESTION,answer= answer ", table("Question", "Answer")) == Mapping(
        query=("Question",), answer=("Answer",)
    )
    assert parse_mapping("query=a,answer=A", table("A", "a")) == Mapping(
        query=("a",), answer=("A",)
    )
    with pytest.raises(InvalidInput, match='no column "ab"'):
        parse_mapping("query=ab,answer=x", table("AB", "Ab", "x"))


def test_answers_may_be_named_one_by_one():
    assert parse_mapping("query=q,answer=a,answer=b", table("q", "a", "b")).answer == ("a", "b")


name = st.text("abcXYZ 汉_-()/", min_size=1, max_size=8).filter(lambda text: text.strip() == text)


@given(st.lists(name, min_size=7, max_size=9, unique_by=str.casefold), st.booleans())
def test_a_mapping_written_down_reads_back(columns, split):
    there = table(*columns)
    plain = (("tags", (columns[4],)), *(("note", (name,)) for name in columns[7:8]))
    mapping = Mapping(query=(columns[0],), answer=tuple(columns[1:3]),
                      incorrect=tuple(columns[3:4]), plain=plain, best=columns[5],
                      status=columns[6], split=";" if split else None)  # fmt: skip
    assert parse_mapping(str(mapping), there) == mapping
