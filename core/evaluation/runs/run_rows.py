"""The rows of a recorded run: each distinct context of an example, with its outcome."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...demonstration.demonstration import EvaluationExample
from ...demonstration.incorrect import TEXTS, from_columns, to_columns
from ...metrics.scores import OfAnswer
from ...store import Store
from ...stretches import Stretch
from ..outcomes.outcomes import Outcome
from ..results.own_answer import OwnAnswer
from ..results.skipping import Skipped


@dataclass(frozen=True)
class ContextRow:
    """One context of an example: which requests and stretches of lambda_d chose it, its outcome.

    `without_leaks` are the requests whose context leaks, and which choose this one with leaks left
    out.
    The first row of an example has its texts as they were: the pool may change after the run.
    """

    query: str
    requests: tuple[Hashable, ...]
    stretches: tuple[Stretch, ...]
    outcome: Outcome
    example: EvaluationExample | None = None
    without_leaks: tuple[Hashable, ...] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The row that `to_json` wrote."""
        query, outcome = row["query"], Outcome.from_json(row)
        stretches = tuple(Stretch(*each) for each in row.get("stretches", ()))
        example = None
        if "answers" in row:
            # One of the columns of incorrect answers is renamed: the log-probabilities have its
            # own name.
            incorrect = from_columns({**row, TEXTS: row["incorrect_answers"]})
            answers = tuple(row["answers"])
            example = EvaluationExample(query, answers, incorrect, outcome.scores.best)
        without_leaks = tuple(row.get("without_leaks", ()))
        return cls(query, tuple(row["requests"]), stretches, outcome, example, without_leaks)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        row: dict[str, Any] = {"query": self.query, "requests": list(self.requests)}
        if self.stretches:
            row["stretches"] = [[each.low, each.high] for each in self.stretches]
        if self.without_leaks:
            row["without_leaks"] = list(self.without_leaks)
        row |= self.outcome.to_json()
        if self.example is not None:
            columns = to_columns(self.example.incorrect)
            row["answers"], row["incorrect_answers"] = self.example.answers, columns.pop(TEXTS)
            row |= columns
        return row


@dataclass(frozen=True)
class GeneratedAnswer:
    """What the model itself answered to an example after one request's context.

    `measured` is what the answer has in common with the correct ones.
    """

    request: str
    query: str
    answer: OwnAnswer
    measured: OfAnswer

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, in one level."""
        named = {"row": self.request, "query": self.query}
        return named | self.answer.to_json() | dict(self.measured)


def skipped_to_json(skipped: Skipped) -> dict[str, Any]:
    """The row of an example that was passed over."""
    return skipped.to_json() | {"skipped": True}


def recorded_contexts(store: Store, run: int) -> list[ContextRow]:
    """The rows of a run in the order of its examples, those that were passed over left out."""
    rows = store.runs.rows(run)
    return [ContextRow.from_json(row) for row in rows if not row.get("skipped")]


def recorded_answers(store: Store, run: int) -> list[GeneratedAnswer]:
    """The answers that a run's model generated, by example and request; none where it did not."""
    return [
        GeneratedAnswer(str(request), row.query, row.outcome.answer, row.outcome.scores.of_answer)
        for row in recorded_contexts(store, run)
        if row.outcome.answer is not None
        for request in row.requests
    ]
