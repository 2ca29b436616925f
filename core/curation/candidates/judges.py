"""Which columns judge candidates, and whether they do for certain."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...demonstration.fields import FIELD
from ...errors import InvalidInput
from ...text import same_text
from ..files.grid import plain, series
from ..files.tables import FileTable
from ..mapping import Mapping
from ..rows import CellReader
from .columns import (
    KEYS,
    Candidates,
    Strength,
    columns_of_others,
    is_negative,
    siblings_of,
    strength_of,
)
from .keys import like_a_key
from .quiz import JudgingWay, Key, rows_in, ways_to_judge
from .verdicts import Extreme, is_score, may_be_verdict, number_in, plain_value, verdict_of

_STRONG_WORDS = {"correct", "incorrect", "right", "wrong"}
_BARE_FLAGS = {"0", "1", "true", "false"}

ENOUGH = 0.5
"""The share of rows that a column must judge to count as one that does."""

_SAMPLE = 1000

_ROWS_OF_CHANCE = 4
"""So many rows with one number under a name that says nothing are no key."""

_FEW_WORDS = 5
"""So many words under a name such as `verdict` are verdicts."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Columns that judge candidates: the mapping with them, and how they can be read.

    Attributes:
        mapping: Of the query, these columns as the answer, and the candidates.
        ways: How the values can be read; several where the file leaves it open.
        certain: Whether they judge for certain.
    """

    mapping: Mapping
    ways: list[JudgingWay]
    certain: bool

    @property
    def has_flags(self) -> bool:
        """Whether there is a flag for each candidate."""
        return any(way.key is Key.FLAG for way in self.ways)


MapWith: TypeAlias = Callable[[Candidates, tuple[str, ...]], Mapping | None]
"""The mapping of the table for candidates and the columns that judge them; None without a query."""


def judges_of(table: FileTable, candidates: Candidates, map_with: MapWith) -> Iterator[Judge]:
    """The columns that judge the candidates, the clearest first."""
    others = columns_of_others(table, candidates)
    for columns in siblings_of(table, candidates.columns) if candidates.several else ():
        judge = _judge(table, candidates, columns, map_with)
        if judge is not None:
            yield judge
            others |= set(columns)
    for column in sorted(table.columns, key=_rank):
        if column in others:
            continue
        judge = _judge(table, candidates, (column,), map_with)
        if judge is not None:
            yield judge


def _rank(column: str) -> tuple[int, int]:
    name = plain(column)
    return (KEYS.index(name) if name in KEYS else len(KEYS), -strength_of(column))


def _judge(
    table: FileTable, candidates: Candidates, columns: tuple[str, ...], map_with: MapWith
) -> Judge | None:
    """What the columns say of the candidates; None where they do not judge them."""
    strength = min(map(strength_of, columns))
    mapping = map_with(candidates, columns)
    if mapping is None or strength is Strength.HARMLESS or set(columns) & set(candidates.columns):
        return None
    if not candidates.several:
        return _judge_of_single(table, mapping, strength)
    best = not candidates.called_options and plain(columns[0]) in FIELD["best"].synonyms
    if best and _is_text_or_flag(table, mapping):
        return None  # the best of several that are right
    return _judge_of_several(table, candidates, mapping, strength)


def _is_text_or_flag(table: FileTable, mapping: Mapping) -> bool:
    """Whether the best of the answers is named by its text or by a flag on its row: no key is."""
    found = ways(table, mapping, ENOUGH)
    words = set(map(str.lower, _values(table, mapping))) <= {"true", "false"}
    return words or not found or found[0].key is Key.TEXT


def _judge_of_several(
    table: FileTable, candidates: Candidates, mapping: Mapping, strength: Strength
) -> Judge | None:
    """What columns say of the several candidates in a row, by keys or by a value for each."""
    certain = strength is Strength.CERTAIN and not _count_up(table, mapping.answer[0])
    found = ways(table, mapping, ENOUGH)
    keys = any(way.key is not Key.FLAG for way in found)
    if plain(mapping.answer[0]) in FIELD["incorrect"].synonyms and not _are_bare(table, mapping):
        return None
    if keys:
        numbers = all(way.key is Key.POSITION for way in found)
        constant = len({places for way in found for places in way.found.values()}) <= len(found)
        constant &= found[0].rows >= _ROWS_OF_CHANCE
        elsewhere = mapping.incorrect and not candidates.called_options
        if elsewhere or (numbers and constant and strength is Strength.UNKNOWN):
            return None
        certain &= not _may_be_sides(table, candidates, found)
        return Judge(mapping, found, certain and not _is_of_series(table, mapping))
    if found:
        return Judge(mapping, found, certain and not is_negative(mapping.answer[0]))
    known = strength is not Strength.UNKNOWN
    some = known and bool(ways(table, mapping, 0.0))
    numbers = bool(ways(table, replace(mapping, right=Extreme.HIGHEST), 1.0))
    if some or numbers or _are_aligned(table, mapping, known=known):
        return Judge(mapping, [], certain=False)
    values = _values(table, mapping)
    unread = not candidates.called_options and says_right(mapping.answer[0])
    alike = sum(map(like_a_key, values))
    unread |= known and len(mapping.answer) == 1 and 2 * alike >= len(values)
    return Judge(mapping, [], certain=False) if unread and values else None


def _may_be_sides(table: FileTable, candidates: Candidates, found: list[JudgingWay]) -> bool:
    """Whether there are two, and the keys are figures that may say whether the first is better."""
    if len(candidates.columns) != 2 or found[0].key is Key.TEXT:
        return False
    labels = series(candidates.columns)
    lettered = not any(label.isdecimal() for each in labels.values() for label in each)
    by_name = found[0].key is Key.LABEL and len(found[0].found) == found[0].rows
    numbers = found[0].key is Key.POSITION
    return numbers and (lettered or not candidates.called_options) and not by_name


def _is_of_series(table: FileTable, mapping: Mapping) -> bool:
    """Whether the column is one of several alike, as `correct_a` is beside `correct_b`."""
    (column, *more) = mapping.answer
    alike = [set(each.values()) for each in series(table.columns).values()]
    return not more and any(
        column in columns
        and len(columns) == len(mapping.options)
        and not columns & {*mapping.options}
        for columns in alike
    )


def _are_aligned(table: FileTable, mapping: Mapping, *, known: bool) -> bool:
    """Whether there are as many values as candidates, and they may be verdicts on these."""
    cells = CellReader(sample(table), mapping)
    try:
        rows = [row for row in rows_in(cells, mapping) if len(row.options) > 1]
    except InvalidInput:
        return False  # the values are objects or lists of their own
    aligned = [row for row in rows if len(row.values) == len(row.options) and row.keys]
    values = [plain_value(value) for row in aligned for value in row.keys]
    few = len(set(values)) <= _FEW_WORDS and len(values) > len(set(values))
    verdicts = all(may_be_verdict(value) or number_in(value) is not None for value in values)
    enough = bool(aligned) and len(aligned) >= ENOUGH * len(rows)
    return enough and (known or few or verdicts)


def _judge_of_single(table: FileTable, mapping: Mapping, strength: Strength) -> Judge | None:
    """What a column says of the one candidate in each row."""
    (column,), (candidate,) = mapping.answer, mapping.options
    counts = Counter(_values(table, mapping))
    distinct = set(map(plain_value, counts))
    verdicts = set(map(verdict_of, distinct))
    texts = None in verdicts and not distinct <= {*_BARE_FLAGS, "-1"}
    if not counts or (
        plain(column) in FIELD["incorrect"].synonyms and (texts or _are_words(table, candidate))
    ):
        return None
    strong = distinct <= _STRONG_WORDS
    scores = any(map(is_score, distinct))
    flags = sum(count for value, count in counts.items() if verdict_of(value) is not None)
    if (strength is Strength.CERTAIN or strong) and 2 * flags >= counts.total() and not scores:
        answers = plain(column) in FIELD["answer"].synonyms
        certain = (not answers or distinct <= _BARE_FLAGS) and not is_negative(column)
        return Judge(mapping, [], certain and True in verdicts)
    if _may_judge(table, mapping, strength, distinct, missing=counts.total() < len(table.rows)):
        return Judge(mapping, [], certain=False)
    return None


def _are_words(table: FileTable, column: str) -> bool:
    """Whether all texts of the column are words such as yes and no."""
    return all(verdict_of(text_in(row.get(column))) is not None for row in table.rows)


def _may_judge(
    table: FileTable, mapping: Mapping, strength: Strength, distinct: set[str], *, missing: bool
) -> bool:
    """Whether the values of a column, which are not certain to judge, may do so."""
    (column,) = mapping.answer
    if len(distinct) == 1 and not missing:
        return verdict_of(next(iter(distinct))) is False and strength > Strength.UNKNOWN
    words = all(map(may_be_verdict, distinct))
    numbers = all(number_in(value) is not None for value in distinct)
    few = len(distinct) <= _FEW_WORDS and strength > Strength.UNKNOWN
    if not (words or numbers or few):
        return False
    differing = _differ_within_a_query(table, mapping, column)
    known = strength is Strength.DOUBTFUL or (strength is Strength.CERTAIN and says_right(column))
    if words or numbers:
        return known or differing or strength is Strength.CERTAIN
    return (known or differing) and few and plain(column) not in FIELD["tags"].synonyms


def ways(table: FileTable, mapping: Mapping, share: float) -> list[JudgingWay]:
    """The ways in which the mapping's options are judged in at least a share of the rows.

    Of a long table, a sample is enough to recognise a way: `quiz.judge` reads every row.
    """
    cells = CellReader(sample(table), mapping)
    try:
        return ways_to_judge(cells, mapping, share)
    except InvalidInput:
        return []  # a cell without options


def sample(table: FileTable) -> FileTable:
    """The table, or of a long one its first rows, where a query's follow each other, and others."""
    rows = table.rows
    if len(rows) <= 2 * _SAMPLE:
        return table
    return replace(table, rows=[*rows[:_SAMPLE], *rows[_SAMPLE :: len(rows) // _SAMPLE]])


def text_in(cell: object) -> str:
    """The text of a cell, without white space around it; empty for a list and an object."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None or isinstance(cell, list | dict) else str(cell).strip()


def is_flag(table: FileTable, column: str) -> bool:
    """Whether the column has nothing but 0, 1, true and false."""
    return {plain_value(text_in(row.get(column))) for row in table.rows} <= _BARE_FLAGS


def _values(table: FileTable, mapping: Mapping) -> list[str]:
    """The texts of the columns that judge, without the empty ones."""
    texts = (text_in(row.get(column)) for row in table.rows for column in mapping.answer)
    return [text for text in texts if text]


def _count_up(table: FileTable, column: str) -> bool:
    """Whether all of the column's lists are 0 and 1."""
    lists = [cell for row in table.rows if isinstance(cell := row.get(column), list)]
    return bool(lists) and all(list(map(str, cell)) == ["0", "1"] for cell in lists)


def says_right(column: str) -> bool:
    """Whether the name is none that columns of other things have."""
    return bool(set(plain(column).split("_")) & {
        "correct", "right", "gold", "winner", "better", "preferred", "key", "chosen", "preference",
        "selected", "best", "accepted", "truth",
    })  # fmt: skip


def _differ_within_a_query(table: FileTable, mapping: Mapping, column: str) -> bool:
    first: dict[tuple[str, ...], str] = {}
    for row in table.rows:
        query = tuple(same_text(text_in(row.get(part))) for part in mapping.query)
        value = text_in(row.get(column))
        if first.setdefault(query, value) != value:
            return True
    return False


def _are_bare(table: FileTable, mapping: Mapping) -> bool:
    """Whether the column has nothing but lists of 0, 1, true and false."""
    cells = [cell for row in table.rows if (cell := row.get(mapping.answer[0])) is not None]
    for cell in cells:
        values = re.split(r"[\s,;|]+", cell.strip(" []()")) if isinstance(cell, str) else cell
        if not isinstance(values, list):
            return False
        if not {plain_value(str(each).strip("\"'")) for each in values} <= _BARE_FLAGS:
            return False
    return True
