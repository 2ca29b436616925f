"""A table before it is drawn, and the sheet of what a result shows people.

A result gives its sheet once: what it says, its tables and its named values, block by block. The
terminal (`commands.printing`), the pages and the reports (`html`) draw the same parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, TypeAlias

from ...interval import Interval


class NotedText(NamedTuple):
    """A text with a note, which page and report have below it in small letters."""

    text: str
    note: str


Value: TypeAlias = str | int | float | tuple[int, ...] | Interval | NotedText | None
"""None where a number is undefined."""


@dataclass(frozen=True)
class Column:
    """A column's name, and the decimals of its numbers where they are not whole.

    Page and report have the `note` below the name, and `title` as its tooltip. The intervals of a
    `signed` column are differences: each has its sign, and is marked where it is beyond chance.
    `best` has the rows that are the best in the column.
    """

    name: str
    places: int | None = None
    _: KW_ONLY
    note: str = ""
    title: str = ""
    signed: bool = False
    best: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Table:
    """Columns and rows, both in the order in which they are shown.

    A `whole` one has a line for each row on a terminal, however long; another continues below.
    `leader` is the best row.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    whole: bool = False
    leader: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def values(self, name: str) -> tuple[Value, ...]:
        """The values of a column, row by row."""
        place = self.names.index(name)
        return tuple(row[place] for row in self.rows)


Part: TypeAlias = str | Table | Mapping[str, object]
"""Sentences, a table, or values by their names."""
Sheet: TypeAlias = tuple[tuple[Part, ...], ...]
"""Blocks of parts; the parts of a block belong closely together."""


def plain_table(names: Sequence[str], rows: Iterable[Sequence[Value]]) -> Table:
    """A whole table whose columns have names alone."""
    return Table(tuple(map(Column, names)), tuple(map(tuple, rows)), whole=True)


def records_table(records: Iterable[object], names: Sequence[str]) -> Table:
    """A whole table of records with a column for each of these fields."""
    return plain_table(names, ([getattr(each, name) for name in names] for each in records))


def named(record: object, *names: str) -> dict[str, object]:
    """These fields of a record by their names."""
    return {name: getattr(record, name) for name in names}
