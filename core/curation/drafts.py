"""From the rows of a table to demonstrations: what is kept, what is dropped, and why."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from typing import Any

from ..demonstration.demonstration import Draft, IncorrectAnswer, Status, distinct
from ..demonstration.fields import merged
from ..errors import InvalidInput
from ..text import same_text
from .candidates.quiz import Quiz, QuizResult, judge
from .files.tables import FileTable, commas
from .leftovers import Leftovers, about, leftovers_in, without_ends
from .mapping import Mapping, checked_mapping
from .oddities import Oddity, RowBook
from .rows import EMPTY_ANSWER, EMPTY_QUERY, CellReader, RowAnswers, TableRow, read_row

DOUBLE_ANSWER = "double answer"
NO_RIGHT_ANSWER = "incorrect answer of a query without a correct one"

_NAMES_A_ROW = re.compile(
    r"(^|[\W_])(id|ids|idx|index|uuid|guid|hash|key|nr|no|number|row|url|link|source|author|user|"
    r"annotator|date|time|timestamp|created|updated|created_at|updated_at|score|split|version)$|"
    r"^column \d+$|^unnamed",
    re.IGNORECASE,
)
"""Columns that distinguish rows but are no part of what they ask."""


class RowOutcome(StrEnum):
    """What became of a row: each is one of these, or was left out for a reason of its own."""

    NEW = "new demonstrations"
    THERE = "already there"
    """All of its demonstrations were in the pool before."""
    ADDS = "adds to an earlier row"
    REPEATS = "repeats an earlier row"
    INCORRECT = "incorrect answers alone"


class JoinedBy(StrEnum):
    """What made two rows one demonstration: of both the query and the answer ..."""

    SAME = "same text"
    """... were identical."""
    FOLD = "same text but for what is not seen"
    """... differed in outer white space, invisible characters or how letters are composed."""


@dataclass(frozen=True, slots=True)
class JoinCount:
    """How many answers of rows were joined with those of earlier rows, and by what."""

    by: JoinedBy
    answers: int


@dataclass(frozen=True, slots=True)
class BlendCount:
    """How many queries have rows that differ in unused columns, and in which."""

    queries: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDrafts:
    """The demonstrations of a table, and what became of its rows.

    Attributes:
        drafts: No two with the same query and answer (`text.same_text`), each as the first row
            writes it; in the order of the rows.
        rows: Rows read.
        row_counts: What became of how many rows: a `RowOutcome`, or the reason why they were left
            out; every row counts once.
        made_by: For each of `drafts` the number of the row that it was made of, from 1.
        dropped: How many texts were dropped, by reason.
        left_out: How many of these were dropped from rows that were not left out themselves.
        merged: Rows that repeat a query and answer but add incorrect answers or tags to it.
        warnings: Sentences about what looks odd but was kept.
        oddities: The demonstrations behind those warnings that are about some of them.
        book: Which rows have which answers.
        joined: How rows became one demonstration.
        blended: The queries of rows that differ in unused columns.
        excluded: How many rows come in as excluded, by the word of their status.
        read_as_lists: How many cells that are text were read as lists, by column.
        kept_objects: How many cells write out an object and stayed texts, by column.
        quiz: Which options are right, and how that is known; None where there are none.
        leftovers: What programs left in the texts.
    """

    drafts: list[Draft]
    rows: int
    row_counts: dict[str, int]
    made_by: list[int]
    dropped: dict[str, int]
    left_out: dict[str, int]
    merged: int
    warnings: tuple[str, ...]
    oddities: tuple[Oddity, ...]
    book: RowBook
    joined: tuple[JoinCount, ...]
    blended: BlendCount
    excluded: dict[str, int]
    read_as_lists: dict[str, int]
    kept_objects: dict[str, int]
    quiz: Quiz | None
    leftovers: Leftovers


@dataclass(slots=True, kw_only=True)
class _Gathering:
    """The drafts so far and the queries that have a best one, by the narrow fold of their texts."""

    drafts: dict[tuple[str, str], Draft] = field(default_factory=dict)
    with_best: set[str] = field(default_factory=set)
    book: RowBook = field(default_factory=RowBook)
    outcomes: Counter[str] = field(default_factory=Counter)
    made_by: list[int] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    joined: Counter[JoinedBy] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    incorrect: dict[str, list[tuple[IncorrectAnswer, ...]]] = field(default_factory=dict)
    """For each query what each of its rows without an answer has."""


def to_drafts(table: FileTable, mapping: Mapping) -> TableDrafts:
    """The demonstrations of the table: one for each distinct query and answer.

    Every answer of a row takes the row's incorrect answers and tags. The answer named best is
    marked; of a list of answers without a name, the first. A best answer that the list lacks is
    added to it.

    Raises:
        InvalidInput: A column is missing, a cell cannot be read, or no row has both a query and
            an answer.
    """
    checked_mapping(mapping, table)
    gathering = _Gathering()
    cells = CellReader(table, mapping)
    judged = judge(cells, mapping) if mapping.options else None
    blending = _Blending(table, mapping)
    rows = _rows(cells, mapping, judged, gathering)
    if mapping.strip:
        read = dict(rows)
        rows = zip(read, without_ends(list(read.values())), strict=True)
    for number, row in rows:
        blending.note(number, same_text(row.query))
        _gather(number, row, gathering)
    _add_incorrect(gathering)
    dropped = dict(+gathering.dropped)
    if not gathering.drafts:
        left = judged.quiz.left_out if judged else ()
        counts = Counter[str](dropped) + Counter(str(each.why) for each in left)
        reasons = ", ".join(f"{count:,} x {reason}" for reason, count in counts.items())
        right = "say what is right (right=), or " if judged else ""
        raise InvalidInput(
            f"No row of {table.name or 'the table'} has both a query (column "
            f'"{commas(mapping.query)}") and an answer (column "{commas(mapping.answer)}"): '
            f"{reasons}; {right}choose other columns."
        )
    drafts = list(gathering.drafts.values())
    oddities = tuple(gathering.book.oddities(gathering.drafts))
    leftovers = leftovers_in(drafts)
    warnings = [*(oddity.sentence for oddity in oddities), *about(leftovers)]
    return TableDrafts(
        drafts=drafts,
        rows=len(table.rows),
        row_counts=dict(gathering.outcomes),
        made_by=gathering.made_by,
        dropped=dropped,
        left_out=dict(+gathering.left_out),
        merged=gathering.outcomes[RowOutcome.ADDS],
        warnings=(*table.warnings, *warnings),
        oddities=oddities,
        book=gathering.book,
        joined=tuple(
            JoinCount(by, gathering.joined[by]) for by in JoinedBy if gathering.joined[by]
        ),
        blended=blending.found,
        excluded=dict(gathering.excluded),
        read_as_lists=cells.read_as_lists,
        kept_objects=cells.kept_objects,
        quiz=judged.quiz if judged else None,
        leftovers=leftovers,
    )


def _rows(
    cells: CellReader, mapping: Mapping, judged: QuizResult | None, gathering: _Gathering
) -> Iterator[tuple[int, TableRow]]:
    """The rows with a query and an answer, each with its number, as they are read."""
    unfit = {each.row: str(each.why) for each in judged.quiz.left_out} if judged else {}
    for number in range(1, cells.count + 1):
        if number in unfit:
            gathering.outcomes[unfit[number]] += 1
            continue
        cells.go_to(number)
        chosen = judged.chosen.get(number, RowAnswers([], [])) if judged else None
        dropped = Counter[str]()
        row = read_row(cells, mapping, dropped, chosen)
        gathering.dropped.update(dropped)
        if row is None:
            gathering.outcomes[EMPTY_QUERY if dropped[EMPTY_QUERY] else EMPTY_ANSWER] += 1
            continue
        gathering.left_out.update(dropped)
        yield number, row


def count_triples(drafts: Iterable[Draft]) -> tuple[int, int]:
    """How many distinct queries, and how many (query, answer, incorrect) triples they span.

    A query's triples are its distinct answers times the distinct incorrect answers of all its
    demonstrations.
    """
    correct: dict[str, set[str]] = {}
    incorrect: dict[str, set[str]] = {}
    for draft in drafts:
        key = same_text(draft.query)
        correct.setdefault(key, set()).add(same_text(draft.answer))
        incorrect.setdefault(key, set()).update(same_text(wrong.text) for wrong in draft.incorrect)
    return len(correct), sum(len(correct[key]) * len(incorrect[key]) for key in correct)


def count_with_incorrect(drafts: Iterable[Draft]) -> int:
    """How many distinct queries have an incorrect answer."""
    return len({same_text(draft.query) for draft in drafts if draft.incorrect})


def _gather(number: int, row: TableRow, gathering: _Gathering) -> None:
    """Add the row's demonstrations; one that repeats an earlier one only adds to it."""
    query = same_text(row.query)
    incorrect = [wrong.text for wrong in row.incorrect]
    gathering.book.note(number, query, row.answers, incorrect)
    if row.status is Status.EXCLUDED:
        gathering.excluded[row.status_as.casefold()] += 1
    if not row.answers:
        gathering.incorrect.setdefault(query, []).append(row.incorrect)
        return
    outcome, doubles = RowOutcome.REPEATS, 0
    for answer in row.answers:
        key = query, same_text(answer)
        best = answer == row.best and query not in gathering.with_best
        if best:
            gathering.with_best.add(query)
        draft = row.draft(answer, best=best)
        earlier = gathering.drafts.get(key)
        if earlier is None:
            gathering.drafts[key] = draft
            gathering.made_by.append(number)
            outcome = RowOutcome.NEW
            continue
        same = (earlier.query, earlier.answer) == (draft.query, draft.answer)
        gathering.joined[JoinedBy.SAME if same else JoinedBy.FOLD] += 1
        values: Any = merged(earlier, draft)
        joined = replace(earlier, best=earlier.best or best, **values)
        if joined == earlier:
            doubles += 1
        else:
            gathering.drafts[key] = joined
            outcome = RowOutcome.ADDS if outcome is RowOutcome.REPEATS else outcome
    gathering.outcomes[outcome] += 1
    gathering.dropped[DOUBLE_ANSWER] += doubles
    if outcome is not RowOutcome.REPEATS:
        gathering.left_out[DOUBLE_ANSWER] += doubles


