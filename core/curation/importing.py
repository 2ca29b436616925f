"""A file into a pool: first a preview, then all of it or nothing."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..demonstration.demonstration import Draft
from ..demonstration.fields import COMPARED
from ..errors import InvalidInput
from ..recorded import Recorded
from ..settings import K, OnDifference
from ..store import Store
from .candidates.questions import Unclear
from .candidates.quiz import Quiz
from .differences import Differing, changes_for, fields_of, find_differing
from .drafts import (
    BlendCount,
    JoinCount,
    RowOutcome,
    TableDrafts,
    count_triples,
    count_with_incorrect,
    to_drafts,
)
from .files.cells import LABELS
from .files.decoding import Sureness
from .files.grid import Cells, keys_beside
from .files.tables import FileTable
from .guess import chosen_mapping, read_table
from .guess_by_words import Undecided
from .leftovers import Leftovers
from .mapping import Mapping
from .oddities import Oddity


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport(Recorded):
    """What an import read, kept and dropped.

    Attributes:
        pool: Name of the pool; empty in a preview.
        rows: Rows read.
        demonstrations: Demonstrations added to the pool; in a preview, those that would be.
        queries: Distinct queries of the file's demonstrations, those already there included.
        triples: Distinct answers times distinct incorrect answers, summed over these queries.
        row_counts: What became of how many rows: a `RowOutcome`, or the reason why they were left
            out. Every row counts once, so the counts add up to `rows`.
        dropped: How many texts were dropped, by reason.
        left_out: How many of these were dropped from rows that were not left out themselves.
        merged: Rows that repeat a query and answer of the file but add to it.
        already_there: Demonstrations of the file that the pool had before.
        encoding: What was found in a text file, "binary" for parquet and xlsx.
        encoding_sureness: How certain the encoding is: certain, likely, unsure, or chosen by a
            person.
        other_encodings: Others in which the file could be, best first; none when it is certain.
        format: One of `FORMATS`.
        mapping: The columns that were used.
        warnings: Sentences about what looks odd but was kept.
        oddities: The demonstrations behind the warnings, row by row, with their ids once imported.
        action: What to undo to take the import back; None when nothing was added.
        first_ids: Ids in the pool of the file's first six demonstrations, in the file's order,
            those already there included; empty in a preview.
        unused_columns: The file's columns that the mapping does not use.
        blended: The queries of rows that differ in such columns.
        joined: How rows became one demonstration.
        excluded: How many rows came in as excluded, by the word of their status.
        read_as_lists: How many cells that are text were read as lists, by column.
        kept_objects: How many cells write out an object and stayed the texts that they are.
        quiz: How answers name their options; None where there are none.
        differing: Demonstrations that the pool had with other values; none in a preview.
        on_difference: What was done with them.
        changed: How many of them were changed.
        shape: The shape in which the file was read, where that was a guess: "chat messages".
        delimiter: What separates the cells of delimited text.
        sheet: The sheet of a workbook that was read.
        sheets: Its other sheets, which were not read.
        queries_with_incorrect: How many of `queries` have an incorrect answer in the file.
        unread_keys: Keys of the file that no column has, such as `messages.name`.
        leftovers: What programs left in the texts; None where nothing was imported yet.
    """

    pool: str
    rows: int
    demonstrations: int
    queries: int
    triples: int
    row_counts: dict[str, int]
    dropped: dict[str, int]
    left_out: dict[str, int]
    merged: int
    already_there: int
    encoding: str
    format: str
    mapping: Mapping
    encoding_sureness: Sureness = Sureness.CERTAIN
    other_encodings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    action: int | None = None
    first_ids: tuple[int, ...] = ()
    unused_columns: tuple[str, ...] = ()
    blended: BlendCount = BlendCount(0, ())
    joined: tuple[JoinCount, ...] = ()
    excluded: dict[str, int] = field(default_factory=dict)
    read_as_lists: dict[str, int] = field(default_factory=dict)
    kept_objects: dict[str, int] = field(default_factory=dict)
    quiz: Quiz | None = None
    differing: tuple[Differing, ...] = ()
    on_difference: OnDifference = OnDifference.LEAVE
    changed: int = 0
    shape: str = ""
    delimiter: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    queries_with_incorrect: int = 0
    unread_keys: tuple[str, ...] = ()
    leftovers: Leftovers | None = None

    @property
    def differing_fields(self) -> tuple[str, ...]:
        """The names of the fields in which the file and the pool differ."""
        found = {name for one in self.differing for name in one.fields}
        return tuple(field.name for field in COMPARED if field.name in found)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON; of the differing rows, their ids and fields."""
        rows = [
            {"id": one.id, "query": one.draft.query, "answer": one.draft.answer,
             "fields": list(one.fields)}
            for one in self.differing
        ]  # fmt: skip
        fields = list(self.differing_fields)
        found = {"rows": len(rows), "fields": fields, "demonstrations": rows}
        return super(ImportReport, self).to_json() | {"differing": found}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would do, before anything is written.

    Attributes:
        table: The file's table; pass it to `preview` or `import_file` in place of the path.
        mapping: The mapping used; where the guess asks something, the one that answers it with yes;
            None when none could be guessed.
        drafts: The first demonstrations.
        report: What the import would report; None when it would be refused.
        problem: Why it would be refused, in one sentence; empty when it would not.
        question: What the guess asks, as the beginning of a sentence; empty when it asks nothing.
        undecided: What of the columns could not be guessed, and what could; None where all was.
    """

    table: FileTable
    mapping: Mapping | None
    drafts: list[Draft]
    report: ImportReport | None
    problem: str = ""
    question: str = ""
    undecided: Undecided | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the file, in its order."""
        return self.table.columns

    def rows(self, limit: int = 5) -> Sequence[Cells]:
        """The first rows as they are in the file."""
        return self.table.rows[:limit]


