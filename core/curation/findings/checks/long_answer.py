"""Answers that are much longer than the others."""

from collections.abc import Iterator

import numpy as np

from ..finding import Check, Fault, PoolContents
from .outlier import FAR, FEWEST, modified_z

TIMES = 3.0
"""A long answer has at least so many times the letters of the median."""


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations whose answer is an outlier of the lengths' logarithms."""
    lengths = np.array([len(row.answer) for row in checked.rows], dtype=np.float64)
    if len(lengths) < FEWEST:
        return
    scores = modified_z(np.log1p(lengths))
    least = TIMES * np.median(lengths)
    for place in np.flatnonzero((scores > FAR) & (lengths >= least)).tolist():
        yield Fault((place,), float(lengths[place]))


CHECK = Check(
    "long-answer",
    "Very long answers",
    "The answer is far longer than is usual in this pool: it takes the place of others in the "
    "model's window and weighs most in sums over tokens. Edit it, or exclude the demonstration.",
    "letters",
    find,
)
