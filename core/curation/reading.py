"""A file as a table, read in the way that gives it queries and answers."""

import os

from ..errors import InvalidInput
from .candidates.questions import Unclear
from .files.grid import Grid
from .files.tables import Choices, Table, table_in
from .guess import guess_mapping
from .mapping import Mapping, checked_mapping, parse_mapping


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    mapping: Mapping | str | None = None,
) -> Table:
    """The table in a file; text stays text ("NA", "007" and "True" are words, not values).

    Args:
        path: The file; text formats may be gzipped.
        format: One of `FORMATS`; None takes it from the file's name, TruthfulQA from the columns
            of a csv file, and `sent-conv` from the lines of a file with no known extension.
        encoding: The encoding of a text file; None takes its mark, UTF-8, or a guess.
        delimiter: What separates the cells of a csv or tsv file: a letter, or one of comma,
            semicolon, tab and pipe; None takes the one that makes its rows equally long.
        sheet: The sheet of a workbook; None takes the first visible one whose columns fit, else
            the first visible one with rows.
        mapping: Which column is what, where that is known: the table has these columns wherever a
            reading of the file has them.

    Raises:
        InvalidInput: The file is missing, empty, damaged, not of the format, or has no rows; what
            was chosen is unknown, is not the file's, or does not belong to the format.
    """

    def fits(grid: Grid) -> bool:
        return _has_columns(grid, mapping) or _has_queries_and_answers(grid)

    return table_in(path, Choices(encoding, delimiter, sheet, fits), format=format)


def chosen_mapping(table: Table, mapping: Mapping | str | None) -> Mapping:
    """The mapping as it was written or given, or a guessed one where there is none.

    Raises:
        InvalidInput: It does not go with the table, or nothing can be guessed.
    """
    if mapping is None:
        return guess_mapping(table)
    if isinstance(mapping, str):
        return parse_mapping(mapping, table)
    return checked_mapping(mapping, table)


def _has_columns(grid: Grid, mapping: Mapping | str | None) -> bool:
    try:
        return mapping is not None and bool(chosen_mapping(_table(grid), mapping))
    except InvalidInput:
        return False


def _has_queries_and_answers(grid: Grid) -> bool:
    try:
        guess_mapping(_table(grid))
    except Unclear:
        return True  # they are there, and only which of them are right is asked
    except InvalidInput:
        return False
    return True


def _table(grid: Grid) -> Table:
    return Table(grid.columns, grid.rows, "", "")
