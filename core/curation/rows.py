"""What one row of a table says about a query: its answers, cleaned, and which of them is best."""

from collections import Counter
from dataclasses import dataclass

from ..errors import InvalidInput
from ..incorrect import COLUMNS, distinct, incorrect_answers
from ..text import is_blank
from ..types import IncorrectAnswer, Status
from .files.cells import listed_in, text_of, texts_of
from .files.tables import Table, short
from .mapping import Mapping

EMPTY_QUERY = "empty query"
EMPTY_ANSWER = "empty answer"
EMPTY_INCORRECT = "empty incorrect answer"
DOUBLE_INCORRECT = "double incorrect answer"

_FORMATS_WITHOUT_LISTS = {"truthfulqa", "csv", "tsv", "xlsx", "parquet"}
"""Their lists are JSON arrays written out; parquet may have either."""

_YES = {"true", "yes", "1"}
_NO = {"false", "no", "0", ""}


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says, cleaned."""

    query: str
    answers: list[str]
    best: str | None
    incorrect: tuple[IncorrectAnswer, ...]
    tags: tuple[str, ...]
    status: Status
    note: str


class CellReader:
    """Reads the cells of one row after the other; a cell that cannot be read is named.

    `turn_to` says which row; rows count from 1.
    """

    def __init__(self, table: Table, split: str | None) -> None:
        self._table = table
        self._split = split
        self._arrays = table.format in _FORMATS_WITHOUT_LISTS
        self.turn_to(1)

    def turn_to(self, number: int) -> None:
        """Read from this row now."""
        self._number = number
        self._values = self._table.rows[number - 1]

    @property
    def name(self) -> str:
        """What a message calls the row."""
        return f"{self._table.name or 'the table'}: row {self._number}"

    def text(self, column: str | None) -> str:
        """The cell as one text, white space and all; empty without a column."""
        if column is None:
            return ""
        try:
            return text_of(self._values.get(column))
        except ValueError as error:
            raise self._unreadable(column, error) from error

    def texts(self, columns: tuple[str, ...]) -> list[str]:
        """All texts of the columns, stripped, empty ones included."""
        found: list[str] = []
        for column in columns:
            try:
                found += texts_of(self._values.get(column), split=self._split, arrays=self._arrays)
            except ValueError as error:
                raise self._unreadable(column, error) from error
        return ["" if is_blank(text) else text.strip() for text in found]

    def is_list(self, columns: tuple[str, ...]) -> bool:
        """Whether the columns are made to hold several texts."""
        cell = self._values.get(columns[0])
        listed = listed_in(cell, split=self._split, arrays=self._arrays)
        return len(columns) > 1 or listed is not None

    def _unreadable(self, column: str, error: ValueError) -> InvalidInput:
        return InvalidInput(
            f'{self.name} holds {error} in column "{short(column)}"; choose another column or '
            "change the file."
        )


def read_row(cells: CellReader, mapping: Mapping, dropped: Counter[str]) -> Row | None:
    """The row, or None when it lacks a query or any answer; what is dropped is counted.

    Raises:
        InvalidInput: A cell cannot be read as what the mapping says it is.
    """
    query = cells.text(mapping.query).strip()
    given = cells.texts(mapping.answer)
    best = _named_best(cells, mapping, given)
    answers = [answer for answer in given if answer]
    if best and best not in answers:
        answers.insert(0, best)
    if is_blank(query):
        dropped[EMPTY_QUERY] += 1
        return None
    dropped[EMPTY_ANSWER] += given.count("") or (0 if answers else 1)
    if not answers:
        return None
    return Row(
        query=query,
        answers=answers,
        best=best,
        incorrect=_distinct_incorrect(cells, mapping, dropped),
        tags=tuple(dict.fromkeys(tag for tag in cells.texts(mapping.tags) if tag)),
        status=_status(cells, mapping.status),
        note=cells.text(mapping.note),
    )


def _named_best(cells: CellReader, mapping: Mapping, answers: list[str]) -> str | None:
    """The best of the answers: named by its text, by true on its row, or the first of a list."""
    first = next((answer for answer in answers if answer), None)
    said = cells.text(mapping.best).strip()
    flag = said.lower()
    if cells.is_list(mapping.answer):
        if said in answers and said:
            return said
        if not said:
            return first
    if flag in _YES:
        return first
    if flag in _NO:
        return None
    if said.isdigit() and said not in answers:
        raise InvalidInput(
            f'{cells.name} says "{short(said)}" in column "{mapping.best}", which is none of its '
            "answers: best is the text of one, or true on the row of the best."
        )
    return said


def _distinct_incorrect(
    cells: CellReader, mapping: Mapping, dropped: Counter[str]
) -> tuple[IncorrectAnswer, ...]:
    try:
        given = incorrect_answers(*(cells.texts(getattr(mapping, column)) for column in COLUMNS))
    except InvalidInput as error:
        raise InvalidInput(f"{cells.name}: {error}") from error
    filled = sum(bool(answer.text) for answer in given)
    kept = distinct(given)
    dropped[EMPTY_INCORRECT] += len(given) - filled
    dropped[DOUBLE_INCORRECT] += filled - len(kept)
    return kept


def _status(cells: CellReader, column: str | None) -> Status:
    said = cells.text(column).strip().lower()
    try:
        return Status(said) if said else Status.INCLUDED
    except ValueError as error:
        raise InvalidInput(
            f'{cells.name} has the status "{short(said)}": allowed are {" and ".join(Status)}, '
            "or leave it empty."
        ) from error
