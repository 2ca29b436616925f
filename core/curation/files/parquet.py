"""Parquet to columns and rows; lists stay lists and texts stay texts."""

import io
import json
from collections.abc import Sequence

from ...demonstration import demonstration
from ...errors import InvalidInput
from .grid import Cells, Grid, unique_columns
from .labels import declared_features, with_label_names
from .shapes.registry import shaped

_LISTS = (*demonstration.COLUMNS, "tags")
_EARLY_EXPORT = ("id", "query", "answer", *_LISTS, "best", "status", "note")
"""The columns of an early export, in which lists were JSON arrays in texts."""


def read_parquet(content: bytes, name: str) -> Grid:
    """The columns and rows of a parquet file; records of known shapes are read as those.

    Raises:
        InvalidInput: The file is not parquet or is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(content)).read()  # allows a name twice
        renamed = table.rename_columns(unique_columns(table.column_names))
        index = [column for column in renamed.column_names if column.startswith("__index_")]
        columns = [column for column in renamed.column_names if column not in index]
        rows: list[Cells] = renamed.select(columns).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(
            f"{name} cannot be read as parquet: it is damaged or something else; export it again."
        ) from error
    if tuple(columns) == _EARLY_EXPORT:
        rows = _with_lists(rows)
    rows, warnings = with_label_names(rows, declared_features(table.schema.metadata))
    grid = shaped(rows)
    reshaped = grid.shape or set(grid.columns) - set(columns)
    if not reshaped:
        grid = Grid(columns, rows)
    return grid._replace(warnings=(*warnings, *grid.warnings), unread=(*index, *grid.unread))


def _with_lists(rows: list[Cells]) -> list[Cells]:
    """The rows of an early export with their lists; the same rows where a cell is none."""
    lists = [{column: _list_in(row[column]) for column in _LISTS} for row in rows]
    if any(value is None for row in lists for value in row.values()):
        return rows
    return [
        {**row, **texts, "answer": _whole_answer(row["answer"])}
        for row, texts in zip(rows, lists, strict=True)
    ]


def _list_in(cell: object) -> list[str] | None:
    if not isinstance(cell, str):
        return None
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return value if texts else None


def _whole_answer(cell: object) -> object:
    """The answer of an early export, which wrote one that looks like a list as a list of one."""
    texts: Sequence[str] = _list_in(cell) or ()
    return texts[0] if len(texts) == 1 else cell
