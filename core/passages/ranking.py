"""Scores to places and shares."""

from collections.abc import Sequence
from math import exp, fsum

import numpy as np

from ..types import FloatArray, IntArray


def best(scores: FloatArray, among: IntArray, k: int) -> IntArray:
    """The k places with the highest scores, the highest first, equals by place."""
    return among[np.lexsort((among, -scores[among]))][:k]


def exact_cosines(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """The cosine of every unit row (n, d) with a unit vector, float64 in [-1, 1], shape (n,).

    Equal rows have equal cosines, bit for bit.
    """
    found: FloatArray = np.vecdot(rows.astype(np.float64), vector.astype(np.float64))
    return np.clip(found, -1.0, 1.0)


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """The share of each score: exp(score / temperature) over their sum."""
    highest = max(scores, default=0.0)
    powers = [exp((each - highest) / temperature) for each in scores]
    total = fsum(powers)
    return [power / total for power in powers]
