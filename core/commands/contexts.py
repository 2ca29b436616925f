"""What the commands about one query's context find: its picks, path, prompt and answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from ..generation import EndedBy, ServerDoubt
from ..interval import Piece
from ..reporting.results.query import Pick, TaskOrder
from ..reporting.tables.table import Sheet, named, plain_table, records_table
from ..reporting.tables.worth import setting_sentences
from ..reporting.words.cautions import doubt_sentences, order_sentences
from ..reporting.words.own_answers import doubt_sentence, ending
from ..retrieval.context import Certainty
from ..retrieval.doubts import Doubts
from ..retrieval.knobs import LAMBDAS
from ..settings import Embed
from .documents import CommandDocument

if TYPE_CHECKING:
    from ..studio.explore.exploration import Exploration

_PARTS = ("relevance", "quality_bias", "redundancy", "value")
_CHOICE = (
    "pool", "pool_version", "method", "k", "lambda_d", "lambda_b", "candidates", "embed", "exact",
    "selection", "value", "diversity",
)  # fmt: skip


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


@dataclass(frozen=True, kw_only=True)
class RetrieveDocument(CommandDocument):
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

    def sheet(self) -> Sheet:
        """A row for each pick with the parts of its value, and how the context was chosen."""
        names: tuple[str, ...] = ("rank", "id", *_PARTS, "query", "answer")
        values = named(self, *_CHOICE) | dict(self.own)
        if self.task is not None:
            names = ("rank", "stage_1", "id", "label", "relevance", "value", "query", "answer")
            values |= {"task": self.task, "exemplars shown": self.exemplars}
            values["shortened"] = self.shortened
        values["selection"] = vars(self.selection)
        return ((records_table(self.demonstrations, names), values, *self.notes),)


@dataclass(frozen=True)
class PathDocument(CommandDocument):
    """Every piece of a path over one lambda; `fixed` is the value of the other one."""

    pool: str
    k: int
    over: str
    fixed: float
    pieces: tuple[Piece[tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, the fixed lambda under its name."""
        rows = [
            {"lambda_low": each.low, "lambda_high": each.high, "ids": each.value}
            for each in self.pieces
        ]
        return self._values() | {"pieces": rows}

    def sheet(self) -> Sheet:
        """A row for each piece."""
        pieces = ((each.low, each.high, each.value) for each in self.pieces)
        return ((plain_table(("lambda_low", "lambda_high", "ids"), pieces), self._values()),)

    def _values(self) -> dict[str, object]:
        (other,) = (name for name in LAMBDAS if name != self.over)
        return named(self, "pool", "k", "over") | {other: self.fixed}


@dataclass(frozen=True, kw_only=True)
class PromptDocument(CommandDocument):
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

    def sheet(self) -> Sheet:
        """The prompt, then how long it is."""
        return ((self.prompt,), (f"({_tokens(self.tokens)})",))


@dataclass(frozen=True, kw_only=True)
class AnswerDocumentRow:
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


@dataclass(frozen=True, kw_only=True)
class AnswerDocument(CommandDocument):
    """What the model itself answers to a query, with the context and without any."""

    pool: str
    query: str
    method: str
    template: str
    model: str
    demonstrations: tuple[int, ...]
    answers: tuple[AnswerDocumentRow, ...]

    def sheet(self) -> Sheet:
        """Each answer below what is known about it."""
        return tuple(tuple(_answer_parts(row)) for row in self.answers)


def _answer_parts(row: AnswerDocumentRow) -> Iterator[str]:
    mean = row.log_prob_per_token
    per_token = "" if mean is None else f", {mean:.2f} nats per token"
    facts = f"{_tokens(row.tokens)}{per_token}, ended by {row.ended_by}"
    if not row.ended_by.is_answer:
        facts = f"no answer: {ending(row.ended_by)}"
    yield f"{'with the context' if row.context else 'without a context'} ({facts}):"
    yield row.text or row.instead
    if row.thoughts:
        yield f"(thoughts, no part of the answer:)\n{row.thoughts}"
    yield from map(doubt_sentence, row.doubts)


def _tokens(count: int | None) -> str:
    return "tokens not counted" if count is None else f"{count:,} tokens"
