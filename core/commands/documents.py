"""What the short commands find: each a document whose fields, in their order, are its JSON keys."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..curation.suggestions import Suggestion
from ..reporting.results.query import Pick
from ..retrieval.context import Certainty
from ..retrieval.doubts import Doubts
from ..retrieval.knobs import LAMBDAS
from ..settings import Embed
from ..store import PoolSummary
from ..types import Piece


@dataclass(frozen=True)
class Document:
    """What a command found, for JSON and for people."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class PoolList(Document):
    """Every pool with its counts."""

    pools: tuple[PoolSummary, ...]


@dataclass(frozen=True)
class Embedded(Document):
    """How many distinct texts of a pool were embedded, and how many had been before.

    `cut` are the ids of the demonstrations whose query is longer than the encoder's window,
    `unread` is the share of the queries that it has no letters for; `notes` say both in sentences.
    """

    pool: str
    embedded: int
    reused: int
    encoder: str
    dimensions: int
    cut: tuple[int, ...]
    unread: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Suggestions(Document):
    """Incorrect answers for the queries without any; `action` is what undoes having added them."""

    pool: str
    queries: int
    without_incorrect: int
    suggestions: tuple[Suggestion, ...]
    accepted: bool
    action: int | None


@dataclass(frozen=True)
class Quality(Document):
    """What became of a pool's demonstrations when their quality bias was scored."""

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

    `candidates` is among how many of highest relevance, 0 for the whole pool; `embed` by which text
    of a demonstration. `own` are the method's own knobs. `value` is what the method's value of a
    pick is; None where it has none. `notes` say the `doubts` in sentences.
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


@dataclass(frozen=True)
class Path(Document):
    """Every piece of a path over one lambda; `held` is where the other one stands."""

    pool: str
    k: int
    over: str
    held: float
    pieces: tuple[Piece[tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, the held lambda under its name."""
        (other,) = (name for name in LAMBDAS if name != self.over)
        rows = [
            {"lambda_low": each.low, "lambda_high": each.high, "ids": each.value}
            for each in self.pieces
        ]
        found = {"pool": self.pool, "k": self.k, "over": self.over, other: self.held}
        return found | {"pieces": rows}


@dataclass(frozen=True)
class Prompt(Document):
    """The final prompt of a query and its length."""

    prompt: str
    tokens: int | None
    method: str
    template: str
    left_out: int


@dataclass(frozen=True)
class Exported(Document):
    """What an export wrote, and where."""

    rows: int
    path: str
    format: str
