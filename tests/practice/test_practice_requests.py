"""Requests, their wording, and near doubles of them."""

import re
from random import Random

import pytest

from practice.intents import INTENTS
from practice.pools import are_near_doubles
from practice.requests import Request, draw_request, vary, word
from practice.words import VALUES


@pytest.mark.parametrize("intent", INTENTS)
def test_a_query_says_every_value_and_no_other(intent):
    rng = Random(1)
    known = {value for values in VALUES.values() for value in values}
    for _ in range(50):
        request = draw_request(rng, intent, least=1, most=9)
        worded = word(rng, request)
        words = set(worded.query.rstrip(".?").split())
        assert set(request.values.values()) <= words
        # "book", "find" and other plain words of a query may be values elsewhere; kinds of this
        # intent may not be mentioned without being asked for.
        kinds = {slot.kind for slot in INTENTS[intent].slots.values()}
        own = {value for kind in kinds for value in VALUES[kind]} & known
        assert words & own <= set(request.values.values()) | {"a", "on", "at"}
        assert sorted(worded.mentioned) == sorted(request.values)


def test_values_stand_in_the_order_mentioned():
    rng = Random(2)
    for _ in range(50):
        request = draw_request(rng, "restaurant", least=4, most=5)
        worded = word(rng, request)
        places = [worded.query.index(request.values[slot]) for slot in worded.mentioned]
        assert places == sorted(places)


def test_a_request_has_its_head_and_as_many_slots_as_asked():
    rng = Random(3)
    for _ in range(100):
        request = draw_request(rng, "hotel", least=3, most=4)
        assert next(iter(request.values)) == "city"
        assert len(request.values) in (3, 4)
        assert list(request.values) == [s for s in INTENTS["hotel"].slots if s in request.values]


@pytest.mark.parametrize(("chance", "expected"), [(0.0, True), (1.0, False)])
def test_new_values_at_both_ends(chance, expected):
    rng = Random(4)
    request = draw_request(rng, "music", least=4, most=4, new_values=chance)
    kinds = INTENTS["music"].slots
    known = [request.values[slot] in VALUES[kinds[slot].kind] for slot in request.values]
    assert known == [expected] * 4


def test_popular_slots_are_drawn_more_often():
    rng = Random(5)
    weights = dict.fromkeys(INTENTS["hotel"].slots, 0.01) | {"price": 1.0}
    drawn = [
        draw_request(rng, "hotel", least=2, most=2, weights=weights).values for _ in range(100)
    ]
    assert sum("price" in values for values in drawn) > 90


def test_a_near_double_differs_in_one_thing():
    rng = Random(6)
    for intent in INTENTS:
        for _ in range(30):
            request = draw_request(rng, intent, least=3, most=4)
            other = vary(rng, request, least=3, most=4)
            assert other.key != request.key
            assert 3 <= len(other.values) <= 4
            assert are_near_doubles(request, other)


def test_what_is_no_near_double():
    one = Request("music", {"genre": "jazz", "mood": "calm", "decade": "fifties"})
    two_changes = Request("music", {"genre": "rock", "mood": "sad", "decade": "fifties"})
    other_intent = Request("movie", {"film": "drama", "day": "Monday", "time": "noon"})
    assert not are_near_doubles(one, two_changes)
    assert not are_near_doubles(one, other_intent)
    assert are_near_doubles(one, Request("music", {"genre": "jazz", "mood": "calm"}))


def test_wording_is_grammatical_where_english_needs_it():
    rng = Random(7)
    for intent in INTENTS:
        for _ in range(100):
            query = word(rng, draw_request(rng, intent, least=2, most=4)).query
            assert re.search(r" a [aeiou]|on today|this tomorrow|  ", query) is None, query
            assert query.lower().count("please") <= 1, query
