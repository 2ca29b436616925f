"""Queries that are unlike all others of the pool."""

from collections.abc import Iterator

import numpy as np

from ....types import FloatArray
from ..finding import Check, Fault, PoolContents

FAR = 3.5
"""A query is an outlier if it is so many robust standard deviations farther off than the median.

Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993).
"""
FEWEST = 20
"""Among fewer queries none is an outlier."""


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations of each outlier."""
    apart = checked.distance_to_nearest
    if len(apart) < FEWEST:
        return
    scores = modified_z(apart)
    for group, score in enumerate(scores.tolist()):
        if score > FAR:
            yield Fault(tuple(checked.of_group[group]), score)


def modified_z(values: FloatArray) -> FloatArray:
    """How many robust standard deviations each value is above the median, shape (n,).

    0 throughout where more than half of the values are equal.
    """
    centre = np.median(values)
    spread = np.median(np.abs(values - centre))
    return 0.6745 * (values - centre) / spread if spread > 0 else np.zeros(len(values))


CHECK = Check(
    "outlier",
    "Queries unlike all others",
    "The nearest other query is much farther off than is usual in this pool: a slip of the import, "
    "another language, or a topic with one demonstration only.",
    "robust standard deviations above the median distance to the nearest query",
    find,
)
