"""Overlap of a generated answer with the correct ones: hand-worked values, and laws."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.overlap import (
    contains_answer,
    exact_match,
    f1,
    hotpot_f1,
    normalised_answer,
    novel_f1,
    precision,
    rouge_l,
)

WORDS = st.lists(st.sampled_from(["red", "blue", "cat", "mat", "sat", "dog"]), max_size=7)
TEXTS = WORDS.map(" ".join)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The  Cat, a dog -- an owl!", "cat dog owl"),
        ("  \n", ""),
        ("U.S.A.", "usa"),
        ("Theatre another", "theatre another"),
        ("Ångström", "a\u030angstro\u0308m"),
        ("a-the", "athe"),
    ],
)
def test_normalised_as_squad_does(text, normalised):
    assert normalised_answer(text) == normalised


def test_five_storeys():
    found, correct = "five storeys tall", ["five storeys"]
    assert exact_match(found, correct) == 0.0
    assert precision(found, correct) == pytest.approx(0.6667, abs=1e-4)
    assert f1(found, correct) == pytest.approx(0.8)
    assert precision(correct[0], [found]) == 1.0


def test_the_best_of_several_correct_answers_counts():
    correct = ["Nobody knows", "In Paris.", "the city of Paris"]
    assert exact_match("in paris", correct) == 1.0
    assert f1("Paris", correct) == pytest.approx(2 / 3)
    assert precision("Paris", correct) == 1.0
    assert rouge_l("city of paris", correct) == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("found", "correct", "value"),
    [
        ("Yes.", ["no"], 0.0),
        ("yes", ["Yes"], 1.0),
        ("yes it is", ["yes"], 0.0),
        ("No", ["no one"], 0.0),
        ("no answer", ["noanswer"], 0.0),
        ("noanswer", ["No Answer", "noanswer"], 1.0),
        ("yes it is", ["it is"], 0.8),
        ("five storeys tall", ["five storeys"], 0.8),
        ("", ["yes"], 0.0),
    ],
)
def test_a_verdict_of_hotpotqa_is_right_or_worth_nothing(found, correct, value):
    assert hotpot_f1(found, correct) == pytest.approx(value)


@pytest.mark.parametrize(
    ("passage", "answers", "contained"),
    [
        ("It was built in 2010.", ["10"], False),
        ("It was built in 10.", ["10"], True),
        ("It stood (1999–2004).", ["1999"], True),
        ("The tower has five storeys and leans.", ["five-storeys"], False),
        ("The tower has Five\nStoreys.", ["six", "five storeys"], True),
        ("five tall storeys", ["five storeys"], False),
        ("Jörg was here", ["jo\u0308rg"], True),
        ("Jörg was here", ["Jo"], False),
        ("in the U.S. today", ["U.S."], True),
        ("snake_case", ["snake"], True),
        ("anything", ["", " "], False),
        ("anything", [], False),
        ("", ["a"], False),
        ("short", ["much longer than it"], False),
    ],
)
def test_an_answer_is_contained_as_tokens_not_as_letters(passage, answers, contained):
    assert contains_answer(passage, answers) is contained


@given(WORDS, WORDS, WORDS)
def test_what_a_passage_is_made_of_is_contained_in_it(before, answer, after):
    passage = " ".join([*before, *answer, *after])
    assert contains_answer(passage, [" ".join(answer)]) is bool(answer)
    assert contains_answer(passage, ["xyz " + " ".join(answer)]) is False


def test_repeated_tokens_count_as_often_as_both_have_them():
    assert f1("no no no", ["no no"]) == pytest.approx(0.8)
    assert precision("no no no", ["no"]) == pytest.approx(1 / 3)


def test_longest_common_subsequence_of_the_cat():
    found, wanted = "the cat sat on the mat", "the cat was on a mat"
    assert rouge_l(found, [wanted]) == pytest.approx(0.6667, abs=1e-4)
    assert rouge_l("sat cat", ["cat sat"]) == 0.5


def test_the_novel_tokens_are_those_of_no_question():
    questions = ["Where was Marie Curie born?", "And her daughter?"]
    assert novel_f1("Marie was born in Warsaw", ["Warsaw"], questions) == 1.0
    assert novel_f1("Marie Curie was born", ["Warsaw"], questions) == 0.0
    assert novel_f1("in Warsaw, Poland", ["Warsaw"], questions) == pytest.approx(2 / 3)
    assert novel_f1("Where was Marie Curie born", ["Marie Curie"], questions) == 0.0
    assert novel_f1("Warsaw", ["Warsaw"], []) == 1.0


@pytest.mark.parametrize("metric", [exact_match, f1, hotpot_f1, precision, rouge_l])
def test_nothing_in_common_is_zero_and_no_correct_answer_an_error(metric):
    assert metric("Rome", ["Paris"]) == metric("", ["Paris"]) == metric("Rome", [""]) == 0.0
    with pytest.raises(ValueError, match="no correct answer"):
        metric("Rome", [])


def test_two_texts_without_tokens():
    assert exact_match("The", ["a"]) == 1.0
    assert f1("", [""]) == precision("", [""]) == rouge_l("!", ["?"]) == 0.0


@given(TEXTS, TEXTS)
def test_f1_is_symmetric_and_one_for_the_same_tokens_only(one, other):
    assert f1(one, [other]) == pytest.approx(f1(other, [one]))
    same = Counter(one.split()) == Counter(other.split()) and bool(one)
    assert (f1(one, [other]) == 1.0) is same


@given(WORDS, WORDS)
def test_rouge_l_equals_a_search_over_all_subsequences(one, other):
    def subsequences(words):
        return {part for size in range(len(words) + 1) for part in combinations(words, size)}

    longest = max(map(len, subsequences(one) & subsequences(other)))
    both = len(one) + len(other)
    expected = 2 * longest / both if both else 0.0
    assert rouge_l(" ".join(one), [" ".join(other)]) == pytest.approx(expected)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
def test_values_are_shares_and_ordered(predicted, correct, question):
    found = {metric: metric(predicted, correct) for metric in (exact_match, f1, precision, rouge_l)}
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert found[rouge_l] <= found[f1] + 1e-12
    if found[exact_match] and normalised_answer(predicted):
        assert found[f1] == found[precision] == 1.0
    assert 0.0 <= novel_f1(predicted, correct, [question]) <= 1.0
