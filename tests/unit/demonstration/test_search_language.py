"""The language of a search: what a line asks for, and which lines are refused."""

from contextlib import suppress
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.criteria import (
    LONGEST_RANGE,
    MEASURES,
    OPERATORS,
    IdCriterion,
    Like,
    MeasureCriterion,
    OfStatus,
    Pattern,
    TagCriterion,
    Without,
    Words,
    quoted,
    read_search,
)
from core.demonstration.demonstration import Status
from core.demonstration.fields import SEARCHED
from core.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "criteria"),
    [
        ("", ()),
        (" \t\n ", ()),
        ("bats", (Words("bats"),)),
        ("bats  see", (Words("bats"), Words("see"))),
        ('"bats see"', (Words("bats see"),)),
        ('"say \\"no\\" \\\\ twice"', (Words('say "no" \\ twice'),)),
        ('""', ()),
        ('"never closed', (Words('"never'), Words("closed"))),
        ('5"', (Words('5"'),)),
        ("-bats", (Without(Words("bats")),)),
        ("--bats", (Without(Without(Words("bats"))),)),
        ("- bats", (Words("-"), Words("bats"))),
        ("-", (Words("-"),)),
        ('"-bats"', (Words("-bats"),)),
        ("/^No[, ]/", (Pattern("^No[, ]"),)),
        (r"/and\/or/i", (Pattern("(?i)and/or"),)),
        ("/usr/bin", (Words("/usr/bin"),)),
        ("and/or", (Words("and/or"),)),
        ("//", (Words("//"),)),
        ("answer:no", (Words("no", "answer"),)),
        ('query:"do bats"', (Words("do bats", "query"),)),
        ("-answer:/^Yes/", (Without(Pattern("^Yes", "answer")),)),
        ("Answer:no", (Words("Answer:no"),)),
        ("answer: no", (Words("answer:"), Words("no"))),
        ("note:", (Words("note:"),)),
        ("see:also", (Words("see:also"),)),
        ("tag:birds", (TagCriterion(("birds",)),)),
        ('tag:"bird life|eyes"', (TagCriterion(("bird life", "eyes")),)),
        ("tag:a tag:b", (TagCriterion(("a",)), TagCriterion(("b",)))),
        ("status:pinned", (OfStatus(Status.PINNED),)),
        ("id:12", (IdCriterion((12,)),)),
        ("id:12,40-43,12", (IdCriterion((12, 40, 41, 42, 43)),)),
        ("id:5-5", (IdCriterion((5,)),)),
        ("id:5-4", (IdCriterion(()),)),
        ('id:"1, 3..4"', (IdCriterion((1, 3, 4)),)),
        ("like:12", (Like(12),)),
        ('like:"how bats see"', (Like("how bats see"),)),
        ("length:80", (MeasureCriterion("length", 80, 80),)),
        ("length:>=80", (MeasureCriterion("length", 80, inf),)),
        ("length:<=80", (MeasureCriterion("length", -inf, 80),)),
        ("length:>80", (MeasureCriterion("length", nextafter(80, inf), inf),)),
        ("length:<80", (MeasureCriterion("length", -inf, nextafter(80, -inf)),)),
        ("quality:-3.5..-1", (MeasureCriterion("quality", -3.5, -1),)),
        ("quality:..-1", (MeasureCriterion("quality", -inf, -1),)),
        ("query-length:40..", (MeasureCriterion("query-length", 40, inf),)),
        ("retrieved:5%..10%", (MeasureCriterion("retrieved", 0.05, 0.1),)),
        ("reviewed:no", (MeasureCriterion("reviewed", 0, 0),)),
        ("reviewed:yes", (MeasureCriterion("reviewed", nextafter(0, inf), inf),)),
        (
            'bats -tag:birds answer:/^No/ length:..9 "in the dark"',
            (
                Words("bats"),
                Without(TagCriterion(("birds",))),
                Pattern("^No", "answer"),
                MeasureCriterion("length", -inf, 9),
                Words("in the dark"),
            ),
        ),
    ],
)
def test_what_a_line_asks_for(text, criteria):
    assert read_search(text) == criteria


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("status:out", "'status:out' is no status: write status: and included, excluded or pinned"),
        ("id:x", "'x' is not an id; write numbers or ranges, such as id:12,40-60"),
        ("id:-3", "'-3' is not an id"),
        (f"id:1-{LONGEST_RANGE + 2}", "is longer than 100,000"),
        ("length:long", "'length:long' has no range: write length: and >2, .* such as length:>200"),
        ("quality:..", r"'quality:\.\.' has no range"),
        ("bats -wrong:>x", "'wrong:>x' has no range"),
        ("tag:|", "'tag:' names no tag"),
    ],
)
def test_what_is_refused(text, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        read_search(text)


def test_the_longest_range_of_ids_is_allowed():
    (criterion,) = read_search(f"id:1-{LONGEST_RANGE + 1}")
    assert len(criterion.ids) == LONGEST_RANGE + 1


def test_every_searched_field_and_every_measure_is_a_filter_and_every_example_is_read():
    assert {field.name for field in SEARCHED} | set(MEASURES) < set(OPERATORS)
    for name, operator in OPERATORS.items():
        (criterion,) = read_search(operator.example)
        assert not isinstance(criterion, Words) or criterion.field == name


@given(st.text())
def test_what_is_quoted_is_read_as_it_was(text):
    criteria = read_search(f"answer:{quoted(text)}")
    assert criteria == (Words(text, "answer"),)


@given(st.text(), st.text(alphabet='-"/\\ :..abquery', max_size=20))
def test_no_line_is_a_fault(text, more):
    with suppress(InvalidInput):
        read_search(text + more)
