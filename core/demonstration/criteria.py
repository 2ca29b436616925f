"""What can be asked of demonstrations, and the language of a search that asks it in one line.

`bats "see well" /^Yes/ answer:no tag:"bird life" length:>80 -status:excluded like:12` asks for all
of these at once; a minus asks for the opposite. What is no filter is a word.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, nextafter
from typing import TypeAlias

from ..errors import InvalidInput
from ..text import listed
from .demonstration import Status
from .fields import SEARCHED


@dataclass(frozen=True, slots=True)
class Words:
    """The text occurs, in whatever case, in the field, or in any that is searched for "".

    It is taken literally: nothing in it is a pattern.
    """

    text: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The regular expression (RE2) matches part of the field, or of any that is searched for ""."""

    expression: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class TagCriterion:
    """At least one of the tags is on it."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfStatus:
    """It has the status; pinned ones are included, too."""

    status: Status


@dataclass(frozen=True, slots=True)
class IdCriterion:
    """It has one of the ids; those that the pool does not have are passed over."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MeasureCriterion:
    """It has a value of the measure in [low, high]."""

    measure: str
    low: float = -inf
    high: float = inf


@dataclass(frozen=True, slots=True)
class Like:
    """Its query is near in meaning to a text, or to the query of the demonstration of an id."""

    meaning: str | int


@dataclass(frozen=True, slots=True)
class Without:
    """It does not meet the criterion."""

    criterion: "Criterion"


