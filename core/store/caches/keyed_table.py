"""A table of what was computed: a scope and a key give values, and what is there stays."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..database import Database
from ..exchange import Column, arrow_table, first_row, one_number, register_positions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Table

Key: TypeAlias = tuple[Any, ...]
"""The values of a row's key columns."""
Scope: TypeAlias = tuple[str, ...]
"""The fingerprints of what computed the values."""

_AT_ONCE = 250
"""Keys looked up by one statement: for so few DuckDB uses the index, for more it scans."""


class KeyedTable:
    """Values by scope (what computed them) and key (hashes of what they were computed of).

    `rows` and `add` are for a few keys of a table with an index over its first key column;
    `columns`, `missing` and `add_many` read a whole scope, for many keys of one column.

    Args:
        database: The workspace's database.
        name: The table's name; its columns are those of the scope, of the key and of the values.
        scope: Its columns that name what computed the values, each a text.
        key: Its columns of the key, each with its kind (`arrow_table`).
        values: Its columns of values, each with its kind.
    """

    # Nothing but the names of tables and columns, which are this package's own, and question marks
    # is put into a statement.

    def __init__(
        self,
        database: Database,
        name: str,
        *,
        scope: tuple[str, ...],
        key: Mapping[str, str],
        values: Mapping[str, str],
    ) -> None:
        self._database = database
        self._name = name
        self._scope = scope
        self._key = tuple(key)
        self._values = tuple(values)
        self._kinds = {**key, **values}

    def rows(self, scope: Scope, keys: Iterable[Key]) -> dict[Key, tuple[Any, ...]]:
        """The values of these keys; a key that has none is absent."""
        with self._database.read() as cursor:
            return self._rows(cursor, scope, dict.fromkeys(keys))

    def _rows(
        self, cursor: "DuckDBPyConnection", scope: Scope, wanted: Mapping[Key, object]
    ) -> dict[Key, tuple[Any, ...]]:
        first, n = list(dict.fromkeys(key[0] for key in wanted)), len(self._scope)
        ends = n + len(self._key)
        found = {}
        for start in range(0, len(first), _AT_ONCE):
            some = first[start : start + _AT_ONCE]
            # Only a list of values, with no condition beside it, is looked up in the index; with
            # a join, or the scope asked for as well, DuckDB would read the whole table.
            places = ", ".join("?" * len(some))
            statement = f"SELECT * FROM {self._name} WHERE {self._key[0]} IN ({places})"  # noqa: S608
            for row in cursor.execute(statement, some).fetchall():
                if row[:n] == scope and row[n:ends] in wanted:
                    found[row[n:ends]] = row[ends:]
        return found

    def add(self, scope: Scope, columns: Mapping[str, Column]) -> None:
        """Keep a row for each key; of equal keys, here or there already, the first stays.

        Raises:
            InvalidInput: A text contains half of a surrogate pair.
        """
        keys = list(zip(*(columns[name] for name in self._key), strict=True))
        if not keys:
            return
        places = {key: place for place, key in reversed(list(enumerate(keys)))}
        with self._database.write() as cursor:
            for key in self._rows(cursor, scope, places):
                del places[key]
            if places:
                new = sorted(places.values())
                given = {name: [columns[name][place] for place in new] for name in self._kinds}
                cursor.register("given", arrow_table(self._kinds, given))
                self._insert(cursor, scope, "SELECT * FROM given")

    def columns(self, scope: Scope, keys: Sequence[str]) -> "Table":
        """The values that are there: `position` in the keys, and each column of values."""
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", self._key[0], keys)
            return cursor.sql(self._joined(), params=scope).to_arrow_table()

    def arrays(self, scope: Scope, keys: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The same as numpy arrays, for values that are numbers."""
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", self._key[0], keys)
            found = cursor.execute(self._joined(), scope).fetchnumpy()
        return {name: np.asarray(column) for name, column in found.items()}

    def _joined(self) -> str:
        """The statement that reads the values of the keys in the table `wanted`."""
        (key,), values = self._key, ", ".join(self._values)
        found = self._of_scope(f"{key}, {values}")
        return f"SELECT position, {values} FROM wanted JOIN ({found}) USING ({key})"  # noqa: S608

    def missing(self, scope: Scope, keys: Sequence[str]) -> list[str]:
        """Those of the keys that have no row yet, each once, in the order given."""
        (key,) = self._key
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", key, list(dict.fromkeys(keys)))
            rows = cursor.execute(
                f"SELECT {key} FROM wanted "  # noqa: S608
                f"ANTI JOIN ({self._of_scope(key)}) USING ({key}) ORDER BY position",
                scope,
            ).fetchall()
        return [row[0] for row in rows]

    def add_many(self, scope: Scope, given: "Table") -> None:
        """Keep a row for each key; of equal keys, here or there already, the first stays.

        Args:
            scope: What computed them.
            given: The columns of the key and of the values.
        """
        (key,) = self._key
        firsts = ", ".join(f"first({name})" for name in self._values)
        with self._database.write() as cursor:
            cursor.register("given", given)
            self._insert(
                cursor,
                scope,
                f"SELECT {key}, {firsts} FROM given "  # noqa: S608
                f"ANTI JOIN ({self._of_scope(key)}) USING ({key}) GROUP BY {key}",
                scope,
            )
        self._database.checkpoint_after(given.num_rows)

    def any_row(self, scope: Scope) -> tuple[Any, ...] | None:
        """The values of one row of the scope; None where it has none."""
        with self._database.read() as cursor:
            return first_row(cursor, f"{self._of_scope(', '.join(self._values))} LIMIT 1", scope)

    def count(self, *scope: str) -> int:
        """How many rows there are of this scope, or of a scope that begins so."""
        with self._database.read() as cursor:
            return one_number(cursor, self._of_scope("count(*)", len(scope)), scope)

    def _insert(
        self, cursor: "DuckDBPyConnection", scope: Scope, select: str, parameters: Scope = ()
    ) -> None:
        of = "?, " * len(scope)
        cursor.execute(
            f"INSERT INTO {self._name} SELECT {of}* FROM ({select})",  # noqa: S608
            [*scope, *parameters],
        )

    def _of_scope(self, columns: str, length: int | None = None) -> str:
        """The statement that reads the columns of one scope, which its parameters name."""
        conditions = " AND ".join(f"{name} = ?" for name in self._scope[:length])
        return f"SELECT {columns} FROM {self._name} WHERE {conditions}"  # noqa: S608


class OneTable:
    """What is kept in one table, whose scope begins with what computed it."""

    _table: KeyedTable

    def count(self, computed_by: str) -> int:
        """How many rows there are of the encoder or the model with this fingerprint."""
        return self._table.count(computed_by)
