"""Points that would hide each other are set side by side."""

import numpy as np
from numpy.typing import NDArray

SAME_WITHIN = 1e-6
"""Of the map's extent: points closer than this cannot be distinguished."""

SPACING = 0.006
"""Of the map's extent: about a marker's width on a screen."""

CROWD = 0.5
"""The spacing is at most this over sqrt(n), so that a large map is not stirred up."""

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def spread(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """The points, shape (n, 2), those on one spot fanned out around it as a sunflower's seeds.

    Deterministic: the lowest index keeps the spot, and single points stay where they are.
    """
    if len(points) < 2:
        return points
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    spots = np.round(points.astype(np.float64) / (extent * SAME_WITHIN)).astype(np.int64)
    _, group, sizes = np.unique(spots, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rank = np.empty(len(points), dtype=np.int64)  # 0, 1, 2, ... within each spot
    rank[order] = np.arange(len(points)) - np.repeat(starts, sizes)
    radius = extent * min(SPACING, CROWD / np.sqrt(len(points))) * np.sqrt(rank)
    offset = radius * np.array([np.cos(rank * GOLDEN_ANGLE), np.sin(rank * GOLDEN_ANGLE)])
    moved: NDArray[np.float32] = (points + offset.T).astype(np.float32)
    return moved
