"""What the reader of one shape takes and gives."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..grid import Cells, Grid


class Reshaped(NamedTuple):
    """The rows made from records of a known shape, and what to tell about them.

    `warnings` are sentences about what was done; `unread` names the keys that no column has, such
    as `messages.name`.
    """

    rows: list[Cells]
    warnings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


ReadShape: TypeAlias = Callable[[Sequence[Cells]], Reshaped | None]
"""Reads records as rows of queries and answers; None when they are not of the shape."""

ReadTable: TypeAlias = Callable[[Grid], Reshaped | None]
"""Reads a table of texts as rows of queries and answers; None when it is not of the shape."""


def beside(row: Cells, *used: str | None, own: Sequence[str]) -> dict[str, object]:
    """The row without the columns that were used.

    A column named like one of the `own` columns of the shape becomes, for example, `other answer`.
    """
    return {
        f"other {key}" if key in own else key: value
        for key, value in row.items()
        if key not in used
    }


def keys_beside(objects: Iterable[object], *used: str, under: str = "") -> list[str]:
    """The keys of the objects that were not used, each once, after the name of what they are in."""
    keys = dict.fromkeys(key for each in objects if isinstance(each, dict) for key in each)
    return [f"{under}.{key}" if under else str(key) for key in keys if key not in used]
