"""How nearly a context's demonstrations, added up, point at the query."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import NOWHERE
from .scores import per_example

_LEVEL = 1e-6  # cosines nearer than this tie: one set of float32 rows gives unequal last digits

cos_sum_numerators = per_example(lambda one: 0.0 if math.isnan(one.cos_sum) else one.cos_sum)
cos_sum_denominators = per_example(lambda one: not math.isnan(one.cos_sum))


def cos_sum(embeddings: ArrayLike, query: ArrayLike) -> float:
    """The cosine of the sum of a context's rows with the query, in [-1, 1]; higher is nearer.

    Args:
        embeddings: Unit rows of the chosen demonstrations, shape (k, d).
        query: The query's vector, shape (d,), not zero; its length does not matter.

    Returns:
        The cosine; 0 for a sum that vanishes (shorter than 1e-6), NaN without any row.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, or a zero query.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, the objective).
    """
    rows, vector = _rows(embeddings), np.asarray(query, dtype=np.float64)
    if vector.shape != (rows.shape[1],) or not np.isfinite(vector).all():
        raise ValueError(f"query of shape {vector.shape}; give {rows.shape[1]} finite numbers")
    length = float(np.linalg.norm(vector))
    if not length:
        raise ValueError("query is a zero vector, which has no direction; give another one")
    return cos_sum_from(rows @ (vector / length), rows)


def cos_sum_from(relevance: ArrayLike, embeddings: ArrayLike) -> float:
    """The same where each row's cosine with the query is known: they add up as the rows do.

    Args:
        relevance: Cosine of the query with each of the rows, shape (k,).
        embeddings: Unit rows of the chosen demonstrations, shape (k, d).

    Returns:
        As `cos_sum`.

    Raises:
        ValueError: Shapes that disagree, or a value that is not finite.
    """
    rows, cosines = _rows(embeddings), np.asarray(relevance, dtype=np.float64)
    if cosines.shape != (len(rows),) or not np.isfinite(cosines).all():
        raise ValueError(f"relevance of shape {cosines.shape}; give {len(rows)} finite numbers")
    if not len(rows):
        return math.nan
    length = float(np.linalg.norm(rows.sum(axis=0)))
    return 0.0 if length < NOWHERE else max(-1.0, min(1.0, float(cosines.sum()) / length))


class WinRate(NamedTuple):
    """The shares of queries on which one method is above another, level with it, and below it.

    They sum to 1 over the `n` queries on which both have a figure; NaN where there is none.
    """

    wins: float
    ties: float
    losses: float
    n: int


def win_rate(ours: ArrayLike, theirs: ArrayLike) -> WinRate:
    """How often one method's `cos_sum` is above another's, query by query.

    Args:
        ours: One number a query, shape (q,); NaN where it is undefined (an empty context).
        theirs: The other method's, of the same queries.

    Returns:
        The shares; a difference of less than 1e-6 is a tie, not a win.

    Raises:
        ValueError: Shapes that disagree.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, win rate).
    """
    ahead = _ahead(ours, theirs)
    n = len(ahead)
    if not n:
        return WinRate(math.nan, math.nan, math.nan, 0)
    wins, losses = int((ahead >= _LEVEL).sum()), int((ahead <= -_LEVEL).sum())
    return WinRate(wins / n, (n - wins - losses) / n, losses / n, n)


def largest_difference(ours: ArrayLike, theirs: ArrayLike) -> float:
    """The most by which one method's `cos_sum` is above another's on any query.

    Negative where it is below on every query; NaN where no query has both figures. With the
    arguments swapped it is the most by which the other is above.

    Args:
        ours: One number a query, shape (q,); NaN where it is undefined.
        theirs: The other method's, of the same queries.

    Raises:
        ValueError: Shapes that disagree.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, Max-diff).
    """
    ahead = _ahead(ours, theirs)
    return float(ahead.max()) if len(ahead) else math.nan


def _ahead(ours: ArrayLike, theirs: ArrayLike) -> NDArray[np.float64]:
    """The differences on the queries on which both are defined."""
    one, other = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"shapes {one.shape} and {other.shape}; give a number a query for both")
    ahead: NDArray[np.float64] = one - other
    return ahead[~np.isnan(ahead)]


def _rows(embeddings: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(embeddings, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(f"embeddings of shape {rows.shape}; give a matrix of finite numbers")
    return rows
