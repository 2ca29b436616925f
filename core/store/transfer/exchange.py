"""Between Python and DuckDB: tables lent through Arrow, results fetched whole.

Arrow, so that bulk costs seconds and not minutes. Whole, because a cursor with an unfinished
result refuses its next statement.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidInput
from ...types import IntArray
from .arrow import Column, to_arrow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Table


def arrow_table(kinds: Mapping[str, str], columns: Mapping[str, Column]) -> "Table":
    """The columns as an Arrow table.

    Args:
        kinds: For each column text, bytes, integer, number, flag, or `texts`, `integers`,
            `numbers`.
        columns: For each column its values, all of one length.

    Raises:
        InvalidInput: A text contains half of a surrogate pair, which UTF-8 cannot store.
    """
    import pyarrow as pa

    try:
        arrays = [to_arrow(kind, columns[column]) for column, kind in kinds.items()]
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The text {error.object!r:.60} contains half a character at position {error.start} "
            "and cannot be stored: only whole Unicode text is allowed, so correct it at its source."
        ) from error
    return pa.Table.from_arrays(arrays, names=list(kinds))


def register_table(
    cursor: "DuckDBPyConnection", name: str, kinds: Mapping[str, str], columns: Mapping[str, Column]
) -> None:
    """Make the `arrow_table` readable as the table `name`, for this cursor, as long as it lives."""
    cursor.register(name, arrow_table(kinds, columns))


def register_positions(
    cursor: "DuckDBPyConnection", name: str, column: str, keys: Sequence[str]
) -> None:
    """Lend the texts `keys` as the table `name` with the columns `position` and `column`."""
    register_table(
        cursor,
        name,
        {"position": "integer", column: "text"},
        {"position": np.arange(len(keys)), column: keys},
    )


def storable(text: str, what: str) -> str:
    """The text itself.

    Raises:
        InvalidInput: It contains half of a surrogate pair, as undecodable bytes of a shell give.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidInput(
            f"The {what} {text!r:.60} contains half a character: only whole Unicode text is "
            "allowed, so type it again."
        )
    return text


def first_row(
    cursor: "DuckDBPyConnection", sql: str, parameters: object = None
) -> tuple[Any, ...] | None:
    """The first row of a statement's result, or None when there is none."""
    rows = cursor.execute(sql, parameters).fetchall()
    return rows[0] if rows else None


def one_number(cursor: "DuckDBPyConnection", sql: str, parameters: object = None) -> int:
    """The one number that a statement returns."""
    ((value,),) = cursor.execute(sql, parameters).fetchall()
    return int(value)


def integers(cursor: "DuckDBPyConnection", sql: str, parameters: object = None) -> IntArray:
    """The first column of a query's result, shape (rows,)."""
    columns = cursor.execute(sql, parameters).fetchnumpy()
    return np.asarray(next(iter(columns.values())), dtype=np.int64)
