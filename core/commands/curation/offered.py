"""What `suggest` prints: every suggestion, and how many queries and answers there are."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...curation.incorrect.own import Outcome
from ...curation.incorrect.suggestion import Suggestion
from ...evaluation.results.skipping import Skipped
from ...reporting.tables.table import Sheet, named, records_table
from ..documents import Document

_NEAR = ("ids", "query", "answer", "text", "source", "source_query", "cosine")
_OWN = ("ids", "query", "answer", "text", "shown", "log_prob")


@dataclass(frozen=True)
class Suggestions(Document):
    """Incorrect answers for queries of a pool; undoing `action` removes them again.

    Attributes:
        pool: Its name.
        queries: How many queries there are, or were asked.
        without_incorrect: How many of the pool's have no incorrect answers.
        suggestions: Those of each query together; the model's own with the likeliest first.
        accepted: Whether they were written into the pool.
        action: The action that did.
        model: The model whose own answers they are; None for those of near queries.
        answers: How many of its distinct answers are what; None likewise.
        skipped: The queries that it could not be asked.
    """

    pool: str
    queries: int
    without_incorrect: int
    suggestions: tuple[Suggestion, ...]
    accepted: bool
    action: int | None
    model: str | None = None
    answers: Mapping[Outcome, int] | None = None
    skipped: tuple[Skipped, ...] = ()

    def sheet(self) -> Sheet:
        """A row for each, then the counts."""
        counts = named(self, "pool", "queries", "without_incorrect", "accepted", "action")
        if self.answers is not None:
            counts |= {"model": self.model, "skipped": len(self.skipped)}
            counts |= {f"answers: {each}": self.answers.get(each, 0) for each in Outcome}
        names = _NEAR if self.model is None else _OWN
        return ((records_table(self.suggestions, names), counts),)
