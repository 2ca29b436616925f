"""Vectors retrieval with similarity and diversity: the context whose sum points at the query."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..interval import NOWHERE
from ..types import FloatArray, IntArray
from .cosines import NEAR, fast_cosines
from .pool_arrays import OpenRows, Selection, check_finite, finite_vector, open_rows

EXHAUSTIVE_ROWS = 25
"""More candidates than this have too many subsets to try: 25 have 5.2 million of 12."""

_EQUAL = 1e-12  # cosines this close in float64 differ by rounding only, if at all
_BLOCK = 2048  # rows in float64 at a time: 6 MB at d = 384
_SUBSETS = 1 << 16  # of the numbers that represent sets, at a time


def vrsd(
    query: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations whose sum greedily approaches the query's direction.

    The first pick is the most similar demonstration. Each later one maximises cos(S + e, q), where
    S is the sum of those chosen before: it corrects the sum towards the query, so it
    differs from them, and no parameter weighs one against the other. The cosine of a sum that
    vanishes (shorter than 1e-6) counts as 0: it points neither to the query nor away. A later pick
    may lower the cosine; k are chosen all the same.

    Exact: rows near a step's maximum are compared one by one in float64, and equal ones go to the
    lowest index. One pass over the rows for the query and one for every pick but the last: bounds
    on what a pass would show, such as those of `pruning`, leave nearly all rows in, because a row
    that has nothing in common with the query may still cancel the sum's deviation from it.

    Args:
        query: The query's vector, shape (d,), not zero; its length does not matter.
        embeddings: Unit rows, shape (n, d); float32 and float64 are used as they are.
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        groups: As for `mmr`.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are
        cos(S, q) with the pick in S, `relevance` each pick's own cosine with the query, and
        `redundancy` its largest cosine with those before, which is shown but not part of the value.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a zero query, a negative k.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, Algorithm 1).
    """
    pool = open_rows(embeddings, k, excluded, groups)
    towards = _direction(query, pool)
    rows = pool.embeddings
    relevance = fast_cosines(rows, towards.astype(rows.dtype)).astype(np.float64)
    relevance[pool.closed] = -np.inf
    with_sum = np.zeros(len(rows))  # <S, e_i>
    total = np.zeros(len(towards))  # S
    indices: list[int] = []
    while len(indices) < pool.k:
        if indices:
            with_sum += fast_cosines(rows, rows[indices[-1]])
        near = _near_best(relevance, with_sum, total, towards, len(indices))
        best = _first_best(rows, near, total, towards)
        indices.append(best)
        relevance[pool.closed_by(best)] = -np.inf
        total += rows[best]
    return _selection(rows, np.array(indices, dtype=np.int64), towards)


def exhaustive(
    query: ArrayLike, embeddings: ArrayLike, k: int, *, excluded: ArrayLike | None = None
) -> Selection:
    """The k demonstrations whose sum points most nearly at the query, of all sets of k.

    `vrsd` approximates this set. Finding it is NP-complete: for small pools and for checking only.
    Among equally good sets it is the lexicographically smallest. A set has no order of choosing;
    it is given the most relevant first, equals by index.

    Args:
        query: The query's vector, shape (d,), not zero; its length does not matter.
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.

    Returns:
        The set, with the parts that `vrsd` gives; the last of `values` is the set's.

    Raises:
        InvalidInput: More than 25 rows are not excluded.
        ValueError: As `vrsd` does.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, the problem that it states).
    """
    pool = open_rows(embeddings, k, excluded)
    towards = _direction(query, pool)
    candidates = np.flatnonzero(~pool.closed)
    n = len(candidates)
    if n > EXHAUSTIVE_ROWS:
        raise InvalidInput(
            f"There are {n:,} candidates, of which every set of {pool.k} would be tried; give at "
            f"most {EXHAUSTIVE_ROWS}, or choose with vrsd, which takes any number."
        )
    check_finite(pool.embeddings)
    rows = pool.embeddings[candidates].astype(np.float64)
    # In the rows' own span each has at most n coordinates instead of d, and sums are as long and
    # have the same dot products with the query.
    span, coordinates = np.linalg.qr(rows.T)  # (d, s), (s, n)
    inside = towards @ span
    best, highest = np.zeros(n), -math.inf
    for members in _subsets(n, pool.k):
        values = _cosines(members @ coordinates.T, inside)
        if values.max() > highest + _EQUAL:  # else it ties with an earlier one at most
            highest = float(values.max())
            best = members[np.argmax(values >= highest - _EQUAL)]
    chosen = np.flatnonzero(best)
    order = np.argsort(-_cosines(rows, towards)[chosen], stable=True)
    return _selection(pool.embeddings, candidates[chosen[order]], towards)


