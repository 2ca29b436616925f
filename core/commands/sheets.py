"""What people are shown of an import, of a pool's task, of passages, and of studies."""

from typing import TYPE_CHECKING

from ..curation.importing import ImportReport
from ..curation.oddities import Oddity
from ..passages.importing import PassageImport
from ..reporting.tables.table import Part, Sheet, named, plain_table, records_table
from ..studio.pools.tasks import PoolTask
from ..studio.studies.study import Study
from ..text import short

if TYPE_CHECKING:
    from ..studio.passages.collections import EmbeddedPassages, SearchResult

SHOWN = 20
"""How many odd rows of an import are shown."""
LETTERS = 100
"""How many letters of a passage have room."""

_IMPORT = (
    "pool", "rows", "demonstrations", "queries", "triples", "dropped", "merged", "already_there",
    "encoding", "format", "mapping", "encoding_sureness", "other_encodings", "warnings", "action",
    "first_ids",
)  # fmt: skip
_PASSAGES = (
    "collection", "source", "format", "documents", "passages", "doubles", "empties", "split",
    "longest", "size", "overlap", "encoding", "encoding_sureness", "other_encodings", "first_ids",
)  # fmt: skip
"""What of an import is no sentence on standard error."""
_PASSAGE = ("id", "score", "probability", "source", "document", "part", "title")


def import_sheet(report: ImportReport) -> Sheet:
    """What was read, kept and dropped, and the demonstrations behind each warning."""
    return ((named(report, *_IMPORT),), *map(_odd_rows, report.oddities))


def _odd_rows(oddity: Oddity) -> tuple[Part, ...]:
    odd = oddity.demonstrations
    rows = ((row.id, row.rows, row.against, row.query, row.answer) for row in odd[:SHOWN])
    names = ("id", "rows", f"{oddity.kind.against} rows", "query", "answer")
    more = (f"... and {len(odd) - SHOWN:,} more; --json has all",) if len(odd) > SHOWN else ()
    return (oddity.sentence, plain_table(names, rows), *more)


def task_sheet(found: PoolTask) -> Sheet:
    """Labels and task in a sentence, a row for each label, and what a model reads."""
    table = records_table(found.labels, ("label", "count", "share", "word"))
    labels = ((table,),) if found.labels else ()
    if found.exemplar is None:
        return ((found.sentence,), *labels)
    read = "What a model reads of one demonstration:"
    return ((found.sentence,), *labels, (read,), (found.exemplar,))


def passage_import_sheet(report: PassageImport) -> Sheet:
    """What was read, added and left out."""
    return ((named(report, *_PASSAGES),),)


def embedded_passages_sheet(found: "EmbeddedPassages") -> Sheet:
    """The counts, then the sentences."""
    values = named(found, "collection", "embedded", "reused", "encoder", "dimensions")
    return ((values | {"cut": len(found.cut)}, *found.notes),)


def search_sheet(found: "SearchResult") -> Sheet:
    """A row for each passage with the beginning of its text, and how they were found."""
    rows = (
        (*(getattr(row, name) for name in _PASSAGE), short(row.text, LETTERS))
        for row in found.passages
    )
    how = named(found, "collection", "version", "query", "by", "fuse", "encoder", "temperatures")
    return ((plain_table((*_PASSAGE, "text"), rows), how),)


def study_sheet(study: Study) -> Sheet:
    """The tables, each below its title, and then the notes."""
    tables = (block for title, table in study.tables for block in ((title,), (table,)))
    return (*tables, study.notes)
