"""CSV and TSV to columns and rows: every cell stays the text that the file holds."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...errors import InvalidInput

# Python's own limit of 131,072 letters is below what a cell may hold. The limit is the process's,
# so it is raised once and never put back: another thread may be reading.
csv.field_size_limit(2**30)

Cells: TypeAlias = Mapping[str, object]
"""What a row of a file holds in each of its columns; nothing is interpreted yet."""


class Grid(NamedTuple):
    """Columns, rows and warnings as a reader of one format hands them on."""

    columns: list[str]
    rows: Sequence[Cells]
    warnings: tuple[str, ...] = ()


def read_delimited(text: str, name: str, delimiter: str) -> Grid:
    """The columns of the header line and a row for each record that is not blank.

    Quotes follow RFC 4180. A comma-separated file whose header holds no comma but semicolons or
    tabs is read with those, as spreadsheets in many countries write it; in a tab-separated file
    quotes are letters where only that makes the rows even.

    Raises:
        InvalidInput: An unclosed quote, or a record with more cells than the header has.
    """
    if delimiter == ",":
        delimiter, text = _spreadsheet_delimiter(text)
    elif (plain := _without_quotes(text, name)) is not None:
        return plain
    return _grid(_records(text, name, delimiter, csv.QUOTE_MINIMAL), name)


def unique_columns(header: list[str]) -> list[str]:
    """The header with a name for every column and no name twice: `answer`, `answer (2)`."""
    seen: set[str] = set()
    columns = []
    for position, cell in enumerate(header, start=1):
        name = base = " ".join(cell.split()) or f"column {position}"
        copy = 1
        while name in seen:
            copy += 1
            name = f"{base} ({copy})"
        seen.add(name)
        columns.append(name)
    return columns


def _without_quotes(text: str, name: str) -> Grid | None:
    """The grid of a tab-separated file when only quotes taken as letters make its rows even."""
    if '"' not in text:
        return None
    try:
        if not _grid(_records(text, name, "\t", csv.QUOTE_MINIMAL), name).warnings:
            return None
    except InvalidInput:
        pass  # it may be even without quotes; if not, the caller meets this error again
    try:
        plain = _grid(_records(text, name, "\t", csv.QUOTE_NONE), name)
    except InvalidInput:
        return None
    return None if plain.warnings else plain


def _spreadsheet_delimiter(text: str) -> tuple[str, str]:
    declared = re.match(r"sep=([,;\t])\r?\n", text, re.IGNORECASE)  # a line that Excel understands
    if declared:
        return declared[1], text[declared.end() :]
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if len(next(iter(csv.reader([header])), [])) < 2:
        for delimiter in (";", "\t"):
            if delimiter in header:
                return delimiter, text
    return ",", text


def _records(
    text: str, name: str, delimiter: str, quoting: Literal[0, 3]
) -> list[tuple[int, list[str]]]:
    """Each record that is not blank with the line on which it begins."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=quoting,
        strict=True,
    )
    records = []
    line = 1
    try:
        for record in reader:
            if record:
                records.append((line, record))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(
            f"{name}: the record that begins on line {line} has a quote that is not closed, or "
            'text after a closing quote; double the quotes inside a quoted cell ("").'
        ) from error
    return records


def _grid(records: list[tuple[int, list[str]]], name: str) -> Grid:
    if not records:
        return Grid([], [])
    header = records[0][1]
    columns = unique_columns(header)
    rows = []
    short: list[int] = []
    for line, record in records[1:]:
        if any(cell.strip() for cell in record[len(columns) :]):
            raise InvalidInput(
                f"{name}: line {line} has {len(record)} cells but the header names "
                f"{len(columns)} columns; put quotes around cells that hold the delimiter."
            )
        if len(record) < len(columns):
            short.append(line)
        rows.append(
            {
                column: record[place] if place < len(record) else ""
                for place, column in enumerate(columns)
            }
        )
    warning = (
        (
            f"Rows with fewer cells than the header: {len(short):,}, the first on line {short[0]}; "
            "what they lack counts as empty."
        )
        if short
        else ""
    )
    kept = _named_or_filled(header, columns, rows)
    if len(kept) < len(columns):
        rows = [{column: row[column] for column in kept} for row in rows]
    return Grid(kept, rows, (warning,) if warning else ())


def _named_or_filled(
    header: list[str], columns: list[str], rows: Sequence[Mapping[str, str]]
) -> list[str]:
    """The columns but those that have neither a name nor a cell with text."""
    return [
        column
        for cell, column in zip(header, columns, strict=True)
        if cell.strip() or any(row[column].strip() for row in rows)
    ]
