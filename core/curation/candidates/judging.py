"""Which columns judge the candidates of a table: those that do for certain, and those that may."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ...demonstration.fields import FIELD
from ...errors import InvalidInput
from ...text import same_text
from ..files.names import plain
from ..files.tables import Table, commas
from ..mapping import Mapping
from ..rows import CellReader
from .columns import (
    KEYS,
    Candidates,
    Strength,
    are_compared,
    candidates_in,
    columns_of_others,
    siblings_of,
    strength_of,
    unnamed_in,
)
from .options import label_of
from .quiz import Key, Way, ways_to_judge
from .verdicts import Extreme, is_score, number_in, plain_value, verdict_of

_STRONG_WORDS = {"correct", "incorrect", "right", "wrong"}


_ENOUGH = 0.5
"""The share of rows that a column must judge to count as one that does."""

_SAMPLE = 1000

_SHORT = 4
"""Where other answers are the texts of options, one of so few letters is a key that misses."""

_ROWS_OF_CHANCE = 4
"""So many rows with one number under a name that says nothing are no key."""

_TICKS = {"x", "+", "*", "✓", "✔", "☑", "✅", "ja", "oui", "sí", "ok"}
"""What marks the right ones where the others are left empty."""

_FEW_WORDS = 5
"""So many words that recur under a name such as `verdict` are verdicts."""

_BARE_FLAGS = {"0", "1", "true", "false"}


class Unclear(InvalidInput):
    """Whether a column judges candidates cannot be seen.

    Attributes:
        question: What cannot be seen, as the beginning of a sentence.
        proposal: The mapping if it does.
    """

    def __init__(self, question: str, advice: str, proposal: Mapping) -> None:
        super().__init__(f"{question}: {advice}.")
        self.question = question
        self.proposal = proposal


@dataclass(frozen=True, slots=True)
class Judge:
    """Columns that judge candidates: the mapping with them, and how they can be read.

    Attributes:
        mapping: Of the query, these columns as the answer, and the candidates.
        ways: How the values can be read; several where the file leaves it open.
        certain: Whether they judge for certain.
    """

    mapping: Mapping
    ways: list[Way]
    certain: bool


MapWith = Callable[[Candidates, tuple[str, ...]], Mapping | None]
"""The mapping of the table for candidates and the columns that judge them; None without a query."""


def guess_judged(table: Table, map_with: MapWith) -> Mapping | list[Judge]:
    """The mapping of the first candidates that something judges for certain; else what may.

    Raises:
        Unclear: Two columns judge them and differ.
    """
    doubtful: list[Judge] = []
    for candidates in candidates_in(table):
        judges = list(judges_of(table, candidates, map_with))
        certain = [judge for judge in judges if judge.certain]
        if certain:
            _refuse_contradictions([*certain, *filter(_has_flags, judges)], table)
            return certain[0].mapping
        doubtful += judges
    return doubtful


def ask_about(
    table: Table, doubtful: list[Judge], answers: Mapping | None, map_with: MapWith
) -> None:
    """Ask where what may be judged would all be right, or where there are no other answers.

    Args:
        table: The table.
        doubtful: What may judge candidates.
        answers: The mapping in which all answers are right; None where there is none.
        map_with: The mapping for candidates and what judges them.

    Raises:
        Unclear: There is something to ask.
    """
    for judge in doubtful:
        used = {*judge.mapping.options, *judge.mapping.answer}
        if answers is None or used & set(answers.answer):
            raise _unclear(judge.mapping)
    for candidates in unnamed_in(table) if answers is None else ():
        for judge in judges_of(table, candidates, map_with):
            raise _unclear(judge.mapping)


def refuse_if_judged(table: Table, mapping: Mapping, map_with: MapWith) -> Mapping:
    """The mapping, or another one where a column judges its answers; answers are in single texts.

    Raises:
        Unclear: A column may judge them, or they may be keys of candidates in other columns.
    """
    if len(mapping.answer) == 1:
        single = Candidates(mapping.answer, called_options=False, several=False)
        own = {mapping.status, mapping.best}
        every = judges_of(table, single, map_with)
        judges = [judge for judge in every if judge.mapping.answer[0] not in own]
        certain = [judge for judge in judges if judge.certain]
        if certain:
            _refuse_contradictions(certain, table)
            found = certain[0].mapping
            return replace(found, incorrect=mapping.incorrect, best=mapping.best)
        if judges:
            raise _unclear(judges[0].mapping)
    if not mapping.incorrect:
        for candidates in (*candidates_in(table), *unnamed_in(table)):
            used = set(candidates.columns) & set(mapping.columns)
            asked = None if used else map_with(candidates, mapping.answer)
            ways = _ways(table, asked, _ENOUGH) if asked else []
            keys = any(_may_be_keys(_sample(table), mapping.answer[0], way) for way in ways)
            if asked and keys and not (are_compared(candidates) and _are_labels(table, asked)):
                raise _unclear(asked)
    return mapping


def _may_be_keys(table: Table, answer: str, way: Way) -> bool:
    """Whether the answers may be no answers but keys: texts are right, whatever is beside them."""
    rest = (row.get(answer) for n, row in enumerate(table.rows, start=1) if n not in way.found)
    return way.key is not Key.TEXT or any(0 < len(_text(cell)) <= _SHORT for cell in rest)


def _are_labels(table: Table, mapping: Mapping) -> bool:
    """Whether the answers are numbers in a column of labels, as those of compared texts are."""
    values = {_text(row.get(mapping.answer[0])) for row in table.rows} - {""}
    called = len(mapping.answer) == 1 and plain(mapping.answer[0]).startswith("label")
    return called and all(number_in(value) is not None for value in values)


def judges_of(table: Table, candidates: Candidates, map_with: MapWith) -> Iterator[Judge]:
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


def _has_flags(judge: Judge) -> bool:
    """Whether there is a flag for each candidate, for whatever it may stand."""
    return any(way.key is Key.FLAG for way in judge.ways)


def _rank(column: str) -> tuple[int, int]:
    name = plain(column)
    return (KEYS.index(name) if name in KEYS else len(KEYS), -strength_of(column))


def _judge(
    table: Table, candidates: Candidates, columns: tuple[str, ...], map_with: MapWith
) -> Judge | None:
    """What the columns say of the candidates; None where they do not judge them."""
    strength = min(map(strength_of, columns))
    mapping = map_with(candidates, columns)
    if mapping is None or strength is Strength.HARMLESS or set(columns) & set(candidates.columns):
        return None
    best = not candidates.called_options and plain(columns[0]) in FIELD["best"].synonyms
    if best and _is_text_or_flag(table, mapping, candidates):
        return None  # the best of several that are right
    if candidates.several:
        return _judge_of_several(table, candidates, mapping, strength)
    return _judge_of_single(table, mapping, strength)


def _are_sides(candidates: Candidates) -> bool:
    """Whether there are two, called by letters: 1 may mean that the first is better."""
    labels = map(label_of, candidates.columns)
    return len(candidates.columns) == 2 and all(map(str.isalpha, labels))


def _is_text_or_flag(table: Table, mapping: Mapping, candidates: Candidates) -> bool:
    """Whether the best of the answers is named by its text or by a flag on its row: no key is."""
    if not candidates.several or _is_flag(table, mapping):
        return True
    ways = _ways(table, mapping, _ENOUGH)
    return not ways or ways[0].key is Key.TEXT


def _judge_of_several(
    table: Table, candidates: Candidates, mapping: Mapping, strength: Strength
) -> Judge | None:
    """What columns say of the several candidates in a row, by keys or by a value for each."""
    certain = strength is Strength.CERTAIN and not _count_up(table, mapping.answer[0])
    ways = _ways(table, mapping, _ENOUGH)
    keys = any(way.key is not Key.FLAG for way in ways)
    if plain(mapping.answer[0]) in FIELD["incorrect"].synonyms and not _are_bare(table, mapping):
        return None
    if keys:
        elsewhere = mapping.incorrect and not candidates.called_options
        numbers = all(way.key is Key.POSITION for way in ways)
        constant = len({places for way in ways for places in way.found.values()}) <= len(ways)
        constant &= ways[0].rows >= _ROWS_OF_CHANCE
        chance = numbers and constant and strength is Strength.UNKNOWN
        certain &= not (numbers and _are_sides(candidates) and _is_flag(table, mapping))
        return None if elsewhere or chance else Judge(mapping, ways, certain)
    if ways:
        return Judge(mapping, ways, certain)
    some = strength is not Strength.UNKNOWN and bool(_ways(table, mapping, 0.0))
    numbers = bool(_ways(table, replace(mapping, right=Extreme.HIGHEST), 1.0))
    unread = not candidates.called_options and _says_right(table, mapping.answer)
    return Judge(mapping, [], certain=False) if some or numbers or unread else None


def _judge_of_single(table: Table, mapping: Mapping, strength: Strength) -> Judge | None:
    """What a column says of the one candidate in each row."""
    (column,) = mapping.answer
    values = [value for row in table.rows if (value := _text(row.get(column)))]
    distinct = {plain_value(value) for value in values}
    verdicts = set(map(verdict_of, distinct))
    if not values or (
        plain(column) in FIELD["incorrect"].synonyms
        and (None in verdicts or _are_verdicts(table, mapping.options[0]))
    ):
        return None
    if verdicts <= {True, False}:
        strong = distinct <= _STRONG_WORDS
        if strength is Strength.CERTAIN or strong:
            answers = plain(column) in FIELD["answer"].synonyms
            clear = not answers or distinct <= _BARE_FLAGS
            return Judge(mapping, [], certain=clear and True in verdicts)
        if strength is Strength.DOUBTFUL:
            return Judge(mapping, [], certain=False) if False in verdicts else None
        differing = _differ_within_a_query(table, mapping, column)
        return Judge(mapping, [], certain=False) if differing else None
    scores = any(map(is_score, values))
    if strength is Strength.CERTAIN and verdicts == {True, False, None} and not scores:
        most = sum(verdict_of(value) is not None for value in values) * 2 >= len(values)
        return Judge(mapping, [], certain=most)
    if strength is Strength.UNKNOWN:
        return None
    numbers = len(distinct) > 1 and all(number_in(value) is not None for value in values)
    ticks = distinct <= _TICKS and len(values) < len(table.rows)
    doubtful = strength is Strength.DOUBTFUL
    words = doubtful and 1 < len(distinct) <= _FEW_WORDS and len(distinct) < len(values)
    return Judge(mapping, [], certain=False) if numbers or ticks or words else None


def _are_verdicts(table: Table, column: str) -> bool:
    """Whether the column's texts are words such as yes and no."""
    return all(verdict_of(_text(row.get(column))) is not None for row in table.rows)


