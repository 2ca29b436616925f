"""A workbook to columns and rows: which of its sheets is read."""

import contextlib
import io
import sys
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import ParseError

from ....errors import InvalidInput
from ..grid import Fits, Grid
from .sheets import has_rows, read_sheet

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
