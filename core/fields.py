"""The fields of a demonstration, as `types.Draft` declares them, and their values in columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeAlias, get_args, get_type_hints

from .incorrect import distinct, incorrect_answers, to_columns
from .types import Draft, Field, IncorrectAnswer, Kind, Status

Value: TypeAlias = str | bool | tuple[str, ...] | tuple[IncorrectAnswer, ...]
"""The value of an attribute of a demonstration."""
Cell: TypeAlias = str | bool | list[str]
"""The same in a column of the store or of a file."""


def _declared() -> Iterator[Field]:
    for annotation in get_type_hints(Draft, include_extras=True).values():
        yield from get_args(annotation)[1:]  # behind the type stand its fields


FIELDS: tuple[Field, ...] = tuple(_declared())
"""Each is a column of its own, in this order."""
ATTRIBUTES = frozenset(get_type_hints(Draft))
"""A demonstration's attributes: its fields, the kinds of incorrect answers being in them."""
FIELD = {field.name: field for field in FIELDS}
PLAIN = tuple(
    field for field in FIELDS if field.kind in (Kind.TEXT, Kind.TEXTS) and not field.required
)
"""Fields that are kept and shown, and mean nothing to any method or metric."""
SEARCHED = tuple(field for field in FIELDS if field.kind in (Kind.TEXT, Kind.INCORRECT))
"""Fields in which a search looks for a text."""
COMPARED = tuple(
    field for field in FIELDS if field in PLAIN or field.kind in (Kind.INCORRECT, Kind.STATUS)
)
"""Attributes in which a file may differ from the pool: the incorrect answers with their kinds."""

_STORED = {Kind.STATUS: "text", Kind.INCORRECT: "texts", Kind.INCORRECT_KINDS: "texts"}
_STATUSES = {status.value: status for status in Status}

COLUMNS = {field.name: _STORED.get(field.kind, field.kind.value) for field in FIELDS}
"""Whether a column holds text, texts or a flag, by its name."""


def in_words(fields: Sequence[Field], last: str) -> str:
    """The fields' labels in a sentence, with the word `last` before the last one."""
    *others, end = (field.label for field in fields)
    return f"{', '.join(others)} {last} {end}"


def _read(field: Field) -> Callable[[Draft], Cell]:
    """What reads the field's value from a draft, as a column holds it."""
    value: Callable[[Draft], Any] = attrgetter(field.name)
    match field.kind:
        case Kind.TEXT | Kind.FLAG:
            return value
        case Kind.TEXTS:
            return lambda draft: list(value(draft))
        case Kind.STATUS:
            return lambda draft: str(value(draft))
        case Kind.INCORRECT | Kind.INCORRECT_KINDS:
            return lambda draft: to_columns(draft.incorrect)[field.name]


_READ = {field.name: _read(field) for field in FIELDS}


def cell(draft: Draft, name: str) -> Cell:
    """The draft's value of a field, as its column holds it."""
    return _READ[name](draft)


def cells(draft: Draft) -> dict[str, Cell]:
    """The draft's value of every field, by the name of its column."""
    incorrect = to_columns(draft.incorrect)
    return {
        name: incorrect[name] if name in incorrect else read(draft) for name, read in _READ.items()
    }


def attributes(columns: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """For each row the values of a draft's attributes, in their order.

    Args:
        columns: For each of `FIELDS`, in their order, the values of all rows.
    """
    values: list[Iterable[Any]] = []
    for field, column in zip(FIELDS, columns, strict=True):
        match field.kind:
            case Kind.TEXTS:
                values.append(map(tuple, column))
            case Kind.STATUS:
                values.append(map(_STATUSES.__getitem__, column))
            case Kind.INCORRECT_KINDS:  # they follow the texts that they are of
                values.append(map(incorrect_answers, values.pop(), column))
            case _:
                values.append(column)
    return zip(*values, strict=True)


def together(one: Draft, other: Draft) -> dict[str, Value]:
    """What two drafts of one query and answer say together of its incorrect answers and `PLAIN`.

    Lists are those of `one` and then what `other` adds; a text is that of `one` unless it is empty.
    """
    values: dict[str, Value] = {"incorrect": distinct((*one.incorrect, *other.incorrect))}
    for field in PLAIN:
        first, second = getattr(one, field.name), getattr(other, field.name)
        lists = field.kind is Kind.TEXTS
        values[field.name] = tuple(dict.fromkeys(first + second)) if lists else first or second
    return values