def preview(
    source: str | os.PathLike[str] | FileTable,
    *,
    format: str | None = None,
    mapping: Mapping | str | None = None,
    limit: int = 10,
) -> ImportPreview:
    """What importing the file would do; a mapping that does not fit is a problem to be shown.

    Args:
        source: The file, or the table of an earlier preview, which saves reading it again.
        format: One of `FORMATS`; None finds it from the file.
        mapping: A mapping, or one written as `query=COL,answer=COL`; None guesses it.
        limit: How many of the first demonstrations to show.

    Raises:
        InvalidInput: The file cannot be read as a table at all.
    """
    table = (
        source
        if isinstance(source, FileTable)
        else read_table(source, format=format, mapping=mapping)
    )
    chosen = None
    try:
        chosen = chosen_mapping(table, mapping)
        drafted = to_drafts(table, chosen)
    except Unclear as error:
        return ImportPreview(
            table=table,
            mapping=error.proposal,
            drafts=[],
            report=None,
            problem=str(error),
            question=error.question,
        )
    except InvalidInput as error:
        return ImportPreview(
            table=table,
            mapping=chosen,
            drafts=[],
            report=None,
            problem=str(error),
            undecided=error if isinstance(error, Undecided) else None,
        )
    report = _report(table, chosen, drafted)
    return ImportPreview(table=table, mapping=chosen, drafts=drafted.drafts[:limit], report=report)


def import_file(
    store: Store,
    source: str | os.PathLike[str] | FileTable,
    pool_name: str,
    *,
    format: str | None = None,
    mapping: Mapping | str | None = None,
    on_difference: OnDifference = OnDifference.LEAVE,
    who: str = "you",
) -> ImportReport:
    """Add the file's demonstrations to the pool, which is made when there is none.

    Demonstrations that the pool already has are skipped and counted; where the file has other
    values for them, the report lists these. Either everything is written, or, when anything is
    wrong, nothing, not even the pool.

    Args:
        store: The workspace.
        source: The file, or the table of a preview.
        pool_name: The pool to import into.
        format: One of `FORMATS`; None finds it from the file.
        mapping: A mapping, or one written as `query=COL,answer=COL`; None guesses it.
        on_difference: What to do with demonstrations that the pool has with other values.
        who: The name in the history.

    Raises:
        InvalidInput: The file, its format, the mapping or the pool's name cannot be used.
    """
    table = (
        source
        if isinstance(source, FileTable)
        else read_table(source, format=format, mapping=mapping)
    )
    chosen = chosen_mapping(table, mapping)
    drafted = to_drafts(table, chosen)
    pool, added = store.demonstrations.add_to_named(
        pool_name, drafted.drafts, who=who, what=f"import {table.name}".strip()
    )
    oddities = list(drafted.oddities)
    differing: list[Differing] = []
    if store.pools.summary(pool.name).demonstrations > len(added.ids):
        rows = store.demonstrations.all(pool.id)
        oddities += drafted.book.against_pool(drafted.drafts, rows)
        new_ids = set(added.ids)
        earlier = [row for row in rows if row.id not in new_ids]
        differing += find_differing(drafted.drafts, earlier, fields_of(chosen))
    report = _report(table, chosen, drafted)
    new = [each.sentence for each in oddities[len(drafted.oddities) :]]
    report = replace(
        report,
        pool=pool.name,
        demonstrations=len(added.ids),
        row_counts=_counted_rows(drafted, added.places),
        already_there=added.doubles,
        action=added.action,
        first_ids=tuple(store.demonstrations.ids_of(pool.id, drafted.drafts[:K])),
        warnings=(*report.warnings, *new),
        oddities=tuple(_with_ids(store, pool.id, oddity) for oddity in oddities),
        differing=tuple(differing),
    )
    return settle_differences(store, report, on_difference, what=f"import {table.name}", who=who)


