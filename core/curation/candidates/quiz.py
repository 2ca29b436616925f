"""Which candidates of each row are right, as the values beside them say.

The one rule: a value beside candidates is a key that names some of them (by label, letter, position
or text), or there are as many values as candidates, and each judges its own. What names or judges
nothing is left out with its row, by name; what could be read in two ways is asked about.
"""

import re
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Lookup
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ...errors import InvalidInput
from ...text import listed, same_text, short
from ..files.tables import commas
from ..mapping import Mapping
from ..rows import CellReader, RowAnswers
from .keys import (
    Find,
    Option,
    Places,
    by_label,
    by_letter,
    by_position,
    by_text,
    options_of,
    places_of,
)
from .verdicts import (
    Extreme,
    Right,
    is_score,
    number_in,
    parse_right,
    plain_value,
    verdict_of,
)


class Key(StrEnum):
    """How the values beside the options say which of them are right."""

    LABEL = "label"
    """The option's own label: the letter or number of its column, or the one beside its text."""
    TEXT = "text"
    """The option's text."""
    LETTER = "letter"
    """A for the first option, B for the second."""
    POSITION = "position"
    """A number, from 0 or from 1."""
    FLAG = "flag"
    """A value for each of them, which says right or wrong."""
    NUMBER = "number"
    """A number for each of them, of which the mapping says what is right."""


class Unfit(StrEnum):
    """Why a row with candidates has no right one."""

    NO_OPTION = "their answers name none of their options"
    NO_KEY = "nothing is beside their options"
    NO_VERDICT = "what is beside their options does not say which are right"
    NONE_RIGHT = "none of their options is right"
    TIE = "their options are level"


@dataclass(frozen=True, slots=True)
class RowLeftOut:
    """A row that was left out, by its number from 1, with what is beside its options, and why."""

    row: int
    value: str
    why: Unfit


