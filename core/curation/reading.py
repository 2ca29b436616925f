"""A file as a table, read in the way that gives it queries and answers."""

import os

from ..errors import InvalidInput
from .candidates.questions import Unclear
from .files.grid import Grid
from .files.tables import Choices, Table, table_in
from .guess import guess_mapping


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
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

    Raises:
        InvalidInput: The file is missing, empty, damaged, not of the format, or has no rows; what
            was chosen is unknown, is not the file's, or does not belong to the format.
    """
    choices = Choices(encoding, delimiter, sheet, _has_queries_and_answers)
    return table_in(path, choices, format=format)


def _has_queries_and_answers(grid: Grid) -> bool:
    try:
        guess_mapping(Table(grid.columns, grid.rows, "", ""))
    except Unclear:
        return True  # they are there, and only which of them are right is asked
    except InvalidInput:
        return False
    return True
