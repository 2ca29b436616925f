"""The model's own wrong answers: which of its answers are suggested, in which order, under what."""

import pytest

from core.curation.suggestion import (
    AnsweredQuery,
    Suggestion,
    SuggestionKind,
    SuggestionOutcome,
    WrittenAnswer,
    answered_queries,
    own_mistakes,
    suggestion_key,
)
from core.demonstration.demonstration import Demonstration
from core.generation import EndedBy, Generation
from tests.support.scripted_model import text_of

MILL = AnsweredQuery("How tall is the mill?", (4, 5), ("Two storeys", "6 metres"), ("A hundred",))


def answered(text, log_prob=-1.0, shown=0, ended_by=EndedBy.STOP):
    return WrittenAnswer(shown, text_of(text, log_prob, ended_by))


def test_a_wrong_answer_comes_with_what_it_is_compared_with_and_how_likely_it_is():
    found, outcomes = own_mistakes(MILL, [answered(" five storeys tall\n", -0.5, shown=6)])
    assert found == [
        Suggestion(
            ids=(4, 5),
            query="How tall is the mill?",
            answer="Two storeys",
            text="five storeys tall",
            kind=SuggestionKind.OWN_ANSWER,
            shown=6,
            log_prob=-0.5,
        )
    ]
    assert outcomes == [SuggestionOutcome.SUGGESTED]


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        (answered("two storeys."), SuggestionOutcome.CORRECT),
        (answered("Only two storeys, I think"), SuggestionOutcome.CORRECT),
        (answered("6"), SuggestionOutcome.CORRECT),
        (answered("a HUNDRED"), SuggestionOutcome.KNOWN),
        (answered(" \n"), SuggestionOutcome.UNFINISHED),
        (answered("It is as tall as", ended_by=EndedBy.LENGTH), SuggestionOutcome.UNFINISHED),
        (answered("It is as tall as", ended_by=EndedBy.WINDOW), SuggestionOutcome.UNFINISHED),
        (answered("It is as tall as", ended_by=EndedBy.END), SuggestionOutcome.SUGGESTED),
        (answered("two hundred"), SuggestionOutcome.SUGGESTED),
        (answered("?!"), SuggestionOutcome.SUGGESTED),
    ],
    ids=lambda value: value.generation.text.strip() if isinstance(value, WrittenAnswer) else value,
)
def test_what_an_answer_is(written, outcome):
    found, outcomes = own_mistakes(MILL, [written])
    assert outcomes == [outcome]
    assert len(found) == (outcome is SuggestionOutcome.SUGGESTED)


def test_the_likeliest_comes_first_and_what_is_not_known_last():
    unknown = WrittenAnswer(2, Generation("No idea", (), (), ended_by=EndedBy.STOP))
    found, outcomes = own_mistakes(
        MILL, [unknown, answered("Ten", -2.0), answered("Nine", -0.25, shown=6)]
    )
    assert [(each.text, each.log_prob, each.shown) for each in found] == [
        ("Nine", -0.25, 6),
        ("Ten", -2.0, 0),
        ("No idea", None, 2),
    ]
    assert outcomes == [SuggestionOutcome.SUGGESTED] * 3


def test_of_the_same_answer_the_likeliest_is_taken_once():
    found, outcomes = own_mistakes(MILL, [answered("ten", -2.0), answered("Ten ", -1.0, shown=6)])
    assert [(each.text, each.shown) for each in found] == [("Ten", 6)]
    assert outcomes == [SuggestionOutcome.SUGGESTED]
    assert own_mistakes(MILL, []) == ([], [])


def test_what_was_refused_is_not_suggested_again_in_whatever_spelling():
    key = suggestion_key("How tall is the mill?", "Ten")
    asked = AnsweredQuery("How tall is the mill?", (4,), ("Two",), dismissed=frozenset({key}))
    found, outcomes = own_mistakes(asked, [answered("TEN"), answered("Nine")])
    assert [each.text for each in found] == ["Nine"]
    assert sorted(outcomes) == [SuggestionOutcome.REFUSED, SuggestionOutcome.SUGGESTED]


def test_a_key_is_of_the_query_and_the_text_and_of_nothing_else():
    keys = {
        suggestion_key(query, text)
        for query in ("Why?", " Why?", "why?")
        for text in ("So.", "so.", " SO. ")
    }
    assert keys == {suggestion_key("Why?", "So."), suggestion_key("why?", "So.")}
    assert suggestion_key("Why?", "So.") == "incorrect 3963b705a45177b4", "it is kept in pools"


def test_the_queries_know_what_was_dismissed_of_any_of_their_demonstrations():
    rows = [
        Demonstration("Why?", answer, id=id, revision=1, dismissed=(key,))
        for id, (answer, key) in enumerate((("So", "incorrect a"), ("Because", "leak b")), 1)
    ]
    (asked,) = answered_queries(rows)
    assert asked.dismissed == {"incorrect a", "leak b"}


@pytest.mark.parametrize("ended_by", [each for each in EndedBy if not each.is_answer])
def test_what_is_no_answer_is_counted_apart_and_never_suggested(ended_by):
    nothing = WrittenAnswer(0, Generation("", (), (), ended_by=ended_by, instead="two hundred"))
    assert own_mistakes(MILL, [nothing]) == ([], [SuggestionOutcome.NO_ANSWER])
    _, outcomes = own_mistakes(MILL, [nothing, answered(" \n", shown=6)])
    assert sorted(outcomes) == [SuggestionOutcome.NO_ANSWER, SuggestionOutcome.UNFINISHED]
