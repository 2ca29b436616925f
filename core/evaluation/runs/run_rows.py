"""The rows of a recorded run: each distinct context of an example, with what came of it."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from ...store import Store
from ...types import EvaluationExample
from ..outcomes.outcomes import Outcome
from ..results.skipping import Skipped


class Stretch(NamedTuple):
    """A stretch of lambda_d on which one context is chosen."""

    low: float
    high: float


@dataclass(frozen=True)
class ContextRow:
    """One context of an example: which requests and stretches chose it, and its outcome.

    The first row of an example holds its texts as they were: the pool may change after the run.
    """

    query: str
    requests: tuple[Hashable, ...]
    stretches: tuple[Stretch, ...]
    outcome: Outcome
    example: EvaluationExample | None = None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The row that `to_json` wrote."""
        query, outcome = row["query"], Outcome.from_json(row)
        stretches = tuple(Stretch(*each) for each in row.get("stretches", ()))
        example = None
        if "answers" in row:
            answers, incorrect = tuple(row["answers"]), tuple(row["incorrect_answers"])
            kinds = tuple(row.get("incorrect_kinds", ()))  # older runs have none
            example = EvaluationExample(query, answers, incorrect, outcome.scores.best, kinds)
        return cls(query, tuple(row["requests"]), stretches, outcome, example)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        row: dict[str, Any] = {"query": self.query, "requests": list(self.requests)}
        if self.stretches:
            row["stretches"] = [list(each) for each in self.stretches]
        row |= self.outcome.to_json()
        if self.example is not None:
            row |= {
                "answers": self.example.answers,
                "incorrect_answers": self.example.incorrect,
                "incorrect_kinds": self.example.incorrect_kinds,
            }
        return row


def skipped_row(skipped: Skipped) -> dict[str, Any]:
    """The row of an example that was passed over."""
    return skipped.to_json() | {"skipped": True}


def recorded_contexts(store: Store, run: int) -> list[ContextRow]:
    """The rows of a run in the order of its examples, those that were passed over left out."""
    rows = store.runs.rows(run)
    return [ContextRow.from_json(row) for row in rows if not row.get("skipped")]