@dataclass(frozen=True, slots=True)
class Quiz:
    """How the values of a table say which options are right: the same way in every row.

    Attributes:
        key: How they do.
        first: The number of the first option, where they are positions.
        rows: In how many rows they do.
        left_out: The rows in which they do not.
    """

    key: Key
    first: int
    rows: int
    left_out: tuple[RowLeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class QuizResult:
    """A quiz, and for each row by its number its right options and the others."""

    quiz: Quiz
    chosen: Lookup[int, RowAnswers]


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The options of a row, and the values beside them, which may be missing."""

    number: int
    query: str
    values: list[str]
    options: list[Option]

    @property
    def keys(self) -> list[str]:
        """The values that are not empty."""
        return [value for value in self.values if value.strip()]

    @property
    def written(self) -> str:
        """The same in one text."""
        return ", ".join(self.keys)


_Read: TypeAlias = Callable[[JudgedRow], Places | None]


@dataclass(frozen=True, slots=True)
class JudgingWay:
    """One way to read the values.

    Attributes:
        key: What the values are.
        first: The number of the first option, where they are positions.
        found: The right options of the rows that it fits, by the rows' numbers.
        rows: How many rows have options and values.
    """

    key: Key
    first: int
    found: dict[int, Places]
    rows: int


def judge(cells: CellReader, mapping: Mapping) -> QuizResult:
    """The right options of every row.

    Raises:
        InvalidInput: The values say it in no way for at least half of the rows; or in two ways that
            differ.
    """
    every = list(rows_in(cells, mapping))
    rows = [row for row in every if row.keys]
    ways = _fitting(rows, mapping)
    if not ways:
        raise _fits_none(cells, mapping, rows)
    if len(ways) > 1:
        raise _ambiguous(mapping, ways)
    (way,) = ways
    chosen = {row.number: _chosen(row, way.found.get(row.number, ())) for row in rows}
    missing = [RowLeftOut(row.number, "", Unfit.NO_KEY) for row in every if not row.keys]
    unfit = [*missing, *_left_out(rows, way, chosen, mapping)]
    left_out = tuple(sorted(unfit, key=lambda each: each.row))
    quiz = Quiz(way.key, way.first, len(way.found), left_out)
    for each in left_out:
        if each.why is not Unfit.NONE_RIGHT:
            chosen[each.row] = RowAnswers([], [])
    return QuizResult(quiz, chosen)


def ways_to_judge(cells: CellReader, mapping: Mapping, share: float) -> list[JudgingWay]:
    """The way in which the values can be read; several where the file leaves it open.

    Empty where no way fits at least this share of the rows, and where no row has a choice.
    """
    rows = [row for row in rows_in(cells, mapping) if row.keys]
    ways = _fitting(rows, mapping, share)
    return ways if any(len(row.options) > 1 for row in rows) else []


def rows_in(cells: CellReader, mapping: Mapping) -> Iterator[JudgedRow]:
    """The rows with options, and what is beside these."""
    for number in range(1, cells.count + 1):
        cells.go_to(number)
        values = _values(cells, mapping)
        options = options_of(cells, mapping)
        if options:
            query = "\n".join(cells.text(column) for column in mapping.query)
            yield JudgedRow(number, same_text(query), values, options)


def _values(cells: CellReader, mapping: Mapping) -> list[str]:
    """The values of the answer's columns; of several columns one each, in their order."""
    if len(mapping.answer) == 1:
        return cells.texts(mapping.answer)
    return [text for column in mapping.answer for text in (cells.texts((column,)) or [""])]


def _fitting(rows: list[JudgedRow], mapping: Mapping, share: float = 0.5) -> list[JudgingWay]:
    """The way that fits the most rows; several where they fit as many and differ in some row."""
    if not rows:
        return []
    chosen = plain_value(mapping.right or "")
    if chosen and chosen not in tuple(Key):
        ways = [_by_rule(rows, parse_right(chosen))]
    else:
        readings = _readings(rows, mapping)
        ways = [
            JudgingWay(key, first, _found(rows, read), len(rows))
            for key, first, read in readings
            if key == chosen or not chosen
        ]
    most = max((len(way.found) for way in ways), default=0)
    if most < share * len(rows) or not most:
        return []
    best = [way for way in ways if len(way.found) == most]
    if mapping.first is not None and best[-1].key is Key.POSITION:
        return best[-1:]
    texts = [way for way in best if way.key is Key.TEXT]
    if texts and best[0].key is Key.LABEL and best[0].found == texts[0].found:
        best.remove(best[0])  # it was by their texts
    if best[0].key is Key.LABEL and not texts and not _labels_may_be_positions(rows, mapping):
        return best[:1]
    different: list[JudgingWay] = []
    for way in best:
        if all(way.found != other.found for other in different):
            different.append(way)
    return different


def _labels_may_be_positions(rows: list[JudgedRow], mapping: Mapping) -> bool:
    """Whether labels are numbers from 1 at the ends of columns: keys may count these from 0."""
    labels = {row.options[0].label for row in rows}
    return len(mapping.options) > 1 and labels == {"1"}


def _readings(rows: list[JudgedRow], mapping: Mapping) -> Iterator[tuple[Key, int, _Read]]:
    """Every way in which the values may be meant.

    Where any row has as many flags as several options, keys are not tried: `[0, 1, 0]` are no
    positions.
    """
    flags = any(len(row.options) > 1 and _flags(row) is not None for row in rows)
    single = all(len(row.options) == 1 for row in rows)
    aligned = (row for row in rows if len(row.values) == len(row.options))
    if not any(is_score(value) for row in aligned for value in row.values):
        yield Key.FLAG, 0, _flags
    if flags or single or any(len(row.keys) < len(row.values) == len(row.options) for row in rows):
        return
    yield Key.LABEL, 0, _by(by_label)
    yield Key.TEXT, 0, _by(by_text)
    if not any(option.label.isalpha() for row in rows for option in row.options):
        yield Key.LETTER, 0, _by(by_letter)
    one_each = any(len(row.options) == len(row.values) > 1 and _numbers(row) for row in rows)
    for first in () if one_each else (0, 1) if mapping.first is None else (mapping.first,):
        yield Key.POSITION, first, _by(by_position(first))


def _by(find: Find) -> _Read:
    return lambda row: places_of(row.keys, row.options, find)


def _found(rows: list[JudgedRow], read: _Read) -> dict[int, Places]:
    found = ((row.number, read(row)) for row in rows)
    return {number: places for number, places in found if places is not None}


def _flags(row: JudgedRow) -> Places | None:
    """The right ones by a flag for each option, which may all be written in one value."""
    return _right_ones(row, verdict_of)


def _right_ones(row: JudgedRow, judge: Callable[[str], bool | None]) -> Places | None:
    values = row.values
    if len(values) == 1 < len(row.options):
        written = values[0].strip(" []()")
        binary = re.fullmatch("[01]+", written) and len(written) == len(row.options)
        values = list(written) if binary else re.split(r"[\s,;|]+", written)
    extra = values[len(row.options) :]  # of options that are empty and after the last
    if len(values) < len(row.options) or any(judge(value) is not False for value in extra if value):
        return None
    verdicts = [judge(value) for value in values[: len(row.options)]]
    if None in verdicts:
        return None
    return tuple(place for place, right in enumerate(verdicts) if right)


def _by_rule(rows: list[JudgedRow], right: Right) -> JudgingWay:
    if right.extreme is None:
        key = Key.FLAG if right.words else Key.NUMBER
        return JudgingWay(
            key, 0, _found(rows, lambda row: _right_ones(row, right.judge)), len(rows)
        )
    numbers = {row.number: list(map(number_in, row.values)) for row in rows}
    of_query: dict[str, list[float]] = {}
    for row in rows:
        known = [number for number in numbers[row.number] if number is not None]
        of_query.setdefault(row.query, []).extend(known)
    found: dict[int, Places] = {}
    for row in rows:
        own, all_of_query = numbers[row.number], of_query[row.query]
        if len(own) == len(row.options) and None not in own:
            best = right.best(all_of_query)
            level = len(all_of_query) > 1 and len(set(all_of_query)) == 1
            places = (place for place, number in enumerate(own) if number == best and not level)
            found[row.number] = tuple(places)
    return JudgingWay(Key.NUMBER, 0, found, len(rows))


def _chosen(row: JudgedRow, places: Places) -> RowAnswers:
    right = [row.options[place].text for place in places]
    texts = {same_text(text) for text in right}
    others = [
        option.text
        for place, option in enumerate(row.options)
        if place not in places and same_text(option.text) not in texts
    ]
    return RowAnswers(right, others)


def _left_out(
    rows: list[JudgedRow], way: JudgingWay, chosen: Lookup[int, RowAnswers], mapping: Mapping
) -> Iterator[RowLeftOut]:
    """The rows without a right option, unless other rows of the query have one."""
    answered = {row.query for row in rows if chosen[row.number].answers}
    each_judged = way.key in (Key.FLAG, Key.NUMBER)
    compared = plain_value(mapping.right or "") in tuple(Extreme)
    for row in rows:
        places = way.found.get(row.number)
        if places is None:
            why = Unfit.NO_VERDICT if each_judged else Unfit.NO_OPTION
            yield RowLeftOut(row.number, row.written, why)
        elif not places and row.query not in answered:
            level = compared and len(row.options) > 1 and len(set(row.keys)) == 1
            yield RowLeftOut(row.number, row.written, Unfit.TIE if level else Unfit.NONE_RIGHT)


def _ambiguous(mapping: Mapping, ways: list[JudgingWay]) -> InvalidInput:
    answer, options = f'"{commas(mapping.answer)}"', f'"{commas(mapping.options)}"'
    if all(way.key is Key.POSITION for way in ways):
        return InvalidInput(
            f"The answers in {answer} are numbers, and whether they count the options in {options} "
            "from 0 or from 1 cannot be seen from them: write first=0 or first=1 into the mapping."
        )
    meant = {
        f"{way.key}s counted from {way.first}" if way.key is Key.POSITION else f"{way.key}s":
        f"first={way.first}" if way.key is Key.POSITION else f"right={way.key}"
        for way in ways
    }  # fmt: skip
    return InvalidInput(
        f"The answers in {answer} may be {listed(list(meant), 'or')} of the options in {options}, "
        "and different ones are right then: write "
        f"{listed(list(meant.values()), 'or')} into the mapping."
    )


def _fits_none(cells: CellReader, mapping: Mapping, rows: list[JudgedRow]) -> InvalidInput:
    """The complaint about values that say for too few rows which options are right."""
    columns = f'"{commas(mapping.options)}"'
    if any(len(row.options) == len(row.values) and _numbers(row) for row in rows):
        return InvalidInput(
            f'"{commas(mapping.answer)}" has a number for each text in {columns}, and which of '
            "them are right cannot be seen from it: say what is right (right=highest, right=lowest "
            "or right=>=N), or name the texts as answers, without options, if all are right."
        )
    for row in rows:
        if places_of(row.keys, row.options, by_text) is None:
            cells.go_to(row.number)
            texts = commas([each.text for each in row.options], 8)
            return InvalidInput(
                f'{cells.name} has the answer "{short(row.written)}", which names none of its '
                f"options ({texts}), and neither do most others: choose other columns for answer "
                "and options."
            )
    return InvalidInput(
        f'The answers in "{commas(mapping.answer)}" name the options in {columns} in no one way '
        "(label, text, letter, position or a flag for each): choose other columns for answer and "
        "options."
    )


def _numbers(row: JudgedRow) -> bool:
    return all(number_in(value) is not None for value in row.values)
