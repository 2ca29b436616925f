"""How nearly a context's demonstrations, added up, point at the query."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..interval import NOWHERE
from .metric import Group, MetricInfo
from .scores import per_example

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
    """`cos_sum` where each row's cosine with the query is known: they add up as the rows do.

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


def _rows(embeddings: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(embeddings, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(f"embeddings of shape {rows.shape}; give a matrix of finite numbers")
    return rows


COS_SUM = MetricInfo(
    name="cos_sum",
    label="Cosine of the sum",
    explanation=(
        "How nearly the demonstrations of a context, added up, point at the query: the "
        "cosine of their sum with it, 1 when they make up the query's own direction. It "
        "is what VRSD maximises, so read it beside DPO and delta, which say what that does "
        "to the answers."
    ),
    unit="cosine",
    higher_is_better=None,
    source="Gao, Deng and Zhang 2024, VRSD (mean)",
    numerators=cos_sum_numerators,
    denominators=cos_sum_denominators,
    ends=("farther from the query", "nearer to the query"),
    group=Group.CONTEXT,
)
