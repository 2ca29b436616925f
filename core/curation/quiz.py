"""Quizzes: an answer that is the letter, the number or the text of one of its row's options."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ..errors import InvalidInput
from ..text import normalised, short
from .files.tables import commas
from .mapping import Mapping
from .rows import CellReader, Chosen

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Key(StrEnum):
    """How the answers of a quiz identify the option."""

    LABEL = "label"
    """The option's own label: the letter or number of its column, or the one beside its text."""
    TEXT = "text"
    """The option's text."""
    LETTER = "letter"
    """A for the first option, B for the second."""
    POSITION = "position"
    """A number, from 0 or from 1."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a row; without a label its label is empty."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Quiz:
    """How the answers of a table name its options: the same way in every row.

    Attributes:
        key: How they identify it.
        first: The number of the first option, where they are positions.
        rows: In how many rows they name one.
    """

    key: Key
    first: int
    rows: int

    def choose(self, cells: CellReader, mapping: Mapping) -> Chosen:
        """The options of the row that its answers name, and the others; a row may lack both."""
        options = options_of(cells, mapping)
        found = [self.find(key, options) for key in _keys(cells, mapping)]
        places = dict.fromkeys(place for place in found if place is not None)
        others = [each.text for place, each in enumerate(options) if place not in places]
        return Chosen([options[place].text for place in places], others)

    def find(self, key: str, options: list[Option]) -> int | None:
        """The place of the option that the key names."""
        names = list(self._names(options))
        place = names.index(_plain(key)) if _plain(key) in names else None
        if place is None and self.key is Key.LABEL:  # one row may write its answer out
            texts = [normalised(each.text) for each in options]
            place = texts.index(normalised(key)) if normalised(key) in texts else None
        return place

    def _names(self, options: list[Option]) -> Iterator[str]:
        for place, option in enumerate(options):
            match self.key:
                case Key.LABEL:
                    yield _plain(option.label)
                case Key.TEXT:
                    yield _plain(option.text)
                case Key.LETTER:
                    yield LETTERS[place].casefold() if place < len(LETTERS) else ""
                case Key.POSITION:
                    yield str(place + self.first)


def find_quiz(cells: CellReader, mapping: Mapping) -> Quiz:
    """How the answers of the table name the options that the mapping names.

    Raises:
        InvalidInput: They do not, in any one way; or they are numbers that could count from 0 and
            from 1.
    """
    found = possible_quizzes(cells, mapping)
    if not found:
        raise _names_none(cells, mapping, list(_keyed_rows(cells, mapping)))
    if len(found) > 1:
        raise InvalidInput(
            f'The answers in "{commas(mapping.answer)}" are numbers, and whether they count the '
            f'options in "{commas(mapping.options)}" from 0 or from 1 cannot be seen from them: '
            "write first=0 or first=1 into the mapping."
        )
    return found[0]


def possible_quizzes(cells: CellReader, mapping: Mapping) -> list[Quiz]:
    """Each way in which the answers of every row name its options.

    Empty where no way fits every row; two where numbers could count from 0 and from 1.
    """
    rows = list(_keyed_rows(cells, mapping))
    if not rows:
        return []
    named = [Quiz(key, 0, len(rows)) for key in (Key.LABEL, Key.TEXT, Key.LETTER)]
    firsts = (0, 1) if mapping.first is None else (mapping.first,)
    numbered = [Quiz(Key.POSITION, first, len(rows)) for first in firsts]
    fitting = [
        [quiz for quiz in quizzes if all(_names_all(quiz, row) for row in rows)]
        for quizzes in (named[:1], named[1:2], named[2:], numbered)
    ]
    return next(filter(None, fitting), [])


def has_choices(cells: CellReader, mapping: Mapping) -> bool:
    """Whether some row has several options to choose from."""
    return any(len(row.options) > 1 for row in _keyed_rows(cells, mapping))


def options_of(cells: CellReader, mapping: Mapping) -> list[Option]:
    """The options of the row, without the empty ones after the last."""
    if len(mapping.options) > 1:
        options = [Option(label_of(column), cells.text(column)) for column in mapping.options]
    else:
        options = [Option(*pair) for pair in cells.labelled(mapping.options[0])]
    while options and not options[-1].text.strip():
        options.pop()
    return options


def label_of(column: str) -> str:
    """The letter or number at the end of an option's column; empty where there is none."""
    found = re.search(r"(?:^|[\W_]|(?<=[a-z]))([A-Za-z]|\d+)$", column.strip())
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class _KeyedRow:
    """The keys and options of a row that has both."""

    number: int
    keys: list[str]
    options: list[Option]


def _keyed_rows(cells: CellReader, mapping: Mapping) -> Iterator[_KeyedRow]:
    for number in range(1, cells.count + 1):
        cells.go_to(number)
        keys = _keys(cells, mapping)
        options = options_of(cells, mapping)
        if keys and options:
            yield _KeyedRow(number, keys, options)


def _keys(cells: CellReader, mapping: Mapping) -> list[str]:
    return [key for key in cells.texts(mapping.answer) if key.strip()]


def _names_all(quiz: Quiz, row: _KeyedRow) -> bool:
    return all(quiz.find(key, row.options) is not None for key in row.keys)


def _plain(text: str) -> str:
    """A label or a text for comparing: `b`, `B.`, `(B)` and `B)` are one."""
    bare = re.fullmatch(r"\(?\s*(\w+)\s*[.):]?", text.strip())
    return normalised(bare[1] if bare else text)


def _names_none(cells: CellReader, mapping: Mapping, rows: list[_KeyedRow]) -> InvalidInput:
    """The complaint about the first row whose answer is neither label, text nor position."""
    columns = f'"{commas(mapping.options)}"'
    for row in rows:
        for key in row.keys:
            quizzes = (Quiz(kind, first, 0) for kind in Key for first in (0, 1))
            if all(quiz.find(key, row.options) is None for quiz in quizzes):
                cells.go_to(row.number)
                texts = commas([each.text for each in row.options], 8)
                return InvalidInput(
                    f'{cells.name} has the answer "{short(key)}", which names none of its options '
                    f"({texts}): choose other columns for answer and options."
                )
    return InvalidInput(
        f'The answers in "{commas(mapping.answer)}" name the options in {columns} in no one way '
        "(label, text, letter or position): choose other columns for answer and options."
    )