Criterion: TypeAlias = (
    Words | Pattern | TagCriterion | OfStatus | IdCriterion | MeasureCriterion | Like | Without
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a demonstration has, or may have: its name in a search and what it is.

    `stored` says that it follows from the demonstration's own fields; the others are computed with
    an encoder, a language model or a method.
    """

    name: str
    about: str
    example: str
    stored: bool = False


LENGTH, QUERY_LENGTH, WRONG, REVIEWED = "length", "query-length", "wrong", "reviewed"
QUALITY, RETRIEVED, SIMILARITY, WORTH = "quality", "retrieved", "similarity", "worth"

MEASURES = {
    each.name: each
    for each in (
        Measure(LENGTH, "characters of the answer", "length:>200", stored=True),
        Measure(QUERY_LENGTH, "characters of the query", "query-length:..80", stored=True),
        Measure(WRONG, "how many incorrect answers it has", "wrong:0", stored=True),
        Measure(REVIEWED, "how often it was reviewed", "reviewed:no", stored=True),
        Measure(QUALITY, "its quality bias in nats", "quality:<-3"),
        Measure(RETRIEVED, "its share of the contexts of the pool's own queries", "retrieved:>5%"),
        Measure(WORTH, "what it is worth to the contexts that it is in", "worth:<0"),
        Measure(SIMILARITY, "the cosine of its query with that of like:", "similarity:0.7..1"),
    )
}
"""By name, in the order in which they are explained."""


LONGEST_RANGE = 100_000
"""The longest range of ids; a longer one is a slip."""

_NAME = re.compile(r"([a-z][a-z_-]*):(?=\S)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s|$)')
_PATTERN = re.compile(r"/((?:[^/\\]|\\.)+)/(i?)(?=\s|$)")
_BARE = re.compile(r"\S+")
_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)%?"
_BOUND = re.compile(rf"(>=|<=|>|<|)({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})?\.\.({_NUMBER})?")


@dataclass(frozen=True, slots=True)
class Operator:
    """A filter by name: what it asks for, an example, and how its value is read.

    `read` takes the value and the same as a pattern, which is None where it is not one.
    """

    about: str
    example: str
    read: Callable[[str, str | None], Criterion]


def read_search(text: str) -> tuple[Criterion, ...]:
    """The criteria of a search, all of which a demonstration must meet; none for a blank text.

    Raises:
        InvalidInput: The value of a filter is not one of those that it takes.
    """
    found: list[Criterion] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        criterion, place = _next(text, place)
        if criterion != Words(""):
            found.append(criterion)
    return tuple(found)


def quoted(value: str) -> str:
    """The value as it is written in a search, in quotation marks where it needs them."""
    if value and not re.search(r'[\s"\\]', value) and value[0] not in "-/":
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _next(text: str, place: int) -> tuple[Criterion, int]:
    """The criterion that begins at the place, and where it ends."""
    if text[place] == "-" and place + 1 < len(text) and not text[place + 1].isspace():
        criterion, end = _next(text, place + 1)
        return Without(criterion), end
    name = _NAME.match(text, place)
    operator = OPERATORS.get(name[1]) if name is not None else None
    begin = place if name is None or operator is None else name.end()
    value, pattern, end = _value(text, begin)
    if operator is not None:
        return operator.read(value, pattern), end
    return Words(value) if pattern is None else Pattern(pattern), end


def _value(text: str, place: int) -> tuple[str, str | None, int]:
    """What stands at the place: its text, the same as a pattern or None, and where it ends."""
    if match := _QUOTED.match(text, place):
        return re.sub(r"\\(.)", r"\1", match[1]), None, match.end()
    if match := _PATTERN.match(text, place):
        expression = match[1].replace(r"\/", "/")
        return match[0], f"(?i){expression}" if match[2] else expression, match.end()
    match = _BARE.match(text, place)
    assert match is not None
    return match[0], None, match.end()


def _texts(field: str, value: str, pattern: str | None) -> Criterion:
    return Words(value, field) if pattern is None else Pattern(pattern, field)


def _tag(value: str, pattern: str | None) -> Criterion:
    tags = tuple(filter(None, map(str.strip, value.split("|"))))
    if not tags:
        raise InvalidInput("'tag:' names no tag: write tag: and a tag, or several as tag:one|two.")
    return TagCriterion(tags)


def _status(value: str, pattern: str | None) -> Criterion:
    statuses = [each.value for each in Status]
    if value not in statuses:
        raise InvalidInput(
            f"'status:{value}' is no status: write status: and {listed(statuses, 'or')}."
        )
    return OfStatus(Status(value))


def _like(value: str, pattern: str | None) -> Criterion:
    return Like(int(value) if re.fullmatch(r"\d{1,18}", value) else value)


def _ids(value: str, pattern: str | None) -> Criterion:
    found: list[int] = []
    for piece in filter(None, re.split(r"[,;\s]+", value)):
        match = re.fullmatch(r"(\d{1,12})(?:(?:-|\.\.)(\d{1,12}))?", piece)
        if match is None:
            raise InvalidInput(
                f"{piece!r} is not an id; write numbers or ranges, such as id:12,40-60."
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if high - low > LONGEST_RANGE:
            raise InvalidInput(
                f"The range {piece} is longer than {LONGEST_RANGE:,}; name a shorter one."
            )
        found.extend(range(low, high + 1))
    return IdCriterion(tuple(dict.fromkeys(found)))


def _measured(name: str, value: str, pattern: str | None) -> Criterion:
    if value in ("yes", "no"):
        return (
            MeasureCriterion(name, nextafter(0, inf))
            if value == "yes"
            else MeasureCriterion(name, 0, 0)
        )
    if match := _RANGE.fullmatch(value):
        low, high = (None if each is None else _number(each) for each in match.groups())
        if low is not None or high is not None:
            return MeasureCriterion(
                name, -inf if low is None else low, inf if high is None else high
            )
    if match := _BOUND.fullmatch(value):
        number = _number(match[2])
        match match[1]:
            case ">":
                return MeasureCriterion(name, low=nextafter(number, inf))
            case ">=":
                return MeasureCriterion(name, low=number)
            case "<":
                return MeasureCriterion(name, high=nextafter(number, -inf))
            case "<=":
                return MeasureCriterion(name, high=number)
        return MeasureCriterion(name, number, number)
    raise InvalidInput(
        f"'{name}:{value}' has no range: write {name}: and >2, <=2, 2, 1..2, 2.., yes or no; "
        f"such as {MEASURES[name].example}."
    )


def _number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


OPERATORS = {
    "tag": Operator("it carries at least one of the tags", 'tag:"bird life|eyes"', _tag),
    "status": Operator("its status", f"status:{Status.EXCLUDED}", _status),
    "like": Operator(
        "it is one of the nearest in meaning to the query of an id, or to a text",
        'like:"how bats see"',
        _like,
    ),
    **{
        name: Operator(measure.about, measure.example, partial(_measured, name))
        for name, measure in MEASURES.items()
    },
    "id": Operator("it has one of these ids", "id:12,40-60", _ids),
    **{
        field.name: Operator(
            f"the text, or the pattern, is in: {field.label}",
            f"{field.name}:bats",
            partial(_texts, field.name),
        )
        for field in SEARCHED
    },
}
"""The filters by name, in the order in which they are explained."""
