"""Bounds on cosines that save the work of computing them."""

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray
from .cosines import NEAR

UNIT_WITHIN = 1e-5
"""A length this close to 1 is a unit vector's: the bound allows for as much."""


def least_cosines(relevance: FloatArray, to: float) -> NDArray[np.float64]:
    """What the cosine of each unit row with one of them is at least, shape (n,), in [-1, 1].

    Angles obey the triangle inequality: two rows are at most as far apart as the sum of their
    angles to the query, so m >= r s - sqrt(1 - r^2) sqrt(1 - s^2). Relevances are taken a little
    lower than given, so that rounding cannot make a bound too high.

    Args:
        relevance: Cosine of the query with each row, shape (n,).
        to: That of the one row.

    Source: Schubert 2021, A Triangle Inequality for Cosine Similarity.
    """
    # In place: with a million rows, making arrays costs more than the sums.
    cosines = relevance - 2 * NEAR
    np.clip(cosines, -1.0, 1.0, out=cosines)
    one = float(np.clip(to - 2 * NEAR, -1.0, 1.0))
    least = cosines * cosines
    np.subtract(1.0, least, out=least)
    np.sqrt(least, out=least)
    least *= -np.sqrt(1.0 - one * one)
    opposite = cosines < -one  # angles that sum to more than half a turn bound nothing
    cosines *= one
    least += cosines
    least[opposite] = -1.0
    bounds: NDArray[np.float64] = least
    return bounds