def settle_differences(
    store: Store, report: ImportReport, how: OnDifference, *, what: str, who: str = "you"
) -> ImportReport:
    """The report after the differing values were brought over, as one action of its own.

    Raises:
        StaleRevision: One of the demonstrations was changed at this very moment.
        InvalidInput: The pool was deleted or renamed since.
    """
    if how is OnDifference.LEAVE or not report.differing:
        return replace(report, on_difference=how)
    pool = store.pools.get(report.pool)
    changes = changes_for(report.differing, store.demonstrations.all(pool.id), how)
    if changes:
        store.demonstrations.change(changes, who=who, what=f"{what}: {how} what differs")
    return replace(report, on_difference=how, changed=len(changes))


def _counted_rows(drafted: TableDrafts, places: Sequence[int]) -> dict[str, int]:
    """What became of the rows when the drafts at these places were added."""
    new = len({drafted.made_by[place] for place in places})
    there = drafted.row_counts.get(RowOutcome.NEW, 0) - new
    counts = {RowOutcome.NEW: new, RowOutcome.THERE: there}
    return {name: count for name, count in (drafted.row_counts | counts).items() if count}


def _with_ids(store: Store, pool_id: int, oddity: Oddity) -> Oddity:
    drafts = [Draft(row.query, row.answer) for row in oddity.demonstrations]
    ids = store.demonstrations.ids_of(pool_id, drafts)
    # Someone may have deleted one since: no ids are better than wrong ones.
    return oddity.with_ids(ids if len(ids) == len(drafts) else [None] * len(drafts))


def _used(mapping: Mapping) -> set[str]:
    """The columns that the mapping uses, with the labels of its options."""
    labels = {f"{option}.{label}" for option in mapping.options for label in LABELS}
    return {*mapping.columns, *labels}


def _labels_not_read(table: FileTable, mapping: Mapping) -> Iterator[str]:
    """The labels of texts that are no options, which no column has."""
    for column in mapping.columns:
        if column not in mapping.options:
            cells = (row.get(column) for row in table.rows)
            entries = [each for cell in cells if isinstance(cell, list) for each in cell]
            yield from keys_beside(entries, "text", under=column)


def _report(table: FileTable, mapping: Mapping, drafted: TableDrafts) -> ImportReport:
    """The report of a preview; an import fills in what was written."""
    queries, triples = count_triples(drafted.drafts)
    return ImportReport(
        pool="",
        rows=drafted.rows,
        demonstrations=len(drafted.drafts),
        queries=queries,
        triples=triples,
        row_counts=drafted.row_counts,
        dropped=drafted.dropped,
        left_out=drafted.left_out,
        merged=drafted.merged,
        already_there=0,
        encoding=table.encoding,
        format=table.format,
        mapping=mapping,
        encoding_sureness=table.encoding_sureness,
        other_encodings=table.other_encodings,
        warnings=drafted.warnings,
        oddities=drafted.oddities,
        unused_columns=tuple(name for name in table.columns if name not in _used(mapping)),
        blended=drafted.blended,
        joined=drafted.joined,
        excluded=drafted.excluded,
        read_as_lists=drafted.read_as_lists,
        kept_objects=drafted.kept_objects,
        quiz=drafted.quiz,
        shape=table.shape,
        delimiter=table.delimiter,
        sheet=table.sheet,
        sheets=table.other_sheets,
        queries_with_incorrect=count_with_incorrect(drafted.drafts),
        unread_keys=(*table.unread, *_labels_not_read(table, mapping)),
        leftovers=drafted.leftovers,
    )
