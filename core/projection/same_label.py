"""How often the nearest rows have the same label: in the full space, not on the map."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray, IntArray

NEAREST = 10
TIE = 1e-6
"""Single-precision cosines that differ by less are equal: rounding alone separates equal rows."""
_CELLS = 1 << 23
"""Cosines compared at once, 32 MB of them."""

Vector = NDArray[np.float64]


def same_label_shares(
    rows: FloatArray,
    labels: IntArray,
    groups: IntArray,
    k: int = NEAREST,
    *,
    chosen: IntArray | None = None,
    after_block: Callable[[int], None] | None = None,
) -> Vector:
    """For each row the share of its k nearest other rows that have its label, in [0, 1].

    Nearest is by cosine, and exact. Rows of one group, such as answers to one query, are not
    neighbours of each other. Rows that tie for the last places count for equal parts of them, so
    that their order does not matter: where all rows are equal, the shares are `chance_shares`.

    Args:
        rows: Shape (n, d), unit rows.
        labels: Shape (n,), a number for each label.
        groups: Shape (n,), a number for each group.
        k: How many neighbours, >= 1; all others where there are fewer.
        chosen: The rows whose neighbours are found, shape (a,); None is all of them.
        after_block: Called with the number of rows done; may raise to stop.

    Returns:
        Shape (a,); NaN for a row without a row of another group.

    Raises:
        ValueError: The shapes disagree, or k is below 1.
    """
    if rows.ndim != 2 or labels.shape != rows.shape[:1] or groups.shape != labels.shape:
        raise ValueError(
            f"rows {rows.shape}, labels {labels.shape} and groups {groups.shape} must be (n, d), "
            "(n,) and (n,)"
        )
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more")
    among = np.ascontiguousarray(rows, dtype=np.float32)
    places = np.arange(len(among)) if chosen is None else np.asarray(chosen, dtype=np.int64)
    shares = np.empty(len(places), dtype=np.float64)
    step = max(1, _CELLS // max(1, len(among)))
    for start in range(0, len(places), step):
        block = places[start : start + step]
        cosines = among[block] @ among.T  # (block, n)
        cosines[np.equal.outer(groups[block], groups)] = -np.inf
        same = np.equal.outer(labels[block], labels)
        shares[start : start + len(block)] = _shares(cosines, same, k)
        if after_block is not None:
            after_block(start + len(block))
    return shares


def chance_shares(labels: IntArray, groups: IntArray) -> Vector:
    """For each row the share of the rows of other groups that have its label, shape (n,).

    It is the average of `same_label_shares` where rows are placed at random. NaN for a row without
    a row of another group.

    Args:
        labels: Shape (n,), a number for each label.
        groups: Shape (n,), a number for each group.
    """
    _, label = np.unique(labels, return_inverse=True)
    _, group = np.unique(groups, return_inverse=True)
    _, both = np.unique(np.stack([label, group]), axis=1, return_inverse=True)
    same = np.bincount(label)[label] - np.bincount(both)[both]
    others = len(labels) - np.bincount(group)[group]
    return _ratio(same.astype(np.float64), others)


def _shares(cosines: NDArray[np.float32], same: NDArray[np.bool_], k: int) -> Vector:
    """The shares of one block; a cosine of minus infinity is no neighbour."""
    allowed = np.isfinite(cosines)
    wanted = np.minimum(k, allowed.sum(axis=1))
    at = max(0, cosines.shape[1] - k)
    last = np.partition(cosines, at, axis=1)[:, at, np.newaxis]
    surely = cosines > last + TIE  # fewer than k; all that are allowed where `last` is not
    tied = (cosines >= last - TIE) & allowed & ~surely
    open_places = wanted - surely.sum(axis=1)
    of_tied = _ratio((tied & same).sum(axis=1).astype(np.float64), tied.sum(axis=1))
    found = (surely & same).sum(axis=1) + np.where(open_places > 0, open_places * of_tied, 0.0)
    return _ratio(found, wanted)


def _ratio(numerators: Vector, denominators: IntArray) -> Vector:
    undefined = np.full(len(numerators), np.nan)
    shares: Vector = np.divide(numerators, denominators, out=undefined, where=denominators > 0)
    return shares
