"""Evaluation examples that cannot be scored, and why: one of them does not stop a run."""

from dataclasses import dataclass
from enum import StrEnum

from ...recorded import Recorded


class SkipReason(StrEnum):
    """Why an example could not be used."""

    TOO_LONG = "too long"
    """Query and answers do not fit the model's window even without a context.

    Or the query does not fit after the question of a task that a method asks.
    """
    WITHOUT_TOKENS = "answer without tokens"
    """The model's tokenizer gives an answer no tokens, so the answer has no probability."""
    EXEMPLAR = "exemplar"
    """Its query is an exemplar of a task, which precedes every text that a method compares."""


@dataclass(frozen=True, slots=True)
class Skipped(Recorded):
    """An evaluation example that was passed over; `answer` is the one that has no tokens."""

    OPTIONAL = ("answer",)
    query: str
    reason: SkipReason
    answer: str = ""
