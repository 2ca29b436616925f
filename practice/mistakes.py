"""Incorrect answers of named kinds."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from random import Random

from .calls import Call, call_of
from .dialects import Dialect, NameStyle, draw_name
from .intents import INTENTS
from .requests import Request, draw_value


class Mistake(StrEnum):
    """What is wrong with an incorrect answer."""

    MISSING_FIELD = "missing field"
    WRONG_FIELD = "wrong field name"
    INVENTED_FIELD = "invented field name"
    WRONG_VALUE = "wrong value"
    WRONG_FUNCTION = "wrong function"


def draw_mistakes(rng: Random, dialect: Dialect, request: Request) -> list[tuple[str, Mistake]]:
    """Six or seven distinct incorrect answers, every kind among them.

    Two of the field names are invented, so that a rarely mentioned field is asked about as often
    as its share of the fields; a second wrong field name is the one that another function of the
    dialect has for the same kind of value, where there is one.
    """
    right = call_of(dialect, request)
    slots = list(request.values)
    drawn = [
        (_without(right, slots.index(rng.choice(slots[1:]))), Mistake.MISSING_FIELD),
        (_with_field_of_its_own(rng, dialect, request, right), Mistake.WRONG_FIELD),
        *[
            (_with_field(right, place, _invented(rng, dialect)), Mistake.INVENTED_FIELD)
            for place in rng.sample(range(len(slots)), 2)
        ],
        (_with_other_value(rng, request, right), Mistake.WRONG_VALUE),
        (_with_other_function(rng, dialect, request, right), Mistake.WRONG_FUNCTION),
    ]
    foreign = _with_foreign_field(rng, dialect, request, right)
    if foreign is not None:
        drawn.append((foreign, Mistake.WRONG_FIELD))
    return list({str(call): (str(call), kind) for call, kind in reversed(drawn)}.values())[::-1]


def _without(call: Call, place: int) -> Call:
    return replace(call, arguments=call.arguments[:place] + call.arguments[place + 1 :])


def _with_field(call: Call, place: int, field: str) -> Call:
    arguments = list(call.arguments)
    arguments[place] = (arguments[place][0], field)
    return replace(call, arguments=tuple(arguments))


def _with_field_of_its_own(rng: Random, dialect: Dialect, request: Request, right: Call) -> Call:
    """A field of the same function in another's place: one not mentioned, where there is one."""
    names = dialect.fields[request.intent]
    slots = list(request.values)
    place = rng.randrange(len(slots))
    unused = [slot for slot in names if slot not in request.values]
    if unused:
        return _with_field(right, place, names[rng.choice(unused)])
    other = rng.choice([at for at in range(len(slots)) if at != place])
    swapped = _with_field(right, place, names[slots[other]])
    return _with_field(swapped, other, names[slots[place]])


def _invented(rng: Random, dialect: Dialect) -> str:
    taken = dialect.names
    while True:
        name = draw_name(rng, NameStyle(two_parts=0.8))
        if name not in taken:
            return name


def _with_other_value(rng: Random, request: Request, right: Call) -> Call:
    place, (slot, value) = rng.choice(list(enumerate(request.values.items())))
    arguments = list(right.arguments)
    other = draw_value(rng, request.intent, slot, other_than=value)
    arguments[place] = (other, arguments[place][1])
    return replace(right, arguments=tuple(arguments))


def _with_other_function(rng: Random, dialect: Dialect, request: Request, right: Call) -> Call:
    others: Sequence[str] = [
        name for intent, name in dialect.functions.items() if intent != request.intent
    ]
    return replace(right, function=rng.choice(others))


def _with_foreign_field(
    rng: Random, dialect: Dialect, request: Request, right: Call
) -> Call | None:
    """A field that another function has for the same kind of value."""
    own = INTENTS[request.intent].slots
    choices = [
        (place, dialect.fields[intent][other])
        for place, slot in enumerate(request.values)
        for intent in dialect.fields
        if intent != request.intent
        for other, described in INTENTS[intent].slots.items()
        if described.kind == own[slot].kind
    ]
    return _with_field(right, *rng.choice(choices)) if choices else None
