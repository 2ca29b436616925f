"""Calls, and incorrect answers of every kind."""

from random import Random

import pytest

from core.studio.session.models import is_call
from practice.calls import Call, call_of, some_orders
from practice.dialects import BUNDLED_DIALECT, held_out_dialect
from practice.intents import INTENTS
from practice.mistakes import Mistake, draw_mistakes
from practice.requests import Request, draw_request, word
from tests.practice.mistake_oracle import classify, known_fields, parse_call

TABLE = Request("restaurant", {"cuisine": "Thai", "city": "Lima", "count": "five"})
RIGHT = "book_table { Thai as kitchen_style, Lima as town_name, five as party_size }"


def test_the_call_of_a_request():
    assert str(call_of(BUNDLED_DIALECT, TABLE)) == RIGHT
    reordered = call_of(BUNDLED_DIALECT, TABLE, ["count", "cuisine", "city"])
    assert str(reordered) == (
        "book_table { five as party_size, Thai as kitchen_style, Lima as town_name }"
    )


def test_a_call_reads_back_as_it_was_written():
    assert parse_call(RIGHT) == call_of(BUNDLED_DIALECT, TABLE)
    assert parse_call(f" {RIGHT}\n") == call_of(BUNDLED_DIALECT, TABLE)
    assert is_call(f" {RIGHT}\n")
    assert is_call("f { a as b }")


@pytest.mark.parametrize(
    "text", ["", "book_table", "book_table { }", "f { a as b", "f { a b }", "f { a as b c }"]
)
def test_what_is_no_call(text):
    assert parse_call(text) is None
    assert not is_call(text)


def test_a_call_without_a_field_is_no_beginning_of_the_full_one():
    rng = Random(0)
    for intent in INTENTS:
        request = draw_request(rng, intent, least=3, most=4)
        full = str(call_of(BUNDLED_DIALECT, request))
        for slot in request.values:
            fewer = [other for other in request.values if other != slot]
            assert not full.startswith(str(call_of(BUNDLED_DIALECT, request, fewer)))


def test_orders_are_distinct_and_begin_with_the_intents_and_the_querys():
    rng = Random(1)
    worded = word(rng, TABLE)
    orders = some_orders(rng, TABLE, worded, 6)
    assert orders[0] == ["cuisine", "city", "count"]
    assert list(worded.mentioned) in orders[:2]
    assert len({tuple(order) for order in orders}) == 6
    assert len(some_orders(rng, TABLE, worded, 99)) == 6


FIELDS = BUNDLED_DIALECT.names - set(BUNDLED_DIALECT.functions.values())


@pytest.mark.parametrize(
    ("incorrect", "kind"),
    [
        ("book_table { Thai as kitchen_style, Lima as town_name }", Mistake.MISSING_FIELD),
        (RIGHT.replace("town_name", "table_time"), Mistake.WRONG_FIELD),
        (
            "book_table { Thai as town_name, Lima as kitchen_style, five as party_size }",
            Mistake.WRONG_FIELD,
        ),
        (RIGHT.replace("town_name", "birch_code"), Mistake.INVENTED_FIELD),
        (RIGHT.replace("Lima", "Oslo"), Mistake.WRONG_VALUE),
        (RIGHT.replace("book_table", "hire_car"), Mistake.WRONG_FUNCTION),
        ("I have no comment.", None),
        (RIGHT, None),
    ],
)
def test_an_incorrect_answer_says_its_kind(incorrect, kind):
    assert classify(incorrect, [RIGHT], FIELDS) == kind


def test_nothing_is_said_where_no_correct_answer_is_a_call():
    assert classify(RIGHT, ["Yes."], FIELDS) is None


@pytest.mark.parametrize("dialect", [BUNDLED_DIALECT, held_out_dialect(100)])
def test_mistakes_are_of_every_kind_and_say_so(dialect):
    rng = Random(2)
    fields = {name for names in dialect.fields.values() for name in names.values()}
    for intent in INTENTS:
        for _ in range(20):
            request = draw_request(rng, intent, least=3, most=4)
            right = str(call_of(dialect, request))
            mistakes = draw_mistakes(rng, dialect, request)
            assert {kind for _, kind in mistakes} == set(Mistake)
            assert len({text for text, _ in mistakes}) == len(mistakes) >= 6
            assert all(classify(text, [right], fields) == kind for text, kind in mistakes)


def test_known_fields():
    assert known_fields([RIGHT, "no call"]) == {"kitchen_style", "town_name", "party_size"}


def test_a_call_is_written_with_spaces_inside_its_braces():
    assert str(Call("f", (("a", "b"),))) == "f { a as b }"
