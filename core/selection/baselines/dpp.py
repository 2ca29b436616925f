"""Determinantal point process: the context whose embeddings span the largest volume."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..pool_arrays import Selection, checked_lambda
from .choice import GreedyChoice

SPANNED = 1e-10
"""A squared distance from the span of those chosen that counts as 0: float64 rounds as much."""


def dpp(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that a determinantal point process greedily finds most probable.

    A set S has log P(S) = lambda_d * (sum of its relevance) + (1 - lambda_d) * log det(S_S) and a
    constant, with S_S the cosines of its members with each other: the squared volume that they
    span. The first pick is the most relevant demonstration at every lambda_d, 0 included; each
    later one adds most to log P. The determinants grow by an incremental Cholesky decomposition,
    so a step costs c * (d + k) for c candidates. Equal values go to the lowest index.

    Once all that remain are in the span of those chosen (duplicates, or k > d), every determinant
    is 0; below lambda_d = 1 the rest are then the most relevant ones, with the value NaN. Nothing
    is chosen twice.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows, or groups, that are not excluded.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only (the k most relevant),
            0 = diversity only (after the first pick).
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        groups: As for `mmr`.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are what
        each adds to log P; `redundancy` is shown but not part of the value.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, lambda_d outside [0, 1], a
            negative k.

    Source: Chen, Zhang and Zhou 2018, Fast greedy MAP inference for determinantal point process
    (arXiv 1709.05135, Algorithm 1; the trade-off of section 5, its theta is lambda_d).
    """
    lambda_d = checked_lambda("lambda_d", lambda_d)
    choice = GreedyChoice(relevance, embeddings, k, excluded, groups)
    squared = np.vecdot(choice.rows, choice.rows)  # the distance of each from the span, squared
    # Row i has candidate i's component along each pick, orthogonal to those before it.
    components = np.zeros((len(squared), choice.k))
    while len(choice) < choice.k:
        gains = _gains(choice.relevance, squared, lambda_d)
        place = choice.best(gains if len(choice) else choice.relevance)
        value = gains[place]
        if value == -np.inf:
            place, value = choice.best(choice.relevance), np.nan
        step = len(choice)
        cosines = choice.pick(place, value)
        if squared[place] > SPANNED:
            # One dot product a row, so that equal rows keep equal bits.
            along = np.vecdot(components[:, :step], components[place, :step])
            components[:, step] = (cosines - along) / np.sqrt(squared[place])
            squared = squared - components[:, step] ** 2
    return choice.selection()


def _gains(
    relevance: NDArray[np.float64], squared: NDArray[np.float64], lambda_d: float
) -> NDArray[np.float64]:
    """What each candidate adds to log P, shape (c,); minus infinity where it adds no volume."""
    if lambda_d == 1:
        return relevance
    logs = np.full(len(squared), -np.inf)
    np.log(squared, out=logs, where=squared > SPANNED)
    gains: NDArray[np.float64] = lambda_d * relevance + (1 - lambda_d) * logs
    return gains
