"""A workbook to columns and rows: which of its sheets is read, and what happened to its cells."""

import contextlib
import io
import sys
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import ParseError

from ...errors import InvalidInput
from .grid import Fits, Grid, unique_columns
from .headers import (
    MOST_TITLES,
    WITHOUT_HEADER,
    about_titles,
    begins_with_a_row,
    fits_in_part,
    numbered,
)
from .workbook_layout import (
    SheetLayout,
    SheetRow,
    about_merged,
    fill_merged,
    layout_of,
    with_one_header,
)
from .workbook_values import Findings, cell_text


def read_sheet(sheet: Any, content: bytes, fits: Fits) -> Grid:
    """The grid of a sheet, under the first of its first rows that names a query and an answer.

    Where no row does, its first row with a text is the header, unless that looks like a row itself.
    Rows that are hidden, as a filter hides them, are left out, unless all are.

    Args:
        sheet: A worksheet of openpyxl's, opened for reading with values in place of formulas.
        content: The workbook's bytes, for what openpyxl's worksheet does not have.
        fits: Whether a grid looks as if it has queries and answers.
    """
    findings = Findings()
    # The size that a workbook records for its sheets is often wrong: read what is there.
    sheet.reset_dimensions()
    rows = []
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [cell_text(cell, place, findings) for place, cell in enumerate(cells)]
        if any(text.strip() for text in texts):
            rows.append(SheetRow(number, texts))
    if not rows:
        return Grid([], [], sheet=sheet.title)
    layout = layout_of(content, sheet.title)
    filled = fill_merged(rows, layout.merged)
    visible, hidden = _parted(rows, layout.hidden)
    header, grid, columns = _under_header(visible, layout, fits)
    formulas = _formulas_without_value(content, sheet.title, findings.empty)
    warnings = (
        *grid.warnings,
        *about_merged(layout, filled, columns, header),
        *_about_rows(hidden, left_out=len(visible) < len(rows)),
        *_about_cells(findings, formulas, columns),
    )
    return grid._replace(sheet=sheet.title, warnings=warnings)


def _under_header(
    rows: list[SheetRow], layout: SheetLayout, fits: Fits
) -> tuple[int, Grid, dict[int, str]]:
    """The number of the row of the header, the grid under it, and the columns by their places."""
    first = _grid(with_one_header(rows, layout.merged))
    if not first[0].rows or fits_in_part(first[0], fits):
        return rows[0].number, *first
    for skipped in range(1, min(MOST_TITLES, len(rows) - 1) + 1):
        grid, columns = _grid(with_one_header(rows[skipped:], layout.merged))
        if grid.rows and fits_in_part(grid, fits):
            titles = about_titles(skipped, next(filter(str.strip, rows[0].texts)))
            return rows[skipped].number, grid._replace(warnings=(titles, *grid.warnings)), columns
    if not begins_with_a_row(first[0]):
        return rows[0].number, *first
    width = max(len(row.texts) for row in rows)
    grid, columns = _grid([SheetRow(0, numbered(width)), *rows])
    return 0, grid._replace(warnings=(WITHOUT_HEADER, *grid.warnings)), columns


def has_rows(sheet: Any) -> bool:
    """Whether any cell of the sheet is not empty."""
    sheet.reset_dimensions()
    rows = sheet.iter_rows(values_only=True)
    return any(value is not None and str(value).strip() for row in rows for value in row)


def _parted(rows: list[SheetRow], hidden: frozenset[int]) -> tuple[list[SheetRow], list[int]]:
    """The rows to be read, and the numbers of the hidden ones; all when none is visible."""
    found = [row.number for row in rows[1:] if row.number in hidden]
    if not found or len(found) == len(rows) - 1:
        return rows, found
    return [rows[0], *(row for row in rows[1:] if row.number not in hidden)], found


def _grid(rows: list[SheetRow]) -> tuple[Grid, dict[int, str]]:
    """The grid, and the name of the column at each place that has any text."""
    width = max(len(row.texts) for row in rows)
    padded = [row.texts + [""] * (width - len(row.texts)) for row in rows]
    filled = [place for place in range(width) if any(row[place].strip() for row in padded)]
    header, *cells = ([row[place] for place in filled] for row in padded)
    columns = unique_columns(header)
    repeated = [row.number for row, texts in zip(rows[1:], cells, strict=True) if texts == header]
    warning = (
        f"Rows that repeat the header: {len(repeated):,}, the first is row {repeated[0]}; they "
        "were skipped."
        if repeated
        else ""
    )
    kept = [dict(zip(columns, texts, strict=True)) for texts in cells if texts != header]
    grid = Grid(columns, kept, (warning,) if warning else ())
    return grid, dict(zip(filled, columns, strict=True))


def _formulas_without_value(
    content: bytes, title: str, empty: set[tuple[int, int]]
) -> dict[int, int]:
    """How many of the empty cells are formulas, by the place of their column."""
    if not empty:
        return {}
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(content), read_only=True)
    found: dict[int, int] = {}
    try:
        sheet = workbook[title]
        sheet.reset_dimensions()
        for cells in sheet.iter_rows():
            for place, cell in enumerate(cells):
                if cell.data_type == "f" and (cell.row, cell.column) in empty:
                    found[place] = found.get(place, 0) + 1
    finally:
        workbook.close()
    return found


