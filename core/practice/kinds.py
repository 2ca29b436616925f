"""DPO by kind of incorrect answer: what the context teaches, and what it cannot."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..metrics.intervals import estimate
from ..metrics.registry import METRICS
from ..metrics.scores import AnswerScores
from ..types import EvaluationExample, Interval
from .mistakes import Mistake, classify, known_fields


def dpo_by_kind(
    examples: Sequence[EvaluationExample], scores: Sequence[AnswerScores]
) -> dict[Mistake, Interval]:
    """DPO per triple over the incorrect answers of one kind at a time, in nats, with its interval.

    Kinds that no example has are left out; so are incorrect answers that are no calls.

    Args:
        examples: Evaluation examples of a service desk's pool.
        scores: Their scores under one context each, in the same order.
    """
    fields = known_fields(answer for example in examples for answer in example.answers)
    kinds = [
        [classify(incorrect, example.answers, fields) for incorrect in example.incorrect]
        for example in examples
    ]
    found: dict[Mistake, Interval] = {}
    for kind in Mistake:
        chosen = [
            _only(score, np.array([each == kind for each in mine], dtype=bool))
            for score, mine in zip(scores, kinds, strict=True)
            if kind in mine
        ]
        if chosen:
            found[kind] = estimate(METRICS["dpo_per_triple"], chosen)
    return found


def _only(scores: AnswerScores, chosen: "np.typing.NDArray[np.bool_]") -> AnswerScores:
    return replace(
        scores, incorrect=scores.incorrect[chosen], incorrect_alone=scores.incorrect_alone[chosen]
    )
