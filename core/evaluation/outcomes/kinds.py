"""DPO by kind of incorrect answer: what the context teaches, and what it cannot."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval
from ...metrics.bounds.intervals import estimate
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores


def dpo_by_kind(
    examples: Sequence[EvaluationExample], scores: Sequence[AnswerScores]
) -> dict[str, Interval]:
    """DPO per triple over the incorrect answers of one kind at a time, in nats, with its interval.

    Ordered by kind. An example without an incorrect answer of a kind does not count for that kind,
    and incorrect answers without a kind count in none; all of them count in the metric itself.

    Args:
        examples: Evaluation examples.
        scores: Their scores under one context each, in the same order.
    """
    kinds = sorted({wrong.kind for example in examples for wrong in example.incorrect} - {""})
    return {
        kind: estimate(
            METRICS["dpo_per_triple"],
            [
                _against(kind, example, score)
                for example, score in zip(examples, scores, strict=True)
                if any(wrong.kind == kind for wrong in example.incorrect)
            ],
        )
        for kind in kinds
    }


def _against(kind: str, example: EvaluationExample, scores: AnswerScores) -> AnswerScores:
    """The scores with the incorrect answers of this kind alone."""
    chosen = np.array([wrong.kind == kind for wrong in example.incorrect], dtype=bool)  # (b,)
    return replace(
        scores, incorrect=scores.incorrect[chosen], incorrect_alone=scores.incorrect_alone[chosen]
    )
