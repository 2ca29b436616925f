"""What the short commands find: each a document whose fields, in their order, are its JSON keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ..evaluation.results.comparison import Comparison
from ..evaluation.runs.tally import GeneratedAnswer, recorded_answers
from ..recorded import Recorded
from ..reporting.tables.results import comparison_sheet
from ..reporting.tables.table import Part, Sheet, named, plain_table, records_table
from ..store import CollectionSummary, PoolSummary, Store
from ..text import short

if TYPE_CHECKING:
    from ..curation.importing import ImportReport
    from ..curation.oddities import Oddity
    from ..passages.importing import PassageImport
    from ..studio.passages import EmbeddedPassages, SearchResult
    from ..studio.pools.tasks import PoolTask

R = TypeVar("R", bound="Result")
SHOWN = 20
"""How many odd rows of an import are shown."""
LETTERS = 100
"""How many letters of a passage have room."""

_IMPORT = (
    "pool", "rows", "demonstrations", "queries", "triples", "row_counts", "dropped", "merged",
    "already_there", "encoding", "format", "mapping", "encoding_sureness", "other_encodings",
    "warnings", "action", "first_ids",
)  # fmt: skip
_PASSAGES = (
    "collection", "source", "format", "documents", "passages", "doubles", "empties", "split",
    "longest", "size", "overlap", "encoding", "encoding_sureness", "other_encodings", "first_ids",
)  # fmt: skip
"""What of an import is no sentence on standard error."""
_PASSAGE = ("id", "score", "probability", "source", "document", "part", "title")


@dataclass(frozen=True)
class CommandDocument(Recorded):
    """What a command found, for JSON and for people."""

    def sheet(self) -> Sheet:
        """What people are shown: the JSON document's keys with their values, if nothing else."""
        return ((self.to_json(),),)


class Result(Protocol):
    """A result that services give, with its JSON."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""


@dataclass(frozen=True)
class ResultDocument(CommandDocument, Generic[R]):
    """A result that has its own JSON, and what makes its sheet."""

    result: R
    sheet_of: Callable[[R], Sheet]

    def to_json(self) -> dict[str, Any]:
        """The result's own."""
        return self.result.to_json()

    def sheet(self) -> Sheet:
        """The result's own."""
        return self.sheet_of(self.result)


@dataclass(frozen=True)
class ModelAtHand:
    """A model on this machine; `bytes` of its weights, `path` of its folder or file."""

    name: str
    parameters: int
    bytes: int
    path: str


@dataclass(frozen=True)
class ModelList(CommandDocument):
    """The models that are at hand, or the one that was fetched."""

    models: tuple[ModelAtHand, ...]

    def sheet(self) -> Sheet:
        """A row for each."""
        return ((records_table(self.models, ("name", "parameters", "bytes", "path")),),)


@dataclass(frozen=True)
class PoolList(CommandDocument):
    """Every pool with its counts."""

    pools: tuple[PoolSummary, ...]

    def sheet(self) -> Sheet:
        """A row for each."""
        names = ("name", "demonstrations", "queries", "triples", "excluded", "version")
        return ((records_table(self.pools, names),),)


@dataclass(frozen=True, kw_only=True)
class EmbedDocument(CommandDocument):
    """How many distinct texts of a pool were embedded, and how many had been before.

    `cut` are the ids of the demonstrations whose query is longer than the encoder's window,
    `unread` is the share of the queries that it has no letters for, `foreign`, for the default
    encoder, of those in another language than English; `notes` are all of it as sentences.
    """

    pool: str
    embedded: int
    reused: int
    encoder: str
    dimensions: int
    cut: tuple[int, ...]
    unread: float
    foreign: float
    notes: tuple[str, ...]

    def sheet(self) -> Sheet:
        """The counts, then the sentences."""
        values = named(self, "pool", "embedded", "reused", "encoder", "dimensions")
        counted = {"cut": len(self.cut), "unread": f"{self.unread:.0%}"}
        return ((values | counted, *self.notes),)


@dataclass(frozen=True, kw_only=True)
class QualityDocument(CommandDocument):
    """How many of a pool's demonstrations got a quality bias, and which have none."""

    pool: str
    scored: int
    reused: int
    too_long: tuple[int, ...]
    without_tokens: tuple[int, ...]
    model: str
    template: str


@dataclass(frozen=True)
class EvaluateDocument(CommandDocument):
    """A comparison, and by model what it itself answered to each example under each row."""

    comparison: Comparison
    answers: Mapping[str, Sequence[GeneratedAnswer]]

    def to_json(self) -> dict[str, Any]:
        """The comparison's document, with every answer below it."""
        rows = [
            {"model": model} | each.to_json()
            for model, found in self.answers.items()
            for each in found
        ]
        return self.comparison.to_json() | {"generated": rows}

    def sheet(self) -> Sheet:
        """The comparison's."""
        return comparison_sheet(self.comparison)


def evaluated(store: Store, comparison: Comparison) -> EvaluateDocument:
    """The comparison with the answers that its runs recorded."""
    models = zip(comparison.model_names, comparison.models, strict=True)
    return EvaluateDocument(
        comparison, {name: recorded_answers(store, each.run) for name, each in models}
    )


@dataclass(frozen=True)
class ExportDocument(CommandDocument):
    """What an export wrote, and where."""

    rows: int
    path: str
    format: str


@dataclass(frozen=True)
class CollectionList(CommandDocument):
    """Every collection of passages with its counts."""

    collections: tuple[CollectionSummary, ...]

    def sheet(self) -> Sheet:
        """A row for each."""
        return ((records_table(self.collections, ("name", "passages", "documents", "sources")),),)


@dataclass(frozen=True)
class RemovalDocument(CommandDocument):
    """A collection that was removed, and how many passages it had."""

    collection: str
    passages: int


def import_sheet(report: "ImportReport") -> Sheet:
    """What was read, kept and dropped, and the demonstrations behind each warning."""
    return ((named(report, *_IMPORT),), *map(_odd_rows, report.oddities))


def _odd_rows(oddity: "Oddity") -> tuple[Part, ...]:
    odd = oddity.demonstrations
    rows = ((row.id, row.rows, row.against, row.query, row.answer) for row in odd[:SHOWN])
    names = ("id", "rows", f"{oddity.kind.against} rows", "query", "answer")
    more = (f"... and {len(odd) - SHOWN:,} more; --json has all",) if len(odd) > SHOWN else ()
    return (oddity.sentence, plain_table(names, rows), *more)


def task_sheet(found: "PoolTask") -> Sheet:
    """Labels and task in a sentence, a row for each label, and what a model reads."""
    table = records_table(found.labels, ("label", "count", "share", "word"))
    labels = ((table,),) if found.labels else ()
    if found.exemplar is None:
        return ((found.sentence,), *labels)
    read = "What a model reads of one demonstration:"
    return ((found.sentence,), *labels, (read,), (found.exemplar,))


def passage_import_sheet(report: "PassageImport") -> Sheet:
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
