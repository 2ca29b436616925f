"""The overlap of generated answers as metrics of runs: one number per example, NaN without one.

The functions of one text are those of `overlap`.
"""

import math

from .scores import AnswerScores, PerExample, per_example


def overlap_numerators(name: str) -> PerExample:
    """One measure of `OfAnswer` for each example; 0 where nothing was generated."""

    def value(example: AnswerScores) -> float:
        measured: float = getattr(example, name)
        return 0.0 if math.isnan(measured) else measured

    return per_example(value)


generated_denominators = per_example(lambda example: not math.isnan(example.exact_match))
