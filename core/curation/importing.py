"""A file into a pool: first a preview, then all of it or nothing."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..errors import InvalidInput
from ..settings import K
from ..store import Store
from ..types import Draft
from .drafts import Drafted, count_triples, to_drafts
from .files.delimited import Cells
from .files.encodings import Sureness
from .files.tables import Table, read_table
from .mapping import Mapping, checked_mapping, guess_mapping, parse_mapping
from .oddities import Oddity


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import read, kept and dropped.

    Attributes:
        pool: Name of the pool; empty in a preview.
        rows: Rows read.
        demonstrations: Demonstrations added to the pool; in a preview, those that would be.
        queries: Distinct queries of the file's demonstrations, those already there included.
        triples: Distinct answers times distinct incorrect answers, summed over these queries.
        dropped: How many texts were dropped, by reason.
        merged: Rows that repeat a query and answer of the file but add to it.
        already_there: Demonstrations of the file that the pool had before.
        encoding: What was found in a text file, "binary" for parquet and xlsx.
        encoding_sureness: How sure the encoding is: certain, likely, unsure, or chosen by a person.
        other_encodings: Others in which the file could be, best first; none when it is certain.
        format: One of `FORMATS`.
        mapping: The columns that were used.
        warnings: Sentences about what looks odd but was kept.
        oddities: The demonstrations behind the warnings, row by row, with their ids once imported.
        action: What to undo to take the import back; None when nothing was added.
        first_ids: Ids in the pool of the file's first six demonstrations, in the file's order,
            those already there included; empty in a preview.
    """

    pool: str
    rows: int
    demonstrations: int
    queries: int
    triples: int
    dropped: dict[str, int]
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

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do, before anything is written.

    Attributes:
        table: The file's table; hand it to `preview` or `import_file` in place of the path.
        mapping: The mapping used; None when none could be guessed.
        drafts: The first demonstrations.
        report: What the import would report; None when it would be refused.
        problem: Why it would be refused, in one sentence; empty when it would not.
    """

    table: Table
    mapping: Mapping | None
    drafts: list[Draft]
    report: ImportReport | None
    problem: str = ""

    @property
    def columns(self) -> list[str]:
        """The columns of the file, in its order."""
        return self.table.columns

    def rows(self, limit: int = 5) -> Sequence[Cells]:
        """The first rows as they stand in the file."""
        return self.table.rows[:limit]


def preview(
    source: str | os.PathLike[str] | Table,
    *,
    format: str | None = None,
    mapping: Mapping | str | None = None,
    limit: int = 10,
) -> ImportPreview:
    """What importing the file would do; a mapping that does not fit is a problem to be shown.

    Args:
        source: The file, or the table of an earlier preview, which saves reading it again.
        format: One of `FORMATS`; None tells it from the file.
        mapping: A mapping, or one written as `query=COL,answer=COL`; None guesses it.
        limit: How many of the first demonstrations to show.

    Raises:
        InvalidInput: The file cannot be read as a table at all.
    """
    table = source if isinstance(source, Table) else read_table(source, format=format)
    chosen = None
    try:
        chosen = _chosen_mapping(table, mapping)
        drafted = to_drafts(table, chosen)
    except InvalidInput as error:
        return ImportPreview(table, chosen, [], None, str(error))
    report = _report(table, chosen, drafted)
    return ImportPreview(table, chosen, drafted.drafts[:limit], report)


def import_file(
    store: Store,
    source: str | os.PathLike[str] | Table,
    pool_name: str,
    *,
    format: str | None = None,
    mapping: Mapping | str | None = None,
    who: str = "you",
) -> ImportReport:
    """Add the file's demonstrations to the pool, which is made when there is none.

    What the pool has already is skipped and counted. Either everything is written, or, when
    anything is wrong, nothing, not even the pool.

    Args:
        store: The workspace.
        source: The file, or the table of a preview.
        pool_name: Where to.
        format: One of `FORMATS`; None tells it from the file.
        mapping: A mapping, or one written as `query=COL,answer=COL`; None guesses it.
        who: Whose name stands in the history.

    Raises:
        InvalidInput: The file, its format, the mapping or the pool's name cannot be used.
    """
    table = source if isinstance(source, Table) else read_table(source, format=format)
    chosen = _chosen_mapping(table, mapping)
    drafted = to_drafts(table, chosen)
    pool, added = store.demonstrations.add_to_named(
        pool_name, drafted.drafts, who=who, what=f"import {table.name}".strip()
    )
    oddities = list(drafted.oddities)
    if store.pools.summary(pool.name).demonstrations > len(added.ids):
        rows = store.demonstrations.all(pool.id)
        oddities += drafted.book.against_pool(drafted.drafts, rows)
    report = _report(table, chosen, drafted)
    new = [each.sentence for each in oddities[len(drafted.oddities) :]]
    return replace(
        report,
        pool=pool.name,
        demonstrations=len(added.ids),
        already_there=added.doubles,
        action=added.action,
        first_ids=tuple(store.demonstrations.ids_of(pool.id, drafted.drafts[:K])),
        warnings=(*report.warnings, *new),
        oddities=tuple(_with_ids(store, pool.id, oddity) for oddity in oddities),
    )


def _with_ids(store: Store, pool_id: int, oddity: Oddity) -> Oddity:
    drafts = [Draft(row.query, row.answer) for row in oddity.demonstrations]
    ids = store.demonstrations.ids_of(pool_id, drafts)
    # Someone may have deleted one since: better no ids than wrong ones.
    return oddity.with_ids(ids if len(ids) == len(drafts) else [None] * len(drafts))


def _chosen_mapping(table: Table, mapping: Mapping | str | None) -> Mapping:
    if mapping is None:
        return guess_mapping(table)
    if isinstance(mapping, str):
        return parse_mapping(mapping, table)
    return checked_mapping(mapping, table)


def _report(table: Table, mapping: Mapping, drafted: Drafted) -> ImportReport:
    """The report of a preview; an import fills in what was written."""
    queries, triples = count_triples(drafted.drafts)
    return ImportReport(
        pool="",
        rows=drafted.rows,
        demonstrations=len(drafted.drafts),
        queries=queries,
        triples=triples,
        dropped=drafted.dropped,
        merged=drafted.merged,
        already_there=0,
        encoding=table.encoding,
        format=table.format,
        mapping=mapping,
        encoding_sureness=table.encoding_sureness,
        other_encodings=table.other_encodings,
        warnings=drafted.warnings,
        oddities=drafted.oddities,
    )