def _about_rows(hidden: Sequence[int], *, left_out: bool) -> list[str]:
    if not hidden:
        return []
    what = (
        "they were not read: show them and save the file to import them"
        if left_out
        else "they were read, for there are no others"
    )
    count = f"{len(hidden):,}, the first is row {hidden[0]}"
    return [f"Hidden rows, as a filter leaves them: {count}; {what}."]


def _about_cells(
    findings: Findings, formulas: dict[int, int], columns: dict[int, str]
) -> list[str]:
    def names(places: dict[int, int] | dict[int, str]) -> str:
        known = (columns.get(place, f"column {place + 1}") for place in sorted(places))
        return ", ".join(f'"{name}"' for name in known)

    warnings = []
    if formulas:
        warnings.append(
            f"Formulas without a stored value: {sum(formulas.values()):,}, in {names(formulas)}; "
            "they count as empty: open and save the file in Excel, then import it again."
        )
    if findings.errors:
        count = sum(findings.errors.values())
        warnings.append(
            f"Cells with an error such as #N/A: {count:,}, in {names(findings.errors)}; they "
            "count as empty."
        )
    if findings.formats:
        formats = ", ".join(dict.fromkeys(findings.formats.values()))
        warnings.append(
            f"Number formats that are not understood here, or differ between computers: {formats}, "
            f"in {names(findings.formats)}; plain values were read there, dates as YYYY-MM-DD."
        )
    return warnings


_DAMAGED_XLSX = (
    zipfile.BadZipFile, zlib.error, ParseError, OSError, EOFError, KeyError, IndexError,
    ValueError, TypeError, AttributeError, NotImplementedError,
)  # fmt: skip
"""What openpyxl raises when a part of the file is missing or mangled."""

_VISIBLE = "visible"


def read_workbook(content: bytes, name: str, chosen: str | None, fits: Fits) -> Grid:
    """A sheet's columns and rows, cells as the sheet shows them; formulas with their last value.

    Args:
        content: The file's bytes.
        name: The file's name, for messages.
        chosen: The sheet's name; None takes the first visible one that fits, else the first
            visible one with rows, and a hidden one only where no visible one has any.
        fits: Whether a grid looks as if it has queries and answers.

    Raises:
        InvalidInput: The file is not an Excel workbook, is damaged, or has no such sheet.
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
                return _read(workbook.worksheets, content, name, chosen, fits)
            finally:
                workbook.close()
    except (*_DAMAGED_XLSX, InvalidFileException) as error:
        raise InvalidInput(
            f"{name} cannot be read as an Excel workbook: it is damaged or something else; save "
            "it again as .xlsx."
        ) from error


def _read(sheets: Sequence[Any], content: bytes, name: str, chosen: str | None, fits: Fits) -> Grid:
    if chosen is not None:
        grid = read_sheet(_named(sheets, chosen, name), content, fits)
    else:
        grid = _best([sheet for sheet in sheets if _is_visible(sheet)], content, fits)
        if not grid.columns:
            grid = _best([sheet for sheet in sheets if not _is_visible(sheet)], content, fits)
            if grid.columns:
                warning = f'No visible sheet has rows: the hidden sheet "{grid.sheet}" was read.'
                grid = grid._replace(warnings=(warning, *grid.warnings))
    others = [sheet for sheet in sheets if sheet.title != grid.sheet and has_rows(sheet)]
    if not others:
        return grid
    listed = ", ".join(
        f'"{sheet.title}"{"" if _is_visible(sheet) else " (hidden)"}' for sheet in others
    )
    warning = f'Only the sheet "{grid.sheet}" was read; not read: {listed}.'
    return grid._replace(
        warnings=(warning, *grid.warnings), other_sheets=tuple(sheet.title for sheet in others)
    )


def _best(sheets: Sequence[Any], content: bytes, fits: Fits) -> Grid:
    """The grid of the first sheet that fits, else of the first with rows, else with a header."""
    grids: list[Grid] = []
    for sheet in sheets:
        grid = read_sheet(sheet, content, fits)
        if grid.rows and fits(grid):
            return grid
        grids.append(grid)
    with_rows = (grid for grid in grids if grid.rows)
    with_header = (grid for grid in grids if grid.columns)
    return next(with_rows, None) or next(with_header, None) or Grid([], [])


def _named(sheets: Sequence[Any], chosen: str, name: str) -> Any:
    folded = [sheet for sheet in sheets if sheet.title.strip().lower() == chosen.strip().lower()]
    exact = [sheet for sheet in folded if sheet.title == chosen]
    if not folded:
        titles = ", ".join(f'"{sheet.title}"' for sheet in sheets)
        raise InvalidInput(
            f'There is no sheet "{" ".join(chosen.split())[:60]}" in {name}: choose one of '
            f"{titles}."
        )
    return (exact or folded)[0]


def _is_visible(sheet: Any) -> bool:
    return bool(sheet.sheet_state == _VISIBLE)
