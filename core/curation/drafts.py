"""From the rows of a table to demonstrations: what is kept, what is dropped, and why."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..errors import InvalidInput
from ..incorrect import distinct
from ..text import normalised
from ..types import Draft
from .files.tables import Table, listed, short
from .mapping import Mapping, checked_mapping
from .oddities import Oddity, RowBook
from .rows import CellReader, Row, read_row

DOUBLE_ANSWER = "double answer"


@dataclass(frozen=True, slots=True)
class Drafted:
    """The demonstrations of a table, and what became of its rows.

    Attributes:
        drafts: No two with the same normalised query and answer; in the order of the rows.
        rows: Rows read.
        dropped: How many texts were dropped, by reason.
        merged: Rows that repeat a query and answer but add incorrect answers or tags to it.
        warnings: Sentences about what looks odd but was kept.
        oddities: The demonstrations behind those warnings that are about some of them.
        book: Which rows say what.
    """

    drafts: list[Draft]
    rows: int
    dropped: dict[str, int]
    merged: int
    warnings: tuple[str, ...]
    oddities: tuple[Oddity, ...]
    book: RowBook


@dataclass(slots=True)
class _Gathering:
    """The drafts so far, by normalised query and answer, and the queries that have a best one."""

    drafts: dict[tuple[str, str], Draft] = field(default_factory=dict)
    with_best: set[str] = field(default_factory=set)
    book: RowBook = field(default_factory=RowBook)
    dropped: Counter[str] = field(default_factory=Counter)
    merged: int = 0


def to_drafts(table: Table, mapping: Mapping) -> Drafted:
    """The demonstrations that the table holds: one for each distinct query and answer.

    Every answer of a row takes the row's incorrect answers and tags. The answer named best is
    marked; of a list of answers without a name, the first. A best answer that the list lacks is
    added to it.

    Raises:
        InvalidInput: A column is missing, a cell cannot be read, or no row has both a query and
            an answer.
    """
    checked_mapping(mapping, table)
    gathering = _Gathering()
    cells = CellReader(table, mapping.split)
    for number in range(1, len(table.rows) + 1):
        cells.turn_to(number)
        row = read_row(cells, mapping, gathering.dropped)
        if row is not None:
            _gather(number, row, gathering)
    dropped = {reason: count for reason, count in gathering.dropped.items() if count}
    if not gathering.drafts:
        reasons = ", ".join(f"{count:,} x {reason}" for reason, count in dropped.items())
        raise InvalidInput(
            f"No row of {table.name or 'the table'} has both a query (column "
            f'"{short(mapping.query)}") and an answer (column "{listed(mapping.answer)}"): '
            f"{reasons}; choose other columns."
        )
    drafts = list(gathering.drafts.values())
    oddities = tuple(gathering.book.oddities(gathering.drafts))
    warnings = [oddity.sentence for oddity in oddities]
    return Drafted(
        drafts,
        len(table.rows),
        dropped,
        gathering.merged,
        (*table.warnings, *warnings, *_positions(drafts, table, mapping)),
        oddities,
        gathering.book,
    )


def count_triples(drafts: Iterable[Draft]) -> tuple[int, int]:
    """How many distinct queries, and how many (query, answer, incorrect) triples they span.

    A query's triples are its distinct answers times the distinct incorrect answers of all its
    demonstrations.
    """
    correct: dict[str, set[str]] = {}
    incorrect: dict[str, set[str]] = {}
    for draft in drafts:
        key = normalised(draft.query)
        correct.setdefault(key, set()).add(draft.answer)
        incorrect.setdefault(key, set()).update(wrong.text for wrong in draft.incorrect)
    return len(correct), sum(len(correct[key]) * len(incorrect[key]) for key in correct)


def _gather(number: int, row: Row, gathering: _Gathering) -> None:
    """Add the row's demonstrations; what repeats an earlier one only adds to it."""
    query = normalised(row.query)
    incorrect = [wrong.text for wrong in row.incorrect]
    gathering.book.note(number, query, row.answers, incorrect)
    adds = False
    for answer in row.answers:
        best = answer == row.best and query not in gathering.with_best
        if best:
            gathering.with_best.add(query)
        earlier = gathering.drafts.get((query, answer))
        if earlier is None:
            gathering.drafts[query, answer] = Draft(
                row.query,
                answer,
                row.incorrect,
                row.tags,
                best,
                row.status,
                row.note,
            )
            continue
        joined = replace(
            earlier,
            incorrect=distinct(earlier.incorrect + row.incorrect),
            tags=tuple(dict.fromkeys(earlier.tags + row.tags)),
            best=earlier.best or best,
            note=earlier.note or row.note,
        )
        if joined == earlier:
            gathering.dropped[DOUBLE_ANSWER] += 1
        else:
            gathering.drafts[query, answer] = joined
            adds = True
    gathering.merged += adds


def _positions(drafts: list[Draft], table: Table, mapping: Mapping) -> Iterator[str]:
    named_choice = re.compile(r"(choice|option)s?[\W_]*\d*", re.IGNORECASE)
    choices = [name for name in table.columns if named_choice.fullmatch(name)]
    if choices and all(re.fullmatch(r"\d|[A-Ea-e]", draft.answer) for draft in drafts):
        yield (
            f'The answers in "{listed(mapping.answer)}" look like positions among the choices '
            f"({listed(choices)}), not like answers."
        )
