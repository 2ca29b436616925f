"""What can be asked of demonstrations: texts, tags, a status, ids, measured values, a meaning."""

from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from .demonstration import Status


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
class Tagged:
    """At least one of the tags is on it."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfStatus:
    """It has the status; pinned ones are included, too."""

    status: Status


@dataclass(frozen=True, slots=True)
class Numbered:
    """It has one of the ids; those that the pool does not have are passed over."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Measured:
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


Criterion: TypeAlias = Words | Pattern | Tagged | OfStatus | Numbered | Measured | Like | Without


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
