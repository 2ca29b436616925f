"""What the reader of one shape takes and gives."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ..grid import Cells


class Reshaped(NamedTuple):
    """The rows made from records of a known shape, and sentences about what was done with them."""

    rows: list[Cells]
    warnings: tuple[str, ...] = ()


ReadShape: TypeAlias = Callable[[Sequence[Cells]], Reshaped | None]
"""Reads records as rows of queries and answers; None when they are not of the shape."""


def beside(row: Cells, *used: str | None, own: Sequence[str]) -> dict[str, object]:
    """The row without the columns that were used.

    A column named like one of the `own` columns of the shape becomes, for example, `other answer`.
    """
    return {
        f"other {key}" if key in own else key: value
        for key, value in row.items()
        if key not in used
    }
