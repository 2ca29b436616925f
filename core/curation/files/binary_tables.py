"""Parquet and xlsx to columns and rows."""

import contextlib
import io
import re
import sys
import zipfile
import zlib
from datetime import date, datetime, time
from typing import Any
from xml.etree.ElementTree import ParseError

from ...errors import InvalidInput
from .delimited import Grid, unique_columns

_DAMAGED_XLSX = (
    zipfile.BadZipFile, zlib.error, ParseError, OSError, EOFError, KeyError, IndexError,
    ValueError, TypeError, AttributeError, NotImplementedError,
)  # fmt: skip
"""What openpyxl lets through when a part of the file is missing or mangled."""


def read_parquet(content: bytes, name: str) -> Grid:
    """The columns and rows of a parquet file; lists stay lists.

    Raises:
        InvalidInput: The file is not parquet or is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content))
        columns = [column for column in table.column_names if not column.startswith("__index_")]
        rows = table.select(columns).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(
            f"{name} cannot be read as parquet: it is damaged or something else; export it again."
        ) from error
    return Grid(columns, rows)


def read_xlsx(content: bytes, name: str) -> Grid:
    """The first sheet that has rows under its header; formulas count with their last value.

    Raises:
        InvalidInput: The file is not an Excel workbook or is damaged.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise InvalidInput(
            f"{name} is an old (.xls) or password-protected workbook: save it as .xlsx without "
            "a password."
        )
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        # openpyxl prints when a style is missing; standard output is for the command's own JSON.
        with contextlib.redirect_stdout(sys.stderr):
            workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        try:
            sheets = [(sheet.title, _filled_rows(sheet)) for sheet in workbook.worksheets]
        finally:
            workbook.close()
    except (*_DAMAGED_XLSX, InvalidFileException) as error:
        raise InvalidInput(
            f"{name} cannot be read as an Excel workbook: it is damaged or something else; save "
            "it again as .xlsx."
        ) from error
    filled = [(title, rows) for title, rows in sheets if rows]
    if not filled:
        return Grid([], [])
    title, cells = next((sheet for sheet in filled if len(sheet[1]) > 1), filled[0])
    warning = f'Only the sheet "{title}" of {len(filled)} was read.' if len(filled) > 1 else ""
    return _grid(cells, (warning,) if warning else ())


def _filled_rows(sheet: Any) -> list[list[str]]:
    # The size that a workbook states of its sheets is often wrong: read what is there.
    sheet.reset_dimensions()
    rows = ([_cell_text(value) for value in row] for row in sheet.iter_rows(values_only=True))
    return [row for row in rows if any(cell.strip() for cell in row)]


def _grid(cells: list[list[str]], warnings: tuple[str, ...]) -> Grid:
    width = max(len(row) for row in cells)
    padded = [row + [""] * (width - len(row)) for row in cells]
    filled = [place for place in range(width) if any(row[place].strip() for row in padded)]
    header, *rows = ([row[place] for place in filled] for row in padded)
    columns = unique_columns(header)
    return Grid(columns, [dict(zip(columns, row, strict=True)) for row in rows], warnings)


def _cell_text(value: Any) -> str:
    """What a cell holds as text, near to what Excel shows."""
    if value is None:
        return ""
    if isinstance(value, str):
        # Letters that XML cannot hold are written _xHHHH_ in a workbook (ECMA-376, ST_Xstring).
        return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
