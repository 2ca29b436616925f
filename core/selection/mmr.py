"""Maximal marginal relevance with a quality bias: RAGSys, algorithm 1."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BoolArray, FloatArray, IntArray
from .bounds import UNIT_WITHIN, least_cosines
from .cosines import NEAR, exact_redundancy, fast_cosines
from .pool_arrays import PoolArrays, checked_lambda, finite_vector, pool_arrays
from .selection import Selection
from .weighing import Values, first_pick, heaviest, weighed

_FEW = 512  # rows among which the picks are looked for first

# Where the bound from the relevances alone pays: below, one pass over the rows costs less than the
# bound; for low lambda_d the bound leaves too many rows that may win (benchmarks/mmr_large.py).
_BOUND_FROM_ROWS = 10_000
_BOUND_FROM_LAMBDA_D = 0.75
_GATHERED = 1 / 16  # more rows than this share cost as much to gather as a pass over all


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
    has the largest weighed value (`weighing`). Exact: candidates near a step's maximum
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
            What is chosen never depends on it; in a large pool it saves most passes over the rows.

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
    values = Values.of(pool.relevance, pool.quality_bias, lambda_b)
    cosines = None if query is None else _cosines_with(query, pool)

    picks = _picks(pool.embeddings, values, pool.closed, pool.k, lambda_d, cosines)
    bias = pool.quality_bias
    return Selection(
        indices=picks.indices,
        values=picks.values,
        relevance=pool.relevance[picks.indices],
        quality_bias=np.full(pool.k, np.nan) if bias is None else bias[picks.indices],
        redundancy=picks.redundancy,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Picks:
    """What was chosen, in order: rows, winning values, redundancies."""

    indices: IntArray  # (k,)
    values: NDArray[np.float64]  # (k,)
    redundancy: NDArray[np.float64]  # (k,), the first is NaN


def _cosines_with(query: ArrayLike, pool: PoolArrays) -> NDArray[np.float64] | None:
    """The relevance where it may bound redundancies: as the cosines with a unit query."""
    vector = finite_vector("query", query, pool.embeddings.shape[1])
    return pool.relevance if abs(np.linalg.norm(vector) - 1) <= UNIT_WITHIN else None


def _picks(
    embeddings: FloatArray,
    values: Values,
    closed: BoolArray,
    k: int,
    lambda_d: float,
    cosines: NDArray[np.float64] | None,
) -> Picks:
    """The picks among the rows that are not closed; at least k of them are open.

    A redundancy only grows, so a weighed value only falls, and so do the winning ones from step to
    step. Whoever is bounded below the last winning value can win no step, and the picks are those
    among the few others. Two bounds are tried: one from the cosines with the query alone, which
    costs no pass over the rows, then the weighed value after the first pass.
    """
    if k == 0:
        nothing = np.empty(0)
        return Picks(np.empty(0, dtype=np.int64), nothing, nothing)
    first = first_pick(values, closed)
    if k == 1:
        return Picks(np.array([first]), values.total[[first]], np.array([np.nan]))
    n = len(closed)
    guess = max(_FEW, 8 * k)
    pays = n >= max(_BOUND_FROM_ROWS, 4 * guess) and lambda_d >= _BOUND_FROM_LAMBDA_D
    if cosines is not None and pays:
        least = least_cosines(cosines, float(cosines[first]))
        found = _among_few(embeddings, values, closed, least, first, k, lambda_d, n * _GATHERED)
        if found is not None:
            return found
    redundancy = fast_cosines(embeddings, first)
    if k > 2 and n > 4 * guess:
        found = _among_few(embeddings, values, closed, redundancy, first, k, lambda_d, n / 2)
        if found is not None:
            return found
    return greedy(embeddings, values, closed, first, k, lambda_d, redundancy)


def _among_few(
    embeddings: FloatArray,
    values: Values,
    closed: BoolArray,
    least: FloatArray,
    first: int,
    k: int,
    lambda_d: float,
    most: float,
) -> Picks | None:
    """The picks after `first` from the few rows that can win; None when they are more than `most`.

    `least` (n,) holds what each row's redundancy is at least. Who can win is guessed, then proven.
    """
    bounds = weighed(values.total, least, lambda_d)
    bounds[closed] = -np.inf
    bounds[first] = np.inf
    guess = max(_FEW, 8 * k)
    threshold = float(np.partition(bounds, -guess)[-guess])
    for _ in range(2):
        kept = bounds >= threshold
        rows = np.flatnonzero(kept)
        if len(rows) > most:
            break
        start = int(np.searchsorted(rows, first))
        among = greedy(embeddings[rows], values.at(rows), closed[rows], start, k, lambda_d)
        last = float(among.values[-1])
        if last - 2 * NEAR > np.where(kept, -np.inf, bounds).max():
            return Picks(rows[among.indices], among.values, among.redundancy)
        threshold = last - 3 * NEAR
    return None


def greedy(
    embeddings: FloatArray,
    values: Values,
    closed: BoolArray,
    first: int,
    k: int,
    lambda_d: float,
    redundancy: FloatArray | None = None,
) -> Picks:
    """The k picks that start with `first`: one pass over all rows a pick, nothing saved.

    `redundancy` (n,) are the fast cosines with `first`, where they are known already.
    """
    closed = closed.copy()
    closed[first] = True
    indices = np.full(k, first, dtype=np.int64)
    winning = np.full(k, values.total[first])
    redundancies = np.full(k, np.nan)
    if redundancy is None:
        redundancy = fast_cosines(embeddings, first)
    for step in range(1, k):
        if step > 1:
            # Only the newest pick can raise a redundancy.
            redundancy = np.maximum(redundancy, fast_cosines(embeddings, int(indices[step - 1])))
        rough = weighed(values.total, redundancy, lambda_d)
        rough[closed] = -np.inf
        near = np.flatnonzero(rough >= rough.max() - NEAR)
        exact = exact_redundancy(embeddings, near, indices[:step])
        best, winning[step] = heaviest(values, near, exact, lambda_d)  # `near` ascends
        indices[step], redundancies[step] = near[best], exact[best]
        closed[near[best]] = True
    return Picks(indices, winning, redundancies)
