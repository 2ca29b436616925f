"""The order of a search's results: that of the whole pool, never of one page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..demonstration.demonstration import Field, Kind
from ..demonstration.fields import FIELDS
from ..errors import InvalidInput

ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, CHANGED = (
    "id", "quality_bias", "retrieved", "similarity", "worth", "changed",
)  # fmt: skip
"""What demonstrations can be sorted by besides their sortable fields."""


@dataclass(frozen=True)
class Order:
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


def sorted_by(order: Order) -> str:
    """The end of a statement after `WITH found AS (..)`: the ids of its rows, in order.

    An order by the values of `Order` reads them in the table `valued`.

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
