"""Contexts that give a correct answer of their example away, under another query: counted."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...recorded import Recorded


@dataclass(frozen=True)
class Leaks(Recorded):
    """How many of the `examples` have a context that leaks, and DPO per triple with and without.

    The figures are means in nats, None where there is no triple.
    """

    contexts: int
    examples: int
    dpo_per_triple: float | None
    dpo_per_triple_elsewhere: float | None


def leaks_in(outcomes: Sequence[tuple[bool, AnswerScores]]) -> Leaks:
    """The count over one context per example.

    Args:
        outcomes: Whether the context leaks, and the scores of the example under it.
    """
    there = [scores for leaks, scores in outcomes if leaks]
    elsewhere = [scores for leaks, scores in outcomes if not leaks]
    return Leaks(len(there), len(outcomes), _dpo(there), _dpo(elsewhere))


def _dpo(scores: Sequence[AnswerScores]) -> float | None:
    metric = METRICS["dpo_per_triple"]
    triples = float(metric.denominators(scores).sum()) if scores else 0.0
    return float(metric.numerators(scores).sum()) / triples if triples else None
