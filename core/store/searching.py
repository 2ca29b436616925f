"""The rows of a pool that meet the criteria of a search, and the order that they come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ..demonstration.criteria import (
    LENGTH,
    QUERY_LENGTH,
    REVIEWED,
    WRONG,
    Criterion,
    IdCriterion,
    MeasureCriterion,
    OfStatus,
    Pattern,
    TagCriterion,
    Without,
    Words,
)
from ..demonstration.demonstration import Field, Kind
from ..demonstration.fields import FIELDS, SEARCHED
from ..errors import InvalidInput
from .exchange import storable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


Value: TypeAlias = int | float | str | list[int] | list[str]
"""A parameter of a statement."""

_MEASURES = {
    LENGTH: "length(answer)",
    QUERY_LENGTH: "length(query)",
    WRONG: "len(incorrect)",
    REVIEWED: "len(reviewed)",
}
"""What follows from a row alone. Other measures are ids by the time they come here."""


def found_by(
    cursor: "DuckDBPyConnection", pool_id: int, criteria: Sequence[Criterion]
) -> tuple[str, dict[str, Value]]:
    """`WITH found AS (..)`, all columns of the rows that meet every criterion, and its parameters.

    Raises:
        InvalidInput: A text cannot be stored, so it cannot be found, or a pattern cannot be read.
    """
    parameters: dict[str, Value] = {"pool": pool_id}
    asked = [_condition(cursor, each, parameters) for each in criteria]
    # Nothing but names of columns from `fields` and from this file is put into the statement.
    return (
        "WITH found AS (SELECT * FROM demonstrations WHERE "  # noqa: S608
        + " AND ".join(["pool_id = $pool", "NOT deleted", *asked])
        + ")"
    ), parameters


def _condition(
    cursor: "DuckDBPyConnection", criterion: Criterion, parameters: dict[str, Value]
) -> str:
    def lent(value: Value) -> str:
        name = f"p{len(parameters)}"
        parameters[name] = value
        return f"${name}"

    match criterion:
        case Words(text, field):
            name = lent(storable(text, "text to find"))
            return _in_any(field, f"contains(lower({{}}), lower({name}))")
        case Pattern(expression, field):
            _check(cursor, expression)
            return _in_any(field, f"regexp_matches({{}}, {lent(expression)})")
        case TagCriterion(tags):
            return f"list_has_any(tags, {lent(list(tags))}::VARCHAR[])"
        case OfStatus(status):
            name = lent(status.value)
            return f"(status = {name} OR ({name} = 'included' AND status = 'pinned'))"
        case IdCriterion(ids):
            return f"id IN (SELECT unnest({lent(list(ids))}::BIGINT[]))"
        case MeasureCriterion(measure, low, high) if measure in _MEASURES:
            return f"{_MEASURES[measure]} BETWEEN {lent(low)} AND {lent(high)}"
        case Without(inner):
            return f"NOT {_condition(cursor, inner, parameters)}"
    raise InvalidInput(f"The store finds nothing by {criterion}: name ids instead.")


def _in_any(name: str, condition: str) -> str:
    """The condition on one of the fields that are searched, or on any of them."""
    fields = [field for field in SEARCHED if name in ("", field.name)]
    return f"({' OR '.join(_in_one(field, condition) for field in fields)})"


def _in_one(field: Field, condition: str) -> str:
    if field.kind is Kind.INCORRECT:
        return f"len(list_filter({field.name}, lambda one: {condition.format('one')})) > 0"
    return condition.format(field.name)


def _check(cursor: "DuckDBPyConnection", expression: str) -> None:
    """Refuse a pattern that cannot be read; the statement would fail with less to say."""
    import duckdb

    try:
        cursor.execute("SELECT regexp_matches('', $pattern)", {"pattern": expression}).fetchall()
    except duckdb.InvalidInputException as error:
        reason = str(error).removeprefix("Invalid Input Error: ")
        raise InvalidInput(
            f"The pattern /{storable(expression, 'pattern')}/ cannot be read: {reason}. "
            "Correct it, or put what is meant literally into quotation marks."
        ) from error


ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, CHANGED = (
    "id", "quality_bias", "retrieved", "similarity", "worth", "changed",
)  # fmt: skip
"""What demonstrations can be sorted by besides their sortable fields."""


@dataclass(frozen=True)
class SearchOrder:
    """One of `SORTS` and its direction. What has no value comes last in both directions.

    Ties are in the order of their ids. `values`, by id, are needed for an order by the quality
    bias, of which the store has one for every language model, by how often each is retrieved, by
    how near it is to a text, or by what it is worth.
    """

    by: str = ID
    descending: bool = False
    values: Mapping[int, float] = field(default_factory=dict)


def _key(field: Field) -> str:
    """What rows are sorted by: texts without regard to case, lists of answers by their length."""
    match field.kind:
        case Kind.INCORRECT | Kind.INCORRECT_KINDS:
            return f"len({field.name})"
        case Kind.TEXTS:
            return f"nullif(lower(array_to_string({field.name}, ', ')), '')"
        case Kind.FLAG:
            return f"if({field.name}, 0, 1)"
        case _:
            return f"nullif(lower({field.name}), '')"


_KEYS = {
    ID: "f.id",
    **{field.name: _key(field) for field in FIELDS if field.sortable},
    **dict.fromkeys(
        (QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH),
        "(SELECT value FROM valued v WHERE v.id = f.id)",
    ),
    CHANGED: "(SELECT max(action_id) FROM revisions r WHERE r.demonstration_id = f.id)",
}
SORTS = tuple(_KEYS)
"""The names of what demonstrations can be sorted by."""


def sorted_by(order: SearchOrder) -> str:
    """The end of a statement after `WITH found AS (..)`: the ids of its rows, in order.

    An order by the values of `SearchOrder` reads them in the table `valued`.

    Raises:
        InvalidInput: Nothing can be sorted by what the order names.
    """
    if order.by not in _KEYS:
        raise InvalidInput(
            f"Demonstrations cannot be sorted by {order.by!r}: choose one of {', '.join(SORTS)}."
        )
    # Nothing but names of columns from `fields` and from this file is put into the statement.
    direction = "DESC" if order.descending else "ASC"
    return f" SELECT f.id FROM found f ORDER BY {_KEYS[order.by]} {direction} NULLS LAST, f.id"  # noqa: S608
