"""What the reader of one shape takes and gives."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ..grid import Cells


class Reshaped(NamedTuple):
    """The rows that records of a known shape make, and sentences about what became of them."""

    rows: list[Cells]
    warnings: tuple[str, ...] = ()


ReadShape: TypeAlias = Callable[[Sequence[Cells]], Reshaped | None]
"""Reads records as rows of queries and answers; None when they are not of the shape."""


def beside(row: Cells, *used: str | None, own: Sequence[str]) -> dict[str, object]:
    """The row without the columns that were used up.

    What is named like one of the `own` columns of the shape becomes, say, `other answer`.
    """
    return {
        f"other {key}" if key in own else key: value
        for key, value in row.items()
        if key not in used
    }
