"""Where the header of a table is: on its first line, below lines of a title, or nowhere."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from ...errors import InvalidInput
from ...text import short
from .grid import Fits, Grid, plain

MOST_TITLES = 10
"""The header is looked for below at most so many lines."""
_SAMPLE = 65_536
_FEWEST_WORDS = 4
_ROWS = 20
_ASKED = {"question", "questions", "query", "prompt", "instruction"}
_ANSWERED = {"answer", "answers", "response", "reply", "solution", "completion"}
_NUMBER = re.compile(r"(?=.*\d)(?:[\s\d.,:/+-]|[ap]m|gmt|utc|t(?=\d)|z)+", re.IGNORECASE)
"""A number, a date or a time, however it is written."""


def with_header(text: str, fits: Fits, read: Callable[[str], Grid]) -> Grid:
    """The grid of delimited text, under the first of its first lines that names a query and answer.

    Where no line does and the first one looks like a row, the columns are numbered.

    Args:
        text: The file's text.
        fits: Whether a grid looks as if it has queries and answers.
        read: Reads a text whose first line is the header.

    Raises:
        InvalidInput: The text cannot be read as a table with its first line as the header, nor
            below.
    """
    try:
        grid, problem = read(text), None
    except InvalidInput as error:
        grid, problem = Grid([], []), error
    if problem is None and (not grid.rows or fits_in_part(grid, fits)):
        return grid
    for number, place in enumerate(_line_ends(text), start=1):
        sample = text[place : place + _SAMPLE]
        sample = sample if len(text) - place <= _SAMPLE else sample.rpartition("\n")[0]
        try:
            if fits(part := read(sample)) and part.rows:
                found = read(text[place:])
                titles = about_titles(number, text.partition("\n")[0])
                return found._replace(warnings=(titles, *found.warnings))
        except InvalidInput:
            continue
    if problem is not None:
        raise problem
    if not begins_with_a_row(grid):
        return grid
    delimiter = grid.delimiter or ","
    names = delimiter.join(numbered(len(grid.columns)))
    numbered_grid = read(f"{names}\n{text}")
    return numbered_grid._replace(warnings=(WITHOUT_HEADER, *numbered_grid.warnings))


WITHOUT_HEADER = (
    "The first line looks like a row and not like a header: it was read as one, and the columns "
    "are numbered."
)


def numbered(count: int) -> list[str]:
    """Names for so many columns that have none."""
    return [f"column {number}" for number in range(1, count + 1)]


def about_titles(count: int, first: str) -> str:
    """What to say about the lines above the header."""
    title = short(first.strip(",;\t |"))  # a spreadsheet ends the line with its empty cells
    return f'Lines above the header: {count:,}, the first is "{title}"; they were skipped.'


def fits_in_part(grid: Grid, fits: Fits) -> bool:
    """Whether the first rows of a grid fit."""
    return fits(grid._replace(rows=grid.rows[:1000]))


def begins_with_a_row(grid: Grid) -> bool:
    """Whether the header of a grid is a row like those below, and so no header.

    It is where its cells are sentences rather than names. The sentences of a survey are names all
    the same: each is a question, one speaks of a question and another of an answer, or one stands
    above numbers or dates.
    """
    header = grid.columns
    sentences = sum(
        len(cell.split()) >= _FEWEST_WORDS or cell.rstrip().endswith(("?", ".", "!"))
        for cell in header
    )
    if len(header) < 2 or 2 * sentences < len(header):
        return False
    words = [set(plain(cell).split("_")) for cell in header]
    asked, answered = ([bool(each & some) for each in words] for some in (_ASKED, _ANSWERED))
    speaks_of_both = any(asked) and any(answered) and sum(map(max, asked, answered)) > 1
    all_questions = all(cell.rstrip().endswith("?") for cell in header)
    return not (all_questions or speaks_of_both or any(_is_above_numbers(grid, c) for c in header))


def _is_above_numbers(grid: Grid, column: str) -> bool:
    """Whether a name that is no number or date has only such below it, in the first rows."""
    cells = [str(row.get(column) or "") for row in grid.rows[:_ROWS]]
    below = [bool(_NUMBER.fullmatch(cell)) for cell in cells if cell.strip()]
    return bool(below) and all(below) and not _NUMBER.fullmatch(column)


def _line_ends(text: str) -> Iterator[int]:
    """Where the second line of the text begins, and those after it."""
    return (end.end() for end in islice(re.finditer(r"\r\n?|\n", text), MOST_TITLES))