def _direction(query: ArrayLike, pool: OpenRows) -> NDArray[np.float64]:
    """The query as a unit vector, shape (d,)."""
    vector = finite_vector("query", query, pool.embeddings.shape[1])
    length = float(np.linalg.norm(vector))
    if not 0 < length < math.inf:
        raise ValueError(f"query has length {length}; give a unit vector")
    return vector / length


def _near_best(
    relevance: NDArray[np.float64],
    with_sum: NDArray[np.float64],
    total: NDArray[np.float64],
    towards: NDArray[np.float64],
    chosen: int,
) -> IntArray:
    """The rows that may have the largest cos(S + e, q), ascending, by fast cosines.

    The dot product of S + e with q is <S, q> + <e, q>, its squared length |S|^2 + 2 <S, e> + 1.
    """
    # Each cosine that was summed up may be off by NEAR at most, so the squared length by twice as
    # much a pick. The shorter S + e is, the more that moves the quotient.
    slack = 2 * (chosen + 1) * NEAR
    squared = with_sum * 2
    squared += total @ total + 1
    short = squared <= 16 * slack  # too short: fast cosines do not show where S + e points
    some_short = bool(short.any())
    if some_short:
        np.maximum(squared, 16 * slack, out=squared)
    values = relevance + total @ towards  # minus infinity where a row is closed
    values /= np.sqrt(squared)
    if some_short:
        values[short] = -np.inf
    np.divide(slack, squared, out=squared)  # what each value may be off by
    least = (values - squared).max()
    values += squared
    near = values >= least
    if some_short:
        near = (near | short) & (relevance > -np.inf)
    rows: IntArray = near.nonzero()[0]
    return rows


def _first_best(
    rows: FloatArray, near: IntArray, total: NDArray[np.float64], towards: NDArray[np.float64]
) -> int:
    """The row of the largest cos(S + e, q) in float64, the lowest index among equals."""
    values = np.empty(len(near))
    for start in range(0, len(near), _BLOCK):
        block = slice(start, start + _BLOCK)
        values[block] = _cosines(rows[near[block]] + total, towards)  # of (b, d) in float64
    return int(near[(values >= values.max() - _EQUAL).argmax()])


def _cosines(sums: NDArray[np.float64], towards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine of each row with the query, to within rounding in [-1, 1]; 0 where it vanishes.

    Each dot product is one of its own, so that equal rows get equal bits at any position.
    """
    lengths = np.sqrt(np.vecdot(sums, sums))
    cosines = np.zeros(len(sums))
    return np.divide(np.vecdot(sums, towards), lengths, out=cosines, where=lengths >= NOWHERE)


def _subsets(n: int, k: int) -> Iterator[NDArray[np.float64]]:
    """All sets of k out of n in lexicographic order, a block (b, n) at a time: 1 = is a member."""
    # As a binary number with row 0 as the highest digit, the larger set of a size comes first.
    digits = np.arange(n - 1, -1, -1)
    for start in range(2**n - 1, -1, -_SUBSETS):
        numbers = np.arange(start, max(-1, start - _SUBSETS), -1)
        numbers = numbers[np.bitwise_count(numbers) == k]
        if len(numbers):
            yield (numbers[:, None] >> digits & 1).astype(np.float64)


def _selection(rows: FloatArray, indices: IntArray, towards: NDArray[np.float64]) -> Selection:
    """The picks in this order, with what a step maximises and what a pick is worth by itself."""
    picks = rows[indices].astype(np.float64)  # (k, d)
    sums = np.cumsum(picks, axis=0)
    redundancy = [np.vecdot(picks[:step], pick).max() for step, pick in enumerate(picks) if step]
    return Selection(
        indices=indices,
        values=_cosines(sums, towards).clip(-1.0, 1.0),
        relevance=_cosines(picks, towards).clip(-1.0, 1.0),
        quality_bias=np.full(len(indices), np.nan),
        redundancy=np.array([np.nan, *redundancy][: len(indices)], dtype=np.float64),
    )
