"""What a reader of any format returns: columns, rows, and what happened while they were read."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .names import unused_name

Cells: TypeAlias = Mapping[str, object]
"""The values of a row of a file, by column; nothing is interpreted yet."""


class Grid(NamedTuple):
    """Columns, rows and warnings as a reader of one format returns them.

    `shape` describes how a guessed shape was read, `delimiter` is that of delimited text, `sheet`
    the one of a workbook that was read; each is empty where there is none. `unread` names keys of
    the file that no column has.
    """

    columns: list[str]
    rows: Sequence[Cells]
    warnings: tuple[str, ...] = ()
    shape: str = ""
    delimiter: str = ""
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


Fits: TypeAlias = Callable[[Grid], bool]
"""Whether a grid looks as if it has queries and answers: decides between two readings."""


def grid_of(rows: Sequence[Cells], warnings: tuple[str, ...] = (), shape: str = "") -> Grid:
    """The grid of rows that name their own columns, in the order in which the names first occur."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return Grid(columns, rows, warnings, shape)


def unmarked(grid: Grid) -> Grid:
    """The grid without byte-order marks around the names of its columns.

    Programs that read a file's mark as a letter write it into the name of the first column.
    """
    bare = [column.strip("\ufeff") for column in grid.columns]
    if bare == grid.columns:
        return grid
    names = dict(zip(grid.columns, unique_columns(bare), strict=True))
    rows = [{names[key]: value for key, value in row.items()} for row in grid.rows]
    return grid._replace(columns=list(names.values()), rows=rows)


def unique_columns(header: Sequence[str]) -> list[str]:
    """The header with a name for every column and no name twice: `answer`, `answer (2)`."""
    seen: set[str] = set()
    columns = []
    for position, cell in enumerate(header, start=1):
        name = unused_name(" ".join(cell.split()) or f"column {position}", seen)
        seen.add(name)
        columns.append(name)
    return columns
