"""Binary files to columns and rows: parquet, whose lists stay lists, and zip archives."""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


_LARGEST = 2**31
"""A file that would be larger than so many bytes is not unpacked: nothing so large can be read."""


class FileContent(NamedTuple):
    """A file's name and bytes, and sentences about the archive that it was in."""

    name: str
    content: bytes
    warnings: tuple[str, ...] = ()


def unpacked(name: str, content: bytes, is_table: Callable[[str], bool]) -> FileContent:
    """The only table of a zip archive; any other file as it is.

    Args:
        name: The file's name.
        content: Its bytes.
        is_table: Whether the name of a file in the archive is that of a table.

    Raises:
        InvalidInput: The archive is damaged, has a password, or has no table or several.
    """
    if not name.lower().endswith(".zip"):
        return FileContent(name, content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = [each for each in archive.infolist() if not _is_hidden(each)]
            tables = [each for each in files if is_table(each.filename)]
            if len(tables) != 1:
                raise _not_one(name, [each.filename for each in tables or files], bool(tables))
            (table,) = tables
            if table.file_size > _LARGEST:
                raise InvalidInput(
                    f"{table.filename} in {name} is larger than can be read "
                    f"({table.file_size:,} bytes): split it into smaller files."
                )
            inner = archive.read(table)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
        raise InvalidInput(
            f"{name} cannot be read as a zip archive: it is damaged or packed in another way; pack "
            "it again."
        ) from error
    except RuntimeError as error:  # how zipfile asks for a password
        raise InvalidInput(
            f"{name} is protected by a password: unpack it and import the file in it."
        ) from error
    others = [each.filename for each in files if each is not table]
    left = f"; not read: {', '.join(others)}" if others else ""
    warning = f'Only "{table.filename}" of the archive was read{left}.'
    base = table.filename.rpartition("/")[2]
    return FileContent(base, inner, (warning,) if others else ())


def _is_hidden(file: zipfile.ZipInfo) -> bool:
    """Whether it is a folder, or what an operating system adds to an archive."""
    parts = file.filename.split("/")
    return file.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith(".")


def _not_one(name: str, files: list[str], several: bool) -> InvalidInput:
    if not files:
        return InvalidInput(f"{name} contains no file: pack one table into it.")
    listed = ", ".join(files[:10]) + (f" and {len(files) - 10:,} more" if len(files) > 10 else "")
    if several:
        return InvalidInput(
            f"{name} contains several tables ({listed}): unpack it and import them one by one."
        )
    return InvalidInput(
        f"{name} contains no table of a known format ({listed}): unpack it, and give the table the "
        "ending of its format, such as .csv."
    )
