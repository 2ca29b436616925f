"""Maximal marginal relevance with a quality bias: RAGSys, algorithm 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cosines import UNIT_WITHIN
from .greedy import Greedy, Picks, Values, first_pick
from .pool_arrays import PoolArrays, Selection, checked_lambda, finite_vector, pool_arrays
from .pruning import pruned


def mmr(  # noqa: PLR0913 - the parts of one formula, by the names of the paper
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    lambda_b: float = 1.0,
    quality_bias: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
    query: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that greedily balance relevance, quality and diversity.

    The first pick is the most valued demonstration at every lambda_d, 0 included, unless some are
    pinned; each later one has the largest weighed value (`weighing`). Exact: candidates near a
    step's maximum are compared in float64, and equal ones go to the lowest index. Answers of one
    query share a row, so compute relevance once for each distinct text: equal rows then tie
    exactly.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d); float32 and float64 are used as they are.
        k: How many to choose, >= 0; cut to the rows, or groups, that are not excluded.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only, 0 = diversity only.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias, 0 = bias only.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        query: The query's unit vector, shape (d,), only where relevance is embeddings @ query.
            What is chosen never depends on it; for a high lambda_d it saves a large pool's last
            pass over the rows (`pruning`).
        groups: A number for each demonstration, shape (n,), integers: of those with one number only
            one is chosen. None = any of them may be.
        pinned: Rows that are chosen before all others, in this order. They count among the k, and
            what comes later is compared with them. Left out are those that are excluded or of a
            group that has one already, and of more than k the last ones.

    Returns:
        The picks in the order chosen, with the parts of their values; empty for k = 0 and for
        an empty pool.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a lambda outside [0, 1],
            a negative k, lambda_b < 1 without quality_bias, or a pinned row that does not
            exist or comes twice.

    Source: RAGSys (Algorithm 1, sections 3.3.2 and 3.3.3); Carbonell and Goldstein 1998.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded, groups, pinned)
    lambda_d = checked_lambda("lambda_d", lambda_d)
    values = Values.of(pool.relevance, pool.quality_bias, lambda_b)
    cosines = None if query is None else _cosines_with(query, pool)

    picks = _picks(pool, values, lambda_d, cosines)
    bias = pool.quality_bias
    return Selection(
        indices=picks.indices,
        values=picks.values,
        relevance=pool.relevance[picks.indices],
        quality_bias=np.full(pool.k, np.nan) if bias is None else bias[picks.indices],
        redundancy=picks.redundancy,
    )


def _cosines_with(query: ArrayLike, pool: PoolArrays) -> NDArray[np.float64] | None:
    """The relevance, if it may bound redundancies: as the cosines with a unit query."""
    vector = finite_vector("query", query, pool.embeddings.shape[1])
    return pool.relevance if abs(np.linalg.norm(vector) - 1) <= UNIT_WITHIN else None


def _picks(
    pool: PoolArrays, values: Values, lambda_d: float, cosines: NDArray[np.float64] | None
) -> Picks:
    if pool.k == 0:
        nothing = np.empty(0)
        return Picks(np.empty(0, dtype=np.int64), nothing, nothing)
    first = pool.pinned or [first_pick(values, pool.closed)]
    if pool.groups is not None:
        # Bounds on the last winning value take k rows for k picks: here a row may close many.
        race = Greedy(pool.embeddings, values, pool.closed, first, lambda_d, pool.groups)
        return race.finish(pool.k)
    return pruned(pool.embeddings, values, pool.closed, first, pool.k, lambda_d, cosines)
