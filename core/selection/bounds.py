"""Bounds on cosines that save the work of computing them."""

import math

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray
from .cosines import NEAR

UNIT_WITHIN = 1e-5
"""A length this close to 1 is a unit vector's: the bound allows for as much."""


def least_cosines(relevance: FloatArray, to: float) -> NDArray[np.float64]:
    """A lower bound on the cosine of each unit row with one of them, shape (n,), in [-1, 1].

    Angles obey the triangle inequality: two rows are at most as far apart as the sum of their
    angles to the query, so m >= r s - sqrt(1 - r^2) sqrt(1 - s^2). Relevances are taken a little
    lower than given, so that rounding cannot make a bound too high.

    Args:
        relevance: Cosine of the query with each row, shape (n,).
        to: The cosine of the query with the one row.

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
    opposite = cosines < -one  # angles that sum to more than 180 degrees bound nothing
    cosines *= one
    least += cosines
    least[opposite] = -1.0
    bounds: NDArray[np.float64] = least
    return bounds


def most_weighed(
    pick: float, value: float, *, lambda_d: float, lambda_b: float = 1.0, bias: float = 0.0
) -> float:
    """An upper bound on the weighed value, after a pick, of a row known only by bounds.

    The weighed value is lambda_d * v - (1 - lambda_d) * m, with v = lambda_b * r + (1 - lambda_b)
    * b. The farther the row is from the query, the lower is its v, but the lower may be its
    cosine m with the pick as well: with both angles added up the weight is one wave of the row's
    angle, and its crest is the bound.

    Args:
        pick: The pick's cosine with the query.
        value: The row's v is at most this.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias.
        bias: The row's quality bias b is at most this.
    """
    to_pick = math.acos(max(-1.0, min(1.0, pick - 2 * NEAR)))
    least_relevance = -1.0  # below this cosine, v cannot reach `value`
    if lambda_b > 0:
        least_relevance = (value - (1 - lambda_b) * bias) / lambda_b
    if least_relevance <= -1.0:
        return lambda_d * value + (1 - lambda_d)
    nearest = math.acos(min(1.0, least_relevance))  # nearer rows have the same v, and a higher m
    farthest = max(nearest, math.pi - to_pick)  # from there on m may be -1
    crest = math.atan2(
        (1 - lambda_d) * math.sin(to_pick), lambda_d * lambda_b - (1 - lambda_d) * math.cos(to_pick)
    )
    angle = min(max(crest, nearest), farthest)
    most_value = lambda_b * math.cos(angle) + (1 - lambda_b) * bias
    return lambda_d * most_value - (1 - lambda_d) * math.cos(min(math.pi, angle + to_pick))
