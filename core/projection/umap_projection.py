"""A map of the pool: UMAP over exact neighbours, seeded: the same pool gives the same map."""

import warnings
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..errors import Cancelled
from ..types import FloatArray, IsCancelled, OnProgress
from .neighbours import exact_neighbours
from .spreading import spread

NEIGHBOURS = 15
EPOCHS = 200
"""Within 0.01 of the trustworthiness of UMAP's own 500 and spectral start, in 40 % of the time."""

_one_at_a_time = Lock()
"""Numba's plainest threading layer ends the process when two threads enter it."""


def project(
    embeddings: FloatArray,
    *,
    seed: int = 0,
    neighbours: int = NEIGHBOURS,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> NDArray[np.float32]:
    """Points of the rows on a plane, shape (n, 2); near rows come near, far distances mean little.

    Equal rows are laid out once and placed side by side. Another order of the rows gives the same
    map, except for the order among equals.
    Too few distinct rows for their neighbourhoods (up to `neighbours` + 1) are laid out by their
    principal components.

    Args:
        embeddings: Shape (n, d), unit rows.
        seed: The same seed gives the same map on the same machine.
        neighbours: Size of a neighbourhood, >= 2: few show fine grain, many the large shape.
        on_progress: Called with (done, total): the first half is the search for neighbours.
        cancelled: Called between blocks of that search and before the layout.

    Raises:
        ValueError: Not (n, d), not finite, or `neighbours` below 2.
        Cancelled: `cancelled` answered True.

    Source: McInnes, Healy and Melville 2018.
    """
    rows = np.asarray(embeddings, dtype=np.float32)
    if rows.ndim != 2:
        raise ValueError(f"embeddings must have shape (n, d), not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("embeddings must be finite")
    if neighbours < 2:
        raise ValueError(f"neighbours must be at least 2, not {neighbours}")
    if len(rows) == 0:
        return np.empty((0, 2), dtype=np.float32)
    distinct, group = np.unique(rows, axis=0, return_inverse=True)

    def after_block(done: int) -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("The map was cancelled.")
        if on_progress is not None:
            on_progress(done, 2 * len(distinct))

    if len(distinct) <= neighbours + 1 or distinct.shape[1] < 3:
        points = _principal_plane(distinct)
    else:
        nearest, distances = exact_neighbours(distinct, neighbours, after_block)
        points = _umap(distinct, nearest, distances, seed)
    if on_progress is not None:
        on_progress(2 * len(distinct), 2 * len(distinct))
    return spread(points[group])


def _umap(
    rows: NDArray[np.float32],
    nearest: NDArray[np.int64],
    distances: NDArray[np.float32],
    seed: int,
) -> NDArray[np.float32]:
    import umap

    with _one_at_a_time, warnings.catch_warnings():
        # New queries are placed by `place`, not by UMAP's own search.
        warnings.filterwarnings("ignore", message=r"precomputed_knn\[2\]")
        layout = umap.UMAP(
            n_neighbors=nearest.shape[1],
            metric="cosine",
            init="pca",
            n_epochs=EPOCHS,
            random_state=seed,
            n_jobs=1,
            precomputed_knn=(nearest.astype(np.int32), distances, None),
            # Below 4,096 rows UMAP would compute all pairs in a slow loop despite the neighbours.
            force_approximation_algorithm=True,
        )
        return np.asarray(layout.fit_transform(rows), dtype=np.float32)


def _principal_plane(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The first two principal components, shape (n, 2); missing ones are 0."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    left, strengths, axes = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(rows), 2), dtype=np.float32)
    for component in range(min(2, len(strengths))):
        axis = axes[component]
        # An axis has no direction of its own: its largest entry is made positive.
        sign = np.sign(axis[np.argmax(np.abs(axis))]) or 1.0
        points[:, component] = sign * left[:, component] * strengths[component]
    return points
