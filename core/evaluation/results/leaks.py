"""Contexts that give a correct answer of their example away, under another query: counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores


@dataclass(frozen=True)
class Leaks:
    """How many of the `examples` have a context that leaks, and DPO per triple there and elsewhere.

    The figures are means in nats, None where there is no triple.
    """

    examples: int
    contexts: int
    dpo_per_triple: float | None
    dpo_per_triple_elsewhere: float | None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The count that `to_json` wrote."""
        return cls(**row)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "contexts": self.contexts,
            "examples": self.examples,
            "dpo_per_triple": self.dpo_per_triple,
            "dpo_per_triple_elsewhere": self.dpo_per_triple_elsewhere,
        }


def leaks_in(outcomes: Sequence[tuple[bool, AnswerScores]]) -> Leaks:
    """The count over one context per example.

    Args:
        outcomes: Whether the context leaks, and the scores of the example under it.
    """
    there = [scores for leaks, scores in outcomes if leaks]
    elsewhere = [scores for leaks, scores in outcomes if not leaks]
    return Leaks(len(outcomes), len(there), _dpo(there), _dpo(elsewhere))


def _dpo(scores: Sequence[AnswerScores]) -> float | None:
    metric = METRICS["dpo_per_triple"]
    triples = float(metric.denominators(scores).sum()) if scores else 0.0
    return float(metric.numerators(scores).sum()) / triples if triples else None
