"""The place of a new query on an existing map."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray
from .neighbours import most_similar

LEAST_DISTANCE = 1e-6


def place(
    query: FloatArray, embeddings: FloatArray, coordinates: FloatArray, neighbours: int = 5
) -> NDArray[np.float32]:
    """The query's point, shape (2,): the mean of its nearest rows' points, the nearer the heavier.

    A row's weight is its cosine over its cosine distance, so that a query that is in the pool
    falls on its own point. Where nothing is similar the weights are equal. The map itself stays.

    Args:
        query: Shape (d,), unit.
        embeddings: Shape (n, d), n >= 1, unit rows.
        coordinates: Shape (n, 2), the rows' points.
        neighbours: How many rows count, >= 1: one puts the query on the nearest row.

    Raises:
        ValueError: The shapes disagree, there is no row, or `neighbours` is below 1.
    """
    if query.ndim != 1:
        raise ValueError(f"query {query.shape} must be (d,)")
    (point,) = place_all(query[np.newaxis], embeddings, coordinates, neighbours)
    return np.asarray(point, dtype=np.float32)


def place_all(
    queries: FloatArray,
    embeddings: FloatArray,
    coordinates: FloatArray,
    neighbours: int = 5,
    after_block: Callable[[int], None] | None = None,
) -> NDArray[np.float32]:
    """The points of many queries, shape (q, 2), each as `place` returns it.

    Args:
        queries: Shape (q, d), unit rows.
        embeddings: Shape (n, d), n >= 1, unit rows.
        coordinates: Shape (n, 2), the rows' points.
        neighbours: How many rows count, >= 1.
        after_block: Called with the number of queries done; may raise to stop.

    Raises:
        ValueError: As for `place`.
    """
    if coordinates.shape != (len(embeddings), 2) or queries.shape[1:] != embeddings.shape[1:]:
        raise ValueError(
            f"queries {queries.shape}, embeddings {embeddings.shape} and coordinates "
            f"{coordinates.shape} must be (q, d), (n, d) and (n, 2)"
        )
    if len(embeddings) == 0 or neighbours < 1:
        raise ValueError("placing needs at least one row and one neighbour")
    points = np.empty((len(queries), 2), dtype=np.float32)
    k = min(neighbours, len(embeddings))
    for start, stop, nearest, cosines in most_similar(queries, embeddings, k):
        similarity = np.maximum(cosines.astype(np.float64), 0.0)
        weights = similarity / np.maximum(1.0 - similarity, LEAST_DISTANCE)
        weights[~weights.any(axis=1)] = 1.0
        weights /= weights.sum(axis=1, keepdims=True)
        points[start:stop] = (coordinates[nearest] * weights[:, :, np.newaxis]).sum(axis=1)
        if after_block is not None:
            after_block(stop)
    return points
