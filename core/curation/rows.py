"""One row of a table: a query, its answers, which of them is best, and its state."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..demonstration.demonstration import (
    COLUMNS,
    Draft,
    IncorrectAnswer,
    Kind,
    Status,
    distinct,
    incorrect_answers,
)
from ..demonstration.fields import FIELD, Value
from ..errors import InvalidInput
from ..text import is_blank, same_text, short
from .files.cells import labelled_in, listed_in, text_of, texts_of, written_list
from .files.shapes.written import writes_an_object
from .files.tables import FileTable
from .mapping import LINE_END, WHOLE, Mapping

_WORDS = {
    Status.INCLUDED: (
        "included", "include", "accept", "accepted", "approve", "approved", "submitted",
        "completed", "validated", "keep",
    ),
    Status.EXCLUDED: (
        "excluded", "exclude", "reject", "rejected", "discard", "discarded", "ignore", "ignored",
        "skip", "skipped", "pending", "draft",
    ),
    Status.PINNED: ("pinned",),
}  # fmt: skip
_STATUS_OF = {word: status for status, words in _WORDS.items() for word in words}


def status_of(text: str) -> Status | None:
    """The status that a word means, an empty one included; None when it is no such word."""
    word = text.strip().casefold()
    return _STATUS_OF.get(word) if word else Status.INCLUDED


def are_statuses(texts: Iterable[str]) -> bool:
    """Whether every text is such a word or empty, and at least one is not empty."""
    words = {text.strip().casefold() for text in texts} - {""}
    return bool(words) and all(word in _STATUS_OF for word in words)


EMPTY_QUERY = "empty query"
EMPTY_ANSWER = "empty answer"
EMPTY_INCORRECT = "empty incorrect answer"
DOUBLE_INCORRECT = "double incorrect answer"

_FORMATS_WITHOUT_LISTS = {"truthfulqa", "csv", "tsv", "xlsx"}
"""Their lists are written out in cells, as JSON arrays or as programs print them."""

_YES = {"true", "yes", "1"}
_NO = {"false", "no", "0", ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """The values of one row, as they are written.

    `status_as` is the word that it gives its status; `plain` are its values of the fields `PLAIN`.
    """

    query: str
    answers: list[str]
    best: str | None
    incorrect: tuple[IncorrectAnswer, ...]
    status: Status
    status_as: str
    plain: dict[str, Value]

    def draft(self, answer: str, *, best: bool) -> Draft:
        """The demonstration with one of its answers."""
        plain: Any = self.plain
        return Draft(self.query, answer, self.incorrect, best=best, status=self.status, **plain)


@dataclass(frozen=True, slots=True)
class RowAnswers:
    """The candidates of a row: those that answer its query, and the others."""

    answers: list[str]
    incorrect: list[str]


class _AnswerCount:
    """How many cells of each column are of a kind, however often the rows are gone through."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def note(self, column: str, number: int) -> None:
        """Count the cell of row `number`, unless an earlier pass over the rows has."""
        if number > self._last.get(column, 0):
            self._last[column] = number
            self.counts[column] = self.counts.get(column, 0) + 1


class CellReader:
    """Reads the cells of one row after the other; a cell that cannot be read is named.

    `go_to` chooses the row; rows count from 1.
    """

    def __init__(self, table: FileTable, mapping: Mapping) -> None:
        self._table = table
        self._split = "\n" if mapping.split == LINE_END else mapping.split or None
        self._split_in = mapping.split_in
        self._arrays = table.format in _FORMATS_WITHOUT_LISTS and mapping.split != WHOLE
        self._empty = frozenset(mapping.empty)
        self._strip = mapping.strip
        self._lists = _AnswerCount()
        self._objects = _AnswerCount()
        self.go_to(1)

    def go_to(self, number: int) -> None:
        """Read from this row."""
        self._number = number
        self._values = self._table.rows[number - 1]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._table.rows)

    @property
    def read_as_lists(self) -> dict[str, int]:
        """How many cells of each column were text and read as a list that is written out."""
        return self._lists.counts

    @property
    def kept_objects(self) -> dict[str, int]:
        """How many cells of each column write out an object and stayed the text that they are."""
        return self._objects.counts

    @property
    def name(self) -> str:
        """The row's name in messages."""
        return f"{self._table.name or 'the table'}: row {self._number}"

    def text(self, column: str | None) -> str:
        """The cell as one text, including white space; empty without a column."""
        if column is None:
            return ""
        value = self._values.get(column)
        if self._arrays and writes_an_object(value):
            self._objects.note(column, self._number)
        try:
            return self._cleaned(text_of(value))
        except ValueError as error:
            raise self._unreadable(column, error) from error

    def texts(self, columns: tuple[str, ...]) -> list[str]:
        """All texts of the columns as they are written; blank ones are empty."""
        found: list[str] = []
        for column in columns:
            value = self._values.get(column)
            written = written_list(value) if self._arrays and isinstance(value, str) else None
            if written is not None:
                self._lists.note(column, self._number)
                value = written
            elif self._arrays and writes_an_object(value):
                self._objects.note(column, self._number)
            try:
                found += texts_of(value, split=self._split_of(column))
            except ValueError as error:
                raise self._unreadable(column, error) from error
        return ["" if is_blank(text) else self._cleaned(text) for text in found]

    def joined(self, columns: tuple[str, ...]) -> str:
        """The texts of the columns that are not blank, a line each."""
        parts = (self.text(column) for column in columns)
        return "\n".join(part for part in parts if not is_blank(part))

    def _split_of(self, column: str) -> str | None:
        return self._split if not self._split_in or column in self._split_in else None

    def _cleaned(self, text: str) -> str:
        """The text as the mapping wants it: empty for a word that stands for nothing."""
        if not self._empty and not self._strip:
            return text
        bare = text.strip()
        return "" if bare in self._empty else bare if self._strip else text

    def labelled(self, column: str) -> list[tuple[str, str]]:
        """The label and the text of each option in the cell; a label is empty where it has none."""
        try:
            split = self._split_of(column)
            found = labelled_in(self._values.get(column), split=split, arrays=self._arrays)
            return [(label, self._cleaned(text)) for label, text in found]
        except ValueError as error:
            raise self._unreadable(column, error) from error

    def is_list(self, columns: tuple[str, ...]) -> bool:
        """Whether the columns are meant to have several texts."""
        cell = self._values.get(columns[0])
        listed = listed_in(cell, split=self._split_of(columns[0]), arrays=self._arrays)
        return len(columns) > 1 or listed is not None

    def _unreadable(self, column: str, error: ValueError) -> InvalidInput:
        return InvalidInput(
            f'{self.name} contains {error} in column "{short(column)}"; choose another column or '
            "change the file."
        )


