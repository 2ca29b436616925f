"""PGRA's second stage: the candidates whose task states are most similar to the query's."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray, IntArray
from .pool_arrays import Selection


class Similarity(StrEnum):
    """How two task states are compared.

    By dot product, the paper's, a few texts with a large common part come out first for most
    queries; `cosine`, the authors' code's, takes their lengths away, and `centred` what all texts
    of the pool have in common as well.
    """

    COSINE = "cosine"
    DOT = "dot"
    CENTRED = "centred"


def rerank(
    query_state: FloatArray,
    states: FloatArray,
    candidates: IntArray,
    d: int,
    *,
    similarity: str = Similarity.COSINE,
    mean: NDArray[np.float64] | None = None,
) -> Selection:
    """The d candidates most similar to the query, best first.

    Args:
        query_state: The query's task state, shape (width,), finite.
        states: Those of the pool, shape (n, width). A row that is not finite belongs to a text
            that could not be read, which may be no candidate.
        candidates: Positions in the pool, distinct, shape (c,).
        d: How many are kept: 0 keeps none, more than c keeps all.
        similarity: One of `Similarity`. `centred` subtracts the mean of all finite states.
        mean: That mean, shape (width,), where it is known; None computes it.

    Returns:
        `values` are the softmax of the similarities over all c candidates, each in [0, 1], and
        `relevance` the similarities themselves; redundancy and quality bias are NaN. Equal ones
        come in the order of their positions, and equal states have equal bits.

    Raises:
        ValueError: Shapes that disagree, a candidate that is not in the pool or is given twice, a
            state of a candidate or of the query that is not finite, d below 0, or an unknown
            similarity.

    Source: PGRA, section 2.2.
    """
    kind = Similarity(similarity)
    candidates = np.asarray(candidates, dtype=np.int64)
    _check(query_state, states, candidates, d)
    rows = states[candidates].astype(np.float64)  # (c, width)
    query = query_state.astype(np.float64)
    if kind is Similarity.CENTRED:
        if mean is None:
            mean = states[np.isfinite(states).all(axis=1)].mean(axis=0, dtype=np.float64)
        rows, query = rows - mean, query - mean
    if kind is not Similarity.DOT:
        rows, query = _unit(rows), _unit(query)
    similarities: NDArray[np.float64] = np.vecdot(rows, query)  # (c,)
    order = np.lexsort((candidates, -similarities))[:d]
    undefined = np.full(len(order), np.nan)
    return Selection(
        indices=candidates[order],
        values=_softmax(similarities)[order],
        relevance=similarities[order],
        quality_bias=undefined,
        redundancy=undefined.copy(),
    )


def _softmax(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(similarities):
        return similarities
    powers = np.exp(similarities - similarities.max())
    shares: NDArray[np.float64] = powers / powers.sum()
    return shares


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows with length 1; a row of zeros, which points nowhere, stays."""
    lengths = np.sqrt(np.vecdot(rows, rows))[..., None]
    unit: NDArray[np.float64] = np.divide(
        rows, lengths, out=np.zeros_like(rows), where=lengths > 0.0
    )
    return unit


def _check(query_state: FloatArray, states: FloatArray, candidates: IntArray, d: int) -> None:
    if states.ndim != 2 or query_state.shape != states.shape[1:] or candidates.ndim != 1:
        raise ValueError(
            f"states have shape {states.shape}, the query's {query_state.shape}, the candidates "
            f"{candidates.shape}; (n, width), (width,) and (c,) are needed"
        )
    if d < 0:
        raise ValueError(f"d is {d}; it must be 0 or more")
    if len(np.unique(candidates)) < len(candidates):
        raise ValueError("a candidate is given twice")
    if len(candidates) and not 0 <= candidates.min() <= candidates.max() < len(states):
        raise ValueError(f"candidates must be positions below {len(states)}")
    if not np.isfinite(states[candidates]).all() or not np.isfinite(query_state).all():
        raise ValueError("a task state is not finite")
