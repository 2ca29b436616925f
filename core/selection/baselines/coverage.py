"""Set coverage: the context whose tokens are nearest to every token of the query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...types import BoolArray, FloatArray
from ..pool_arrays import Selection, finite_vector, open_rows

_EQUAL = 1e-12  # coverages this close in float64 differ by rounding only, if at all
_UNCOVERED = -1.0  # the lowest cosine: what no tokens give a token of the query


def coverage(
    query_tokens: ArrayLike,
    token_lists: Sequence[ArrayLike],
    k: int,
    *,
    relevance: ArrayLike,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations whose tokens together greedily cover those of the query.

    A set Z covers token x_i of the query by max over z in Z and over the tokens z_j of z of
    cos(x_i, z_j); its coverage is the mean over the tokens of the query, each of equal weight. For
    a single demonstration that is BERTScore's recall. Each pick is the demonstration with which
    the coverage is largest. When none of those left raises it by more than rounding, a new cover
    begins with the best of them, as if nothing had been chosen before. So for a query of one token
    the picks are a ranking by recall.

    Exact in float64; coverages within 1e-12 of a step's largest are equal and go to the lowest
    index. Where no cosine is negative, the first cover reaches at least 1 - 1/e of the coverage of
    the best set of as many demonstrations.

    Args:
        query_tokens: One unit row for each token of the query, shape (q, d). Without a token
            every coverage is 0.
        token_lists: For each of n demonstrations one unit row for each of its tokens, shape
            (t_i, d). One without tokens covers each token of the query by -1, the lowest cosine.
            Those of excluded demonstrations are not read.
        k: How many to choose, >= 0; cut to the demonstrations that are not excluded.
        relevance: Cosine of each demonstration with the query, shape (n,), which is returned but
            does not affect the choice.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        groups: As for `mmr`.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are the
        coverage of the cover to which a pick belongs, with the pick in it, in [-1, 1]: where a
        value does not exceed the one before, a new cover began. `quality_bias` and `redundancy`
        are NaN: tokens do not give them.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a negative k.

    Source: Gupta, Gardner and Singh 2023, Coverage-based Example Selection for In-Context Learning
        (arXiv 2305.14907, Set-BERTScore-Recall and Algorithm 1, with uniform weights).
    """
    n = len(token_lists)
    pool = open_rows(np.empty((n, 0)), k, excluded, groups)
    worth = finite_vector("relevance", relevance, n)
    covers = _covers(_tokens("query_tokens", query_tokens), token_lists, pool.closed)
    closed = pool.closed
    cover, covered = None, -np.inf  # what each token of the query has so far, (q,), and its mean
    indices: list[int] = []
    values: list[float] = []
    while len(indices) < pool.k:
        reached = _means(covers if cover is None else np.maximum(covers, cover))
        reached[closed] = -np.inf
        most = float(reached.max())
        if most <= covered + _EQUAL:
            cover, covered = None, -np.inf
            continue
        best = int((reached >= most - _EQUAL).argmax())
        cover = covers[best] if cover is None else np.maximum(covers[best], cover)
        covered = float(reached[best])
        indices.append(best)
        values.append(covered)
        closed[pool.closed_by(best)] = True
    undefined = np.full(len(indices), np.nan)
    picks = np.array(indices, dtype=np.int64)
    return Selection(picks, np.array(values), worth[picks], undefined, undefined.copy())


def _covers(
    query: FloatArray, token_lists: Sequence[ArrayLike], closed: BoolArray
) -> NDArray[np.float64]:
    """How well each demonstration covers each token of the query, shape (n, q), in [-1, 1]."""
    covers = np.full((len(token_lists), len(query)), _UNCOVERED)
    for index in np.flatnonzero(~closed).tolist():
        tokens = _tokens(f"token_lists[{index}]", token_lists[index])
        if len(tokens) and tokens.shape[1] != query.shape[1]:
            raise ValueError(
                f"token_lists[{index}] has shape {tokens.shape}; give (t, {query.shape[1]})"
            )
        if len(tokens):
            covers[index] = (query @ tokens.T).max(axis=1)
    return covers.clip(-1.0, 1.0)


def _tokens(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """The rows in float64, shape (t, d); ValueError when they are anything else."""
    tokens = np.asarray(given, dtype=np.float64)
    if tokens.ndim != 2:
        raise ValueError(f"{name} has shape {tokens.shape}; give (t, d)")
    if not np.isfinite(tokens).all():
        raise ValueError(f"{name} contains a value that is not finite")
    return tokens


def _means(covers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each row, shape (n,); 0 where the query has no tokens."""
    means: NDArray[np.float64] = covers.sum(axis=1) / max(1, covers.shape[1])
    return means
