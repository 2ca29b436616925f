"""Where a new query belongs on a map that exists."""

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray

LEAST_DISTANCE = 1e-6


def place(
    query: FloatArray, embeddings: FloatArray, coordinates: FloatArray, neighbours: int = 5
) -> NDArray[np.float32]:
    """The query's point, shape (2,): the mean of its nearest rows' points, the nearer the heavier.

    A row's weight is its cosine over its cosine distance, so that a query that stands in the pool
    falls on its own point. Where nothing is similar the weights are equal. The map itself stays.

    Args:
        query: Shape (d,), unit.
        embeddings: Shape (n, d), n >= 1, unit rows.
        coordinates: Shape (n, 2), the rows' points.
        neighbours: How many rows count, >= 1: one puts the query on the nearest row.

    Raises:
        ValueError: The shapes disagree, there is no row, or `neighbours` is below 1.
    """
    if coordinates.shape != (len(embeddings), 2) or query.shape != embeddings.shape[1:]:
        raise ValueError(
            f"query {query.shape}, embeddings {embeddings.shape} and coordinates "
            f"{coordinates.shape} must be (d,), (n, d) and (n, 2)"
        )
    if len(embeddings) == 0 or neighbours < 1:
        raise ValueError("placing needs at least one row and one neighbour")
    cosines = (embeddings @ query).astype(np.float64)  # (n,)
    nearest = np.argsort(-cosines, kind="stable")[:neighbours]
    similarity = np.maximum(cosines[nearest], 0.0)
    weights = similarity / np.maximum(1.0 - similarity, LEAST_DISTANCE)
    if not weights.any():
        weights = np.ones(len(nearest))
    return np.average(coordinates[nearest], axis=0, weights=weights).astype(np.float32)