def _ways(table: Table, mapping: Mapping, share: float) -> list[Way]:
    """The ways in which the mapping's options are judged in at least a share of the rows.

    Of a long table, a sample is enough to recognise a way: `quiz.judge` reads every row.
    """
    cells = CellReader(_sample(table), mapping.split)
    try:
        return ways_to_judge(cells, mapping, share)
    except InvalidInput:
        return []  # a cell without options


def _sample(table: Table) -> Table:
    """The table, or of a long one its first rows, where a query's follow each other, and others."""
    rows = table.rows
    if len(rows) <= 2 * _SAMPLE:
        return table
    return replace(table, rows=[*rows[:_SAMPLE], *rows[_SAMPLE :: len(rows) // _SAMPLE]])


def _count_up(table: Table, column: str) -> bool:
    """Whether all of the column's lists are 0 and 1."""
    lists = [cell for row in table.rows if isinstance(cell := row.get(column), list)]
    return bool(lists) and all(list(map(str, cell)) == ["0", "1"] for cell in lists)


def _says_right(table: Table, columns: tuple[str, ...]) -> bool:
    """Whether the name is none that columns of other things have, and there is some value."""
    name = plain(columns[0])
    words = set(name.split("_"))
    clear = words & {
        "correct", "right", "gold", "winner", "better", "preferred", "key", "chosen", "preference",
        "selected", "best",
    }  # fmt: skip
    return bool(clear) and any(_text(row.get(column)) for row in table.rows for column in columns)


def _differ_within_a_query(table: Table, mapping: Mapping, column: str) -> bool:
    first: dict[tuple[str, ...], str] = {}
    for row in table.rows:
        query = tuple(same_text(_text(row.get(part))) for part in mapping.query)
        value = _text(row.get(column))
        if first.setdefault(query, value) != value:
            return True
    return False


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None or isinstance(cell, list | dict) else str(cell).strip()


def _refuse_contradictions(judges: list[Judge], table: Table) -> None:
    """Refuse where two columns judge the same candidates and call different ones right.

    A single flag, such as whether it was a tie, does not count beside one for each candidate.
    """
    first, *others = judges
    if _has_flags(first):
        others = [one for one in others if _has_flags(one) or not _is_flag(table, one.mapping)]
    for other in others if len(first.ways) == 1 else ():
        one = first.ways[0].found
        for two in other.ways if len(other.ways) == 1 else ():
            if any(set(one[row]) != set(two.found[row]) for row in one.keys() & two.found.keys()):
                names = commas([*first.mapping.answer, *other.mapping.answer])
                raise Unclear(
                    f"Columns say which of the options are right and differ ({names})",
                    f"name one of them, as in {first.mapping}",
                    first.mapping,
                )


def _are_bare(table: Table, mapping: Mapping) -> bool:
    """Whether the column has nothing but lists of 0, 1, true and false."""
    cells = [cell for row in table.rows if (cell := row.get(mapping.answer[0])) is not None]
    for cell in cells:
        values = re.split(r"[\s,;|]+", cell.strip(" []()")) if isinstance(cell, str) else cell
        if not isinstance(values, list):
            return False
        if not {plain_value(str(each).strip("\"'")) for each in values} <= _BARE_FLAGS:
            return False
    return True


def _is_flag(table: Table, mapping: Mapping) -> bool:
    values = {plain_value(_text(row.get(mapping.answer[0]))) for row in table.rows}
    return values <= _BARE_FLAGS


def _unclear(mapping: Mapping) -> Unclear:
    answer, options = commas(mapping.answer), commas(mapping.options)
    all_right = replace(mapping, answer=mapping.options, options=())
    return Unclear(
        f'The column "{answer}" may say which of the texts in "{options}" are right',
        f"if so, map {mapping} (with right=highest, right=>=N or right=WORD where it has numbers "
        f"or other words); if all of them are right, map {all_right}",
        mapping,
    )
