"""The checks that every selection makes of its arrays, in one place."""

import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PoolArrays:
    """Arrays that agree with each other: n demonstrations, of which k can be chosen."""

    relevance: NDArray[np.float64]  # (n,)
    embeddings: FloatArray  # (n, d), as given where that is float32 or float64
    quality_bias: NDArray[np.float64] | None  # (n,)
    closed: BoolArray  # (n,), True = may not be chosen
    k: int


def pool_arrays(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    quality_bias: ArrayLike | None,
    excluded: ArrayLike | None,
) -> PoolArrays:
    """The arrays as numpy knows them, k cut to the rows that are not excluded.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a negative k.
    """
    rows = np.asarray(embeddings)
    if rows.ndim != 2:
        raise ValueError(f"embeddings have shape {rows.shape}; give (n, d)")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    n = len(rows)
    bias = None if quality_bias is None else finite_vector("quality_bias", quality_bias, n)
    closed = _mask(excluded, n)
    try:
        wanted = operator.index(k)
    except TypeError:
        raise ValueError(f"k is {k!r}; give a whole number, 0 or more") from None
    if wanted < 0:
        raise ValueError(f"k is {wanted}; give a whole number, 0 or more")
    arrays = PoolArrays(
        relevance=finite_vector("relevance", relevance, n),
        embeddings=rows,
        quality_bias=bias,
        closed=closed,
        k=min(wanted, n - int(closed.sum())),
    )
    # With two picks or more the first pass over the rows finds a broken value for nothing.
    if arrays.k < 2 and not np.isfinite(rows).all():
        raise ValueError("embeddings hold a value that is not finite")
    return arrays


def finite_vector(name: str, given: ArrayLike, length: int) -> NDArray[np.float64]:
    """The vector in float64, shape (length,); ValueError when it is anything else."""
    vector = np.asarray(given, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {vector.shape}; give ({length},)")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} holds a value that is not finite")
    return vector


def checked_lambda(name: str, given: float) -> float:
    """The weight as a float; ValueError when it is outside [0, 1] or NaN."""
    if not 0 <= given <= 1:
        raise ValueError(f"{name} is {given}; give a number from 0 to 1")
    return float(given)


def _mask(excluded: ArrayLike | None, n: int) -> BoolArray:
    """The excluded rows as an array of our own, which the selection may write to."""
    if excluded is None:
        return np.zeros(n, dtype=bool)
    mask = np.array(excluded)
    if mask.shape != (n,) or (mask.dtype != bool and n):
        raise ValueError(
            f"excluded has shape {mask.shape} and type {mask.dtype}; give a boolean mask ({n},)"
        )
    return mask.astype(bool)
