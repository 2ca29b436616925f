"""What the short commands find: each a document whose fields, in their order, are its JSON keys."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from ..evaluation.results.comparison import Comparison
from ..evaluation.runs.run_rows import GeneratedAnswer, recorded_answers
from ..generation import EndedBy, ServerDoubt
from ..passages.importing import PassageImport
from ..reporting.adaptive.words import setting_sentences
from ..reporting.results.query import Pick, TaskOrder
from ..reporting.words.doubts import doubt_sentences, order_sentences
from ..retrieval.context import Certainty
from ..retrieval.doubts import Doubts
from ..retrieval.knobs import LAMBDAS
from ..settings import Embed
from ..store import CollectionSummary, PoolSummary, Store
from ..stretches import Piece

if TYPE_CHECKING:
    from ..studio.explore.exploration import Exploration
    from ..studio.passages.collections import EmbeddedPassages, SearchResult


@dataclass(frozen=True)
class Document:
    """What a command found, for JSON and for people."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)

    def to_text(self) -> str:
        """The same for a terminal; "" where that is the JSON document's keys with their values."""
        return ""


class OfTask(TypedDict):
    """What a method by a task adds to a context's document; all None for another method.

    `exemplars` are the ids of those before the query; `shortened` counts the pool's texts that
    have fewer before them than the others, and `skipped` are the ids of those that do not fit the
    model's window.
    """

    task: str | None
    exemplars: tuple[int, ...] | None
    shortened: int | None
    skipped: tuple[int, ...] | None


def of_task(order: TaskOrder | None) -> OfTask:
    """The part of a document about a task's order."""
    if order is None:
        return OfTask(task=None, exemplars=None, shortened=None, skipped=None)
    shown = order.exemplars[len(order.exemplars) - order.shown :]
    return OfTask(
        task=order.task, exemplars=shown, shortened=order.shortened, skipped=order.skipped
    )


def notes_of(found: "Exploration") -> tuple[str, ...]:
    """How a context was chosen and what is doubtful about it, in sentences."""
    return (
        *doubt_sentences(found.doubts, found.picks),
        *order_sentences(found.order),
        *setting_sentences(found.setting),
    )


@dataclass(frozen=True)
class ModelAtHand:
    """A model on this machine; `bytes` of its weights, `path` of its folder or file."""

    name: str
    parameters: int
    bytes: int
    path: str


@dataclass(frozen=True)
class ModelList(Document):
    """The models that are at hand, or the one that was fetched."""

    models: tuple[ModelAtHand, ...]


@dataclass(frozen=True)
class PoolList(Document):
    """Every pool with its counts."""

    pools: tuple[PoolSummary, ...]


@dataclass(frozen=True)
class Embedded(Document):
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


@dataclass(frozen=True)
class Quality(Document):
    """How many of a pool's demonstrations got a quality bias, and which have none."""

    pool: str
    scored: int
    reused: int
    too_long: tuple[int, ...]
    without_tokens: tuple[int, ...]
    model: str
    template: str


@dataclass(frozen=True)
class Retrieved(Document):
    """One context with each pick's parts, and whether it is exactly what the method chooses.

    `candidates` is the number of most relevant demonstrations to choose from, 0 for the whole pool;
    `embed` the text of a demonstration to choose by. `own` are the method's own knobs. `value` is
    the name of the method's value of a pick; None where it has none. `notes` are the `doubts` as
    sentences, and how a task ordered the candidates. The last four are those of `OfTask`.
    """

    pool: str
    pool_version: int
    method: str
    k: int
    lambda_d: float
    lambda_b: float
    candidates: int
    embed: Embed
    own: Mapping[str, int | float | str]
    exact: bool
    selection: Certainty
    doubts: Doubts
    notes: tuple[str, ...]
    value: str | None
    demonstrations: tuple[Pick, ...]
    diversity: float | None
    task: str | None = None
    exemplars: tuple[int, ...] | None = None
    shortened: int | None = None
    skipped: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Path(Document):
    """Every piece of a path over one lambda; `fixed` is the value of the other one."""

    pool: str
    k: int
    over: str
    fixed: float
    pieces: tuple[Piece[tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, the fixed lambda under its name."""
        (other,) = (name for name in LAMBDAS if name != self.over)
        rows = [
            {"lambda_low": each.low, "lambda_high": each.high, "ids": each.value}
            for each in self.pieces
        ]
        found = {"pool": self.pool, "k": self.k, "over": self.over, other: self.fixed}
        return found | {"pieces": rows}


@dataclass(frozen=True)
class Prompt(Document):
    """The final prompt of a query and its length; the last four are those of `OfTask`."""

    prompt: str
    tokens: int | None
    method: str
    template: str
    left_out: int
    task: str | None = None
    exemplars: tuple[int, ...] | None = None
    shortened: int | None = None
    skipped: tuple[int, ...] | None = None


@dataclass(frozen=True)
class AnswerRow:
    """What the model itself answers to a query, after its `context` or without any.

    `log_prob` is that of all its tokens, in nats; `ended_by` is why it ends there. `tokens` and
    `log_prob` are None where a server wrote the text and gave no log-probabilities. `thoughts` are
    no part of the text; `instead` is what came in place of an answer, and `doubts` is what a server
    says of it that does not go with what it was asked.
    """

    context: bool
    text: str
    tokens: int | None
    log_prob: float | None
    log_prob_per_token: float | None
    ended_by: EndedBy
    thoughts: str = ""
    instead: str = ""
    doubts: tuple[ServerDoubt, ...] = ()


@dataclass(frozen=True)
class OwnAnswers(Document):
    """What the model itself answers to a query, with the context and without any."""

    pool: str
    query: str
    method: str
    template: str
    model: str
    demonstrations: tuple[int, ...]
    answers: tuple[AnswerRow, ...]


@dataclass(frozen=True)
class Evaluated(Document):
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


def evaluated(store: Store, comparison: Comparison) -> Evaluated:
    """The comparison with the answers that its runs recorded."""
    models = zip(comparison.model_names, comparison.models, strict=True)
    return Evaluated(comparison, {name: recorded_answers(store, each.run) for name, each in models})


@dataclass(frozen=True)
class Exported(Document):
    """What an export wrote, and where."""

    rows: int
    path: str
    format: str


@dataclass(frozen=True)
class PassagesImported(Document):
    """What an import of passages read, added and left out."""

    report: PassageImport

    def to_json(self) -> dict[str, Any]:
        """The report's own fields."""
        return self.report.to_json()


@dataclass(frozen=True)
class CollectionList(Document):
    """Every collection of passages with its counts."""

    collections: tuple[CollectionSummary, ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, times as ISO 8601."""
        rows = [asdict(each) | {"created": each.created.isoformat()} for each in self.collections]
        return {"collections": rows}


@dataclass(frozen=True)
class PassagesEmbedded(Document):
    """How many texts of a collection were embedded."""

    result: "EmbeddedPassages"

    def to_json(self) -> dict[str, Any]:
        """The result's own fields."""
        return asdict(self.result)


@dataclass(frozen=True)
class PassagesFound(Document):
    """What a search of passages found."""

    result: "SearchResult"

    def to_json(self) -> dict[str, Any]:
        """The result's own fields."""
        return asdict(self.result)


@dataclass(frozen=True)
class CollectionRemoved(Document):
    """A collection that was removed, and how many passages it had."""

    collection: str
    passages: int
