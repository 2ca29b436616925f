"""The fields of a demonstration, as `Draft` declares them, and their values in columns."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeAlias, get_args, get_type_hints

from .demonstration import (
    Draft,
    Field,
    IncorrectAnswer,
    Kind,
    Status,
    distinct,
    incorrect_answers,
    to_columns,
)

Value: TypeAlias = str | bool | tuple[str, ...] | tuple[IncorrectAnswer, ...]
"""The value of an attribute of a demonstration."""
Cell: TypeAlias = str | bool | list[str]
"""The same in a column of the store or of a file."""


_ATTRIBUTES = get_type_hints(Draft, include_extras=True)
_DECLARED: list[tuple[str, Field]] = [
    (attribute, field)  # the type comes first, its fields after it
    for attribute, annotation in _ATTRIBUTES.items()
    for field in get_args(annotation)[1:]
]
FIELDS = tuple(field for _, field in _DECLARED)
"""Each is a column of its own, in this order."""
ATTRIBUTES = frozenset(_ATTRIBUTES)
"""A demonstration's attributes: its fields, the kinds of incorrect answers being in them."""
FIELD = {field.name: field for field in FIELDS}
PLAIN = tuple(
    field for field in FIELDS if field.kind in (Kind.TEXT, Kind.TEXTS) and not field.required
)
"""Fields that are stored and shown, and that no method or metric uses."""
SEARCHED = tuple(field for field in FIELDS if field.kind in (Kind.TEXT, Kind.INCORRECT))
"""Fields in which a search looks for a text."""
COMPARED = tuple(
    field for field in FIELDS if field in PLAIN or field.kind in (Kind.INCORRECT, Kind.STATUS)
)
"""Attributes in which a file may differ from the pool: the incorrect answers with their kinds."""

_STORED = {Kind.STATUS: "text", Kind.INCORRECT: "texts", Kind.INCORRECT_KINDS: "texts"}
_STATUSES = {status.value: status for status in Status}

_VALUES = attrgetter(*(attribute for attribute, _ in _DECLARED))
_LISTS = tuple(field.name for field in FIELDS if field.kind is Kind.TEXTS)

COLUMNS = {field.name: _STORED.get(field.kind, field.kind.value) for field in FIELDS}
"""The type of each column, "text", "texts" or "flag", by its name."""


def cells(draft: Draft) -> dict[str, Cell]:
    """The draft's value of every field as its column stores it, by the column's name."""
    values: Any = dict(zip(COLUMNS, _VALUES(draft), strict=True)) | to_columns(draft.incorrect)
    for name in _LISTS:
        values[name] = list(values[name])
    values["status"] = str(draft.status)
    found: dict[str, Cell] = values
    return found


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
            case Kind.INCORRECT_KINDS:  # their texts are the column before
                values.append(map(incorrect_answers, values.pop(), column))
            case _:
                values.append(column)
    return zip(*values, strict=True)


def merged(one: Draft, other: Draft) -> dict[str, Value]:
    """The incorrect answers and the fields `PLAIN` of two drafts of one query and answer, merged.

    Lists are those of `one` and then what `other` adds; a text is that of `one` unless it is empty.
    """
    values: dict[str, Value] = {"incorrect": distinct((*one.incorrect, *other.incorrect))}
    for field in PLAIN:
        first, second = getattr(one, field.name), getattr(other, field.name)
        lists = field.kind is Kind.TEXTS
        values[field.name] = tuple(dict.fromkeys(first + second)) if lists else first or second
    return values
