"""Correct answers of one query that do not say the same, and those that do."""

import pytest

from core.curation.findings.checks import disagreement
from core.curation.findings.checks.disagreement import MOST, OPPOSED, UNEQUAL, UNLIKE

QUERY = "How is it done here?"
OTHERS = (
    ("Is glass a liquid?", "No, it is solid"),
    ("Is glass a liquid?", "It is a solid"),
    ("Do bats see at night?", "Most of them do"),
)
OPPOSITES = [
    ("Yes, it is accepted", "No, it is not", "yes against no"),
    ("Yes", "no.", "yes against no"),
    ("Yes it is", "No - never", "yes against no"),
    ("True", "False", "yes against no"),
    ("Ja, gern", "Nein", "yes against no"),
    ("It is accepted here", "It is not accepted here", "a negation"),
    ("They can swim well", "They can't swim well", "a negation"),
    ("You can bring dogs", "You cannot bring dogs", "a negation"),
]
NUMBERS = [
    ("30 days", "14 days", "durations"),
    ("It takes 30 days", "It takes 14 days", "durations"),
    ("$5", "$7.50", "amounts in dollars"),
    ("12 March 2020", "14 March 2020", "days of a month"),
    ("March 2020", "May 2020", "months"),
    ("In 1954", "1956", "years"),
    ("9", "eleven", "numbers"),
    ("20%", "25 percent", "percentages"),
]
SAME = [
    ("30 days", "thirty days"), ("14 days", "two weeks"), ("$1,000", "1000 dollars"),
    ("14 March 1954", "1954"), ("May 18, 1954", "18 May 1954"), ("about 30", "28"),
    ("Humans have 24 ribs", "Humans have 12 pairs of ribs"), ("24 ribs", "12 on each side"),
    ("3 to 5 days", "4 days"), ("Yes, it is", "It is"), ("No one knows", "Yes, they do"),
    ("Nobody", "Not anybody"), ("It is accepted", "Everything is accepted"),
    ("In 1969 two astronauts landed on the moon", "About 600 million people watched them on TV"),
    ("It isn't not accepted", "It is accepted"), ("Never say never", "Say"),
    ("No-go areas exist", "Yes, there are"), ("The same words", "the same words."),
]  # fmt: skip


def pairs(*answers):
    return [(QUERY, answer) for answer in answers]


@pytest.mark.parametrize(("one", "other", "what"), OPPOSITES)
def test_one_denies_the_other(found, one, other, what):
    rows = pairs(one, other)
    text = f"{what}: {one} / {other}"
    assert found("disagreement", *rows, *OTHERS) == [(rows, OPPOSED, text)]


@pytest.mark.parametrize(("one", "other", "kind"), NUMBERS)
def test_their_numbers_differ(found, one, other, kind):
    rows = pairs(one, other)
    text = f"unequal {kind}: {one} / {other}"
    assert found("disagreement", *rows, *OTHERS) == [(rows, UNEQUAL, text)]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_say_the_same(found, one, other):
    assert found("disagreement", *pairs(one, other), *OTHERS) == []
    assert found("disagreement", *pairs(other, one), *OTHERS, name="turned") == []


@pytest.mark.parametrize("number", range(3))
def test_an_empty_pool_and_one_answer_to_each_query_have_none(found, number):
    rows = [("Is it open?", "Yes"), ("Was it open?", "No"), ("Is it far?", "30 km")]
    assert found("disagreement", *rows[:number]) == []


def test_the_gravest_difference_of_a_query_is_its_finding_with_all_that_have_it(found):
    rows = pairs("Yes, 30 days", "No, 14 days", "30 days", "Yes, of course")
    ((both, measure, text),) = found("disagreement", *rows)
    assert both == [rows[0], rows[1], rows[3]]
    assert (measure, text) == (OPPOSED, "yes against no: Yes, 30 days / No, 14 days")


def test_the_worst_query_comes_first_and_equal_ones_in_the_order_of_the_pool(found):
    rows = (("A?", "5"), ("A?", "6"), ("B?", "Yes"), ("B?", "No"), ("C?", "5"), ("C?", "6"))
    measures = [(each[0][0][0], each[1]) for each in found("disagreement", *rows)]
    assert measures == [("B?", OPPOSED), ("A?", UNEQUAL), ("C?", UNEQUAL)]


def test_queries_that_only_look_the_same_are_others(found):
    rows = (("Is it open?", "Yes"), ("Is it shut?", "No"))
    assert found("disagreement", *rows) == []
    folded = (("Is it open?", "Yes"), ("is it  OPEN?", "No"))
    assert found("disagreement", *folded, name="folded")[0][0] == list(folded)


def test_two_labels_of_a_text_in_a_set_of_labels(found):
    reviews = [(f"review {'abcdefghijkl'[i] * 5}", ("good", "bad")[i % 2]) for i in range(12)]
    twice = (reviews[0][0], "bad")
    assert found("disagreement", *reviews) == []
    text = "two labels: good / bad"
    both = [reviews[0], twice]
    assert found("disagreement", *reviews, twice, name="b") == [(both, OPPOSED, text)]


def test_short_answers_that_have_little_in_common(found, hashing_encoder):
    rows = pairs("Alpha beta", "Zwölf Boxkämpfer")
    one, other = hashing_encoder.encode([answer for _, answer in rows])
    assert float(one @ other) < UNLIKE
    ((both, measure, text),) = found("disagreement", *rows, *OTHERS)
    assert (both, text) == (rows, "little in common: Alpha beta / Zwölf Boxkämpfer")
    assert measure == pytest.approx(1.0 - max(float(one @ other), 0.0))
    listed = pairs("Alpha beta", "Zwölf Boxkämpfer", "gh ijk")
    assert found("disagreement", *listed, name="a list of three") == []
    agreed = pairs("Alpha beta", "Zwölf Boxkämpfer", "alpha, beta gamma")
    assert found("disagreement", *agreed, name="two sorts")[0][0][:2] == rows
    long = pairs("Alpha beta gamma delta epsilon zeta", "Zwölf Boxkämpfer")
    assert found("disagreement", *long, name="long") == []


@pytest.mark.parametrize(("above", "expected"), [(-1e-6, 1), (0.0, 0)])
def test_both_ends_of_what_is_unlike(checked, hashing_encoder, above, expected, monkeypatch):
    rows = pairs("Alpha beta", "Zwölf Boxkämpfer")
    one, other = hashing_encoder.encode([answer for _, answer in rows])
    monkeypatch.setattr(disagreement, "UNLIKE", float(one @ other) - above)
    assert len(list(disagreement.find(checked(*rows)))) == expected


def test_a_placeholder_is_another_finding(found):
    rows = pairs("Alpha beta", "TODO")
    assert found("disagreement", *rows) == []


def test_of_very_many_answers_each_is_compared_with_the_first(found):
    letters = "abcdefghij"
    many = [f"{one}{other} of them are all here" for one in letters for other in letters[:6]]
    rows = pairs("Yes, they are", *many, "No, none of them")
    assert found("disagreement", *rows)[0][0] == [rows[0], rows[-1]]
    late = pairs(*many[:MOST], "Yes, they are", "No, none of them")
    assert found("disagreement", *late, name="late") == []
    in_time = pairs(*many[: MOST - 1], "Yes, they are", "No, none of them")
    assert found("disagreement", *in_time, name="in time")[0][0] == in_time[-2:]