def _add_incorrect(gathering: _Gathering) -> None:
    """Give the answers of each query what other rows call incorrect answers of it."""
    if not gathering.incorrect:
        return
    answered = set()
    for key, draft in gathering.drafts.items():
        query, answer = key
        answered.add(query)
        others = chain.from_iterable(gathering.incorrect.get(query, ()))
        more = [wrong for wrong in others if same_text(wrong.text) != answer]
        gathering.drafts[key] = replace(draft, incorrect=distinct((*draft.incorrect, *more)))
    for query, rows in gathering.incorrect.items():
        right = query in answered
        gathering.outcomes[RowOutcome.INCORRECT if right else NO_RIGHT_ANSWER] += len(rows)
        if not right:
            gathering.dropped[NO_RIGHT_ANSWER] += sum(map(len, rows))


class _Blending:
    """Finds the queries that occur in rows differing in unused columns."""

    def __init__(self, table: FileTable, mapping: Mapping) -> None:
        self._rows = table.rows
        unused = (name for name in table.columns if name not in mapping.columns)
        self._columns = [name for name in unused if not _NAMES_A_ROW.search(name)]
        self._first: dict[str, int] = {}
        self._queries: set[str] = set()
        self._differing: set[str] = set()

    def note(self, number: int, query: str) -> None:
        """Compare row `number` with the first row of the same query."""
        if not self._columns:
            return
        first, row = self._rows[self._first.setdefault(query, number) - 1], self._rows[number - 1]
        differing = {name for name in self._columns if first.get(name) != row.get(name)}
        if differing:
            self._queries.add(query)
            self._differing |= differing

    @property
    def found(self) -> BlendCount:
        """What was found, the columns in the order of the table."""
        columns = tuple(name for name in self._columns if name in self._differing)
        return BlendCount(len(self._queries), columns)
