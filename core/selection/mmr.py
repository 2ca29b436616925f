"""Maximal marginal relevance with a quality bias: RAGSys, algorithm 1."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BoolArray, FloatArray, IntArray
from .cosines import NEAR, exact_redundancy, fast_cosines
from .pool_arrays import checked_lambda, finite_vector, pool_arrays
from .selection import Selection

_FEW = 512  # rows among which the picks are looked for first


def mmr(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    lambda_b: float = 1.0,
    quality_bias: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
    query: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that greedily balance relevance, quality and diversity.

    The first pick is the most valued demonstration at every lambda_d, 0 included; each later one
    has the largest weighed value (`valued`, `weighed`). Exact: candidates near a step's maximum
    are compared in float64, and equal ones go to the lowest index. Answers of one query share
    a row, so compute relevance once for each distinct text: equal rows then tie exactly.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d); float32 and float64 are used as they are.
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only, 0 = diversity only.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias, 0 = bias only.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        query: The query's unit vector, shape (d,), only where relevance is embeddings @ query.
            What is chosen never depends on it; it is there for bounds that save passes.

    Returns:
        The picks in the order chosen, with the parts of their values; empty for k = 0 and for
        an empty pool.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a lambda outside [0, 1],
            a negative k, or lambda_b < 1 without quality_bias.

    Source: RAGSys (Algorithm 1, sections 3.3.2 and 3.3.3); Carbonell and Goldstein 1998.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded)
    lambda_d = checked_lambda("lambda_d", lambda_d)
    values = valued(pool.relevance, pool.quality_bias, lambda_b)
    if query is not None:
        finite_vector("query", query, pool.embeddings.shape[1])

    picks = _picks(pool.embeddings, values, pool.closed, pool.k, lambda_d)
    bias = pool.quality_bias
    return Selection(
        indices=picks.indices,
        values=picks.values,
        relevance=pool.relevance[picks.indices],
        quality_bias=np.full(pool.k, np.nan) if bias is None else bias[picks.indices],
        redundancy=picks.redundancy,
    )


def valued(
    relevance: NDArray[np.float64], quality_bias: NDArray[np.float64] | None, lambda_b: float
) -> NDArray[np.float64]:
    """The value before redundancy: v = lambda_b * relevance + (1 - lambda_b) * quality_bias.

    Raises:
        ValueError: lambda_b outside [0, 1], or below 1 without a quality bias.
    """
    weight = checked_lambda("lambda_b", lambda_b)
    if quality_bias is None:
        if weight < 1:
            raise ValueError(f"lambda_b is {weight} without quality_bias; give both or lambda_b=1")
        return relevance
    return weight * relevance + (1 - weight) * quality_bias


def weighed(
    values: NDArray[np.float64], redundancy: FloatArray, lambda_d: float | FloatArray
) -> NDArray[np.float64]:
    """What a step maximises: w = lambda_d * v - (1 - lambda_d) * redundancy, in float64."""
    weights: NDArray[np.float64] = lambda_d * values - (1 - lambda_d) * redundancy
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class _Picks:
    indices: IntArray  # (k,)
    values: NDArray[np.float64]  # (k,)
    redundancy: NDArray[np.float64]  # (k,), the first is NaN


def _picks(
    embeddings: FloatArray,
    values: NDArray[np.float64],
    closed: BoolArray,
    k: int,
    lambda_d: float,
) -> _Picks:
    """The picks among the rows that are not closed; at least k of them are open.

    A redundancy only grows, so a weighed value only falls, and so do the winning ones from step to
    step. Whoever is below the last winning value after the first pass over the rows can win no
    step: later passes need the few others only. Who they are is first guessed, then proven.
    """
    if k == 0:
        nothing = np.empty(0)
        return _Picks(np.empty(0, dtype=np.int64), nothing, nothing)
    first = int(np.argmax(np.where(closed, -np.inf, values)))
    if k == 1:
        return _Picks(np.array([first]), values[[first]], np.array([np.nan]))
    redundancy = fast_cosines(embeddings, first)

    guess = max(_FEW, 8 * k)
    if k > 2 and len(values) > 4 * guess:
        bounds = weighed(values, redundancy, lambda_d)
        bounds[closed] = -np.inf
        bounds[first] = np.inf
        threshold = float(np.partition(bounds, -guess)[-guess])
        for _ in range(2):
            kept = bounds >= threshold
            rows = np.flatnonzero(kept)
            if len(rows) > len(values) // 2:
                break
            start = int(np.searchsorted(rows, first))
            among = _greedy(
                embeddings[rows], values[rows], closed[rows], redundancy[rows], start, k, lambda_d
            )
            last = float(among.values[-1])
            if last - 2 * NEAR > np.where(kept, -np.inf, bounds).max():
                return _Picks(rows[among.indices], among.values, among.redundancy)
            threshold = last - 3 * NEAR
    return _greedy(embeddings, values, closed, redundancy, first, k, lambda_d)


def _greedy(
    embeddings: FloatArray,
    values: NDArray[np.float64],
    closed: BoolArray,
    redundancy: FloatArray,
    first: int,
    k: int,
    lambda_d: float,
) -> _Picks:
    """The picks after `first`, whose cosines `redundancy` holds: one pass over the rows a pick."""
    closed = closed.copy()
    closed[first] = True
    indices = np.full(k, first, dtype=np.int64)
    winning = np.full(k, values[first])
    redundancies = np.full(k, np.nan)
    for step in range(1, k):
        if step > 1:
            # Only the newest pick can raise a redundancy.
            redundancy = np.maximum(redundancy, fast_cosines(embeddings, int(indices[step - 1])))
        rough = weighed(values, redundancy, lambda_d)
        rough[closed] = -np.inf
        near = np.flatnonzero(rough >= rough.max() - NEAR)
        exact = exact_redundancy(embeddings, near, indices[:step])
        weights = weighed(values[near], exact, lambda_d)
        best = int(np.argmax(weights))  # the lowest index among equals: `near` ascends
        indices[step], winning[step], redundancies[step] = near[best], weights[best], exact[best]
        closed[near[best]] = True
    return _Picks(indices, winning, redundancies)
