"""Between Python and DuckDB: tables lent through Arrow, results fetched, values encoded.

Arrow, so that bulk costs seconds and not minutes. Whole, because a cursor with an unfinished
result refuses its next statement.

Columns of values as Arrow arrays, laid out here: pyarrow's own conversion first imports pandas.

That import takes a third of a second, which a person would wait for at the first page.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..interval import without_nan
from ..types import IntArray

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Array, Buffer, Table


Column: TypeAlias = Sequence[Any] | NDArray[Any]
"""The values of a column, one for each row."""


def to_arrow(kind: str, values: Column) -> "Array":
    """An Arrow array of the values, None as null.

    Args:
        kind: text, bytes, integer, number, flag, or `texts`, `integers`, `numbers` for lists
            without None.
        values: As Python objects; integers and numbers also as a numpy array.

    Raises:
        UnicodeEncodeError: A text contains half of a surrogate pair.
    """
    import pyarrow as pa

    if kind in ("texts", "integers", "numbers"):
        items = to_arrow(kind.removesuffix("s"), [item for value in values for item in value or ()])
        return pa.Array.from_buffers(
            pa.large_list(items.type),
            len(values),
            [_present(values), _ends([len(value or ()) for value in values])],
            children=[items],
        )
    if kind in ("text", "bytes"):
        cells = [value.encode() if isinstance(value, str) else value or b"" for value in values]
        ends = _ends([len(cell) for cell in cells])
        buffers = [_present(values), ends, pa.py_buffer(b"".join(cells))]
        of_cells = pa.large_string() if kind == "text" else pa.large_binary()
        return pa.Array.from_buffers(of_cells, len(values), buffers)
    if kind == "flag":
        bits = _bits([bool(value) for value in values])
        return pa.Array.from_buffers(pa.bool_(), len(values), [_present(values), bits])
    name = {"integer": "int64", "number": "float64"}[kind]
    filled = values if isinstance(values, np.ndarray) else [value or 0 for value in values]
    column = pa.py_buffer(np.ascontiguousarray(filled, dtype=name))
    return pa.Array.from_buffers(pa.type_for_alias(name), len(values), [_present(values), column])


def _present(values: Column) -> "Buffer | None":
    """Which values are not None, a bit each; None where all are there."""
    if isinstance(values, np.ndarray) or not any(value is None for value in values):
        return None
    return _bits([value is not None for value in values])


def _bits(flags: list[bool]) -> "Buffer":
    import pyarrow as pa

    return pa.py_buffer(np.packbits(np.asarray(flags, dtype=bool), bitorder="little"))


def _ends(lengths: list[int]) -> "Buffer":
    """Where each of the consecutive parts begins, and where the last one ends."""
    import pyarrow as pa

    return pa.py_buffer(np.cumsum([0, *lengths], dtype=np.int64))


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


Json: TypeAlias = "None | bool | float | str | Sequence[Json] | Mapping[str, Json]"
"""What JSON can express."""


def to_json(value: Any) -> str:
    """The value as JSON text; NaN and the infinities become null, numpy values plain ones.

    Raises:
        TypeError: A part of the value is nothing that JSON knows.
    """
    return json.dumps(without_nan(value), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> Any:
    """The value that `to_json` wrote."""
    return json.loads(text)


def utc_now() -> datetime:
    """The time now, in UTC, without a zone: what goes into the database."""
    return datetime.now(UTC).replace(tzinfo=None)


def aware(stored: datetime) -> datetime:
    """A stored time with its zone, UTC: what comes out of the database."""
    return stored.replace(tzinfo=UTC)