def read_row(
    cells: CellReader, mapping: Mapping, dropped: Counter[str], chosen: RowAnswers | None = None
) -> TableRow | None:
    """The row, or None when it lacks a query or any answer; what is dropped is counted.

    Where options are judged, `chosen` are its answers, or its incorrect ones alone; otherwise they
    are in the cells.

    Raises:
        InvalidInput: A cell cannot be read as the field to which it is mapped.
    """
    query = cells.joined(mapping.query)
    if chosen is not None:
        given = chosen.answers
    elif mapping.joined:
        given = [cells.joined(mapping.answer)]
    else:
        given = cells.texts(mapping.answer)
    best = _named_best(cells, mapping, given)
    answers = [answer for answer in given if answer]
    if best and _in_words_of(answers, best) is None:
        answers.insert(0, best)
    if is_blank(query):
        dropped[EMPTY_QUERY] += 1
        return None
    only_incorrect = chosen is not None and not answers and bool(chosen.incorrect)
    dropped[EMPTY_ANSWER] += given.count("") or (0 if answers or only_incorrect else 1)
    if not answers and not only_incorrect:
        return None
    status_as = cells.text(mapping.status).strip()
    return TableRow(
        query=query,
        answers=answers,
        best=best,
        incorrect=_distinct_incorrect(cells, mapping, dropped, chosen),
        status=_status(cells, status_as),
        status_as=status_as,
        plain={name: _plain_value(cells, name, columns) for name, columns in mapping.plain},
    )


def _plain_value(cells: CellReader, name: str, columns: tuple[str, ...]) -> Value:
    if FIELD[name].kind is Kind.TEXT:
        return cells.text(columns[0])
    return tuple(dict.fromkeys(text.strip() for text in cells.texts(columns) if text))


def _named_best(cells: CellReader, mapping: Mapping, answers: list[str]) -> str | None:
    """The best of the answers: named by its text, by true on its row, or the first of a list."""
    first = next((answer for answer in answers if answer), None)
    best = cells.text(mapping.best)
    flag = best.strip().lower()
    named = _in_words_of(answers, best) if flag else None
    if cells.is_list(mapping.answer) and not mapping.joined:
        if named is not None:
            return named
        if not flag:
            return first
    if flag in _YES:
        return first
    if flag in _NO:
        return None
    if flag.isdigit() and named is None:
        raise InvalidInput(
            f'{cells.name} has "{short(best)}" in column "{mapping.best}", which is none of its '
            "answers: best is the text of one, or true on the row of the best."
        )
    return best if named is None else named


def _in_words_of(answers: list[str], text: str) -> str | None:
    """The answer that is the same text, in its own spelling; None where there is none."""
    key = same_text(text)
    return next((answer for answer in answers if same_text(answer) == key), None)


def _distinct_incorrect(
    cells: CellReader, mapping: Mapping, dropped: Counter[str], chosen: RowAnswers | None
) -> tuple[IncorrectAnswer, ...]:
    try:
        given = incorrect_answers(*(cells.texts(getattr(mapping, column)) for column in COLUMNS))
    except InvalidInput as error:
        raise InvalidInput(f"{cells.name}: {error}") from error
    if chosen is not None:
        given = (*incorrect_answers(chosen.incorrect), *given)
    filled = sum(bool(answer.text) for answer in given)
    kept = distinct(given)
    dropped[EMPTY_INCORRECT] += len(given) - filled
    dropped[DOUBLE_INCORRECT] += filled - len(kept)
    return kept


def _status(cells: CellReader, word: str) -> Status:
    status = status_of(word)
    if status is None:
        raise InvalidInput(
            f'{cells.name} has the status "{short(word)}": allowed are {", ".join(Status)}, an '
            "annotator's accept, reject, ignore, submitted, discarded or pending, or nothing."
        )
    return status
