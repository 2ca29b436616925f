"""A table before it is drawn: named columns, and rows with a value for each of them."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Value: TypeAlias = str | int | float | None
"""None where a number is undefined."""


@dataclass(frozen=True)
class Column:
    """A column's name, and the decimals of its numbers where they are not whole."""

    name: str
    places: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows, both in the order in which they are shown."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def values(self, name: str) -> tuple[Value, ...]:
        """The values of a column, row by row."""
        place = self.names.index(name)
        return tuple(row[place] for row in self.rows)


class Study(Protocol):
    """What is shown as tables with sentences below them, and its JSON."""

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """The tables, each with its title."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the tables: what they are based on, and what cannot be concluded."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
