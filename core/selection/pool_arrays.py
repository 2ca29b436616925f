"""The checks that every selection makes of its arrays, and what it returns."""

import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..interval import Stretch
from ..types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class OpenRows:
    """The rows of n demonstrations, of which k can be chosen."""

    embeddings: FloatArray  # (n, d), as given where that is float32 or float64
    closed: BoolArray  # (n,), True = may not be chosen; an array of our own
    k: int
    groups: IntArray | None  # (n,), of each at most one may be chosen

    def closed_by(self, row: int) -> IntArray:
        """The rows that may not be chosen any more once this one was: itself, and its group."""
        if self.groups is None:
            return np.array([row])
        return np.flatnonzero(self.groups == self.groups[row])


@dataclass(frozen=True, slots=True, eq=False)
class PoolArrays(OpenRows):
    """The same with relevance and quality bias of the demonstrations, and those chosen first."""

    relevance: NDArray[np.float64]  # (n,)
    quality_bias: NDArray[np.float64] | None  # (n,)
    pinned: list[int]  # at most k rows, in order


def pool_arrays(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    quality_bias: ArrayLike | None,
    excluded: ArrayLike | None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> PoolArrays:
    """The arguments as numpy arrays, k cut to the rows that are not excluded.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, a negative k, a pinned row
            that does not exist or comes twice.
    """
    rows = open_rows(embeddings, k, excluded, groups)
    n = len(rows.embeddings)
    arrays = PoolArrays(
        embeddings=rows.embeddings,
        closed=rows.closed,
        k=rows.k,
        groups=rows.groups,
        relevance=finite_vector("relevance", relevance, n),
        quality_bias=(
            None if quality_bias is None else finite_vector("quality_bias", quality_bias, n)
        ),
        pinned=[] if pinned is None else _open_first(rows, pinned),
    )
    # With two picks or more the first pass over the rows finds a broken value at no cost.
    if arrays.k < 2:
        check_finite(arrays.embeddings)
    return arrays


def open_rows(
    embeddings: ArrayLike, k: int, excluded: ArrayLike | None, groups: ArrayLike | None = None
) -> OpenRows:
    """The arguments as numpy arrays, k cut to the rows that are not excluded, or to their groups.

    Raises:
        ValueError: Shapes that disagree, a negative k. Whether the values are finite is not
            checked: that takes a pass over the rows.
    """
    rows = np.asarray(embeddings)
    if rows.ndim != 2:
        raise ValueError(f"embeddings have shape {rows.shape}; give (n, d)")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    closed = _mask(excluded, len(rows))
    try:
        wanted = operator.index(k)
    except TypeError:
        raise ValueError(f"k is {k!r}; give a whole number, 0 or more") from None
    if wanted < 0:
        raise ValueError(f"k is {wanted}; give a whole number, 0 or more")
    of_group = None if groups is None else _numbers(groups, len(rows))
    most = len(rows) - int(closed.sum()) if of_group is None else len(np.unique(of_group[~closed]))
    return OpenRows(rows, closed, min(wanted, most), of_group)


def check_finite(embeddings: FloatArray) -> None:
    """One pass over the rows; ValueError when a value is not finite."""
    if not np.isfinite(embeddings).all():
        raise ValueError("embeddings contain a value that is not finite")


def finite_vector(name: str, given: ArrayLike, length: int) -> NDArray[np.float64]:
    """The vector in float64, shape (length,); ValueError when it is anything else."""
    vector = np.asarray(given, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {vector.shape}; give ({length},)")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} contains a value that is not finite")
    return vector


def checked_lambda(name: str, given: float) -> float:
    """The weight as a float; ValueError when it is outside [0, 1] or NaN."""
    if not 0 <= given <= 1:
        raise ValueError(f"{name} is {given}; give a number from 0 to 1")
    return float(given)


def _open_first(rows: OpenRows, pinned: ArrayLike) -> list[int]:
    """The pinned rows that can be chosen, in their order, at most k."""
    given, n = np.asarray(pinned), len(rows.embeddings)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and len(given)):
        raise ValueError(
            f"pinned has shape {given.shape} and type {given.dtype}; give the numbers of rows"
        )
    if len(given) and (given.min() < 0 or given.max() >= n or len(np.unique(given)) < len(given)):
        raise ValueError(f"pinned is {given.tolist()}; give distinct numbers from 0 to {n - 1}")
    closed = rows.closed.copy()
    found: list[int] = []
    for row in map(int, given):
        if not closed[row] and len(found) < rows.k:
            found.append(row)
            closed[rows.closed_by(row)] = True
    return found


def _numbers(groups: ArrayLike, n: int) -> IntArray:
    """The number of each row's group, shape (n,); ValueError when they are anything else."""
    numbers = np.asarray(groups)
    if numbers.shape != (n,) or (numbers.dtype.kind not in "iu" and n):
        raise ValueError(
            f"groups have shape {numbers.shape} and type {numbers.dtype}; give integers ({n},)"
        )
    return numbers.astype(np.int64)


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


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen demonstrations, in the order chosen, each with the parts of its value.

    All arrays have shape (k,), floats are float64. `values` has the winning value of each step:
    the valued relevance v for the first pick, the weighed value w for the others.
    `redundancy[0]` is NaN (nothing was chosen before), and `quality_bias` is all NaN where none
    was given.
    """

    indices: IntArray
    values: FloatArray
    relevance: FloatArray
    quality_bias: FloatArray
    redundancy: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PathPiece(Stretch):
    """One piece of a path over lambda_d or lambda_b: these indices, in this order, shape (k,)."""

    indices: IntArray
