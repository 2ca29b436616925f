"""A map of the pool: seeded UMAP over exact neighbours; new points on it, spread points."""

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Lock, RLock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native import import_faiss
from ..types import FloatArray, IntArray
from ..watcher import NOBODY, Watcher

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


BLOCK = 4096
"""Rows compared at once: FAISS's own block, seconds among 50,000 rows between two looks."""


def exact_neighbours(
    rows: NDArray[np.float32], k: int, after_block: Callable[[int], None]
) -> tuple[IntArray, NDArray[np.float32]]:
    """Each row's k nearest rows by cosine, itself first, and their cosine distances.

    Of distinct unit rows (n, d): indices (n, k) and distances (n, k), >= 0 and ascending, the first
    0. `after_block` is called with the number of rows done, and may raise to stop.
    """
    n = len(rows)
    nearest = np.empty((n, k), dtype=np.int64)
    distances = np.empty((n, k), dtype=np.float32)
    for start, stop, found, cosines in most_similar(rows, rows, k):
        # Rounding may put near doubles before the row itself.
        own = found == np.arange(start, stop)[:, np.newaxis]
        own[~own.any(axis=1), -1] = True
        found[own], cosines[own] = np.arange(start, stop), np.inf
        order = np.lexsort((found, -cosines), axis=1)
        nearest[start:stop] = np.take_along_axis(found, order, axis=1)
        distances[start:stop] = np.maximum(0.0, 1.0 - np.take_along_axis(cosines, order, axis=1))
        after_block(stop)
    return nearest, distances


def most_similar(
    queries: FloatArray, rows: FloatArray, k: int
) -> Iterator[tuple[int, int, IntArray, NDArray[np.float32]]]:
    """Start and stop of a block of queries (q, d), and for each its k rows (n, d) most similar.

    Those are indices (block, k) and inner products (block, k), the largest first; which of those
    that are equal to the k-th come along is FAISS's choice, the same every time.
    """
    faiss = import_faiss()
    vectors = np.ascontiguousarray(queries, dtype=np.float32)
    among = np.ascontiguousarray(rows, dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK]
        products, found = faiss.knn(block, among, k, metric=faiss.METRIC_INNER_PRODUCT)
        yield start, start + len(block), found, products


NEIGHBOURS = 15
EPOCHS = 200
"""Within 0.01 of the trustworthiness of UMAP's own 500 and spectral start, in 40 % of the time."""

FINDING, LOADING, PLACING = "Finding the neighbours of", "Loading UMAP", "Placing"
"""The phases of `project`: rows are counted, then nothing, then rounds of the layout."""

_one_at_a_time = RLock()
"""Numba's plainest threading layer ends the process when two threads enter it."""
_beginning = Lock()
_begun: "list[Future[None]]" = []
_LOOK = 0.1  # seconds


def load_umap() -> "Future[None]":
    """UMAP imported and compiled on a thread of its own: once, and again only after a failure."""
    with _beginning:
        if not _begun or (_begun[-1].done() and _begun[-1].exception() is not None):
            _begun.append(Future())
            Thread(target=_load, args=_begun[-1:], name="umap", daemon=True).start()
        return _begun[-1]


def _load(loaded: "Future[None]") -> None:
    """Lay a few rows out: numba compiles what is called, which takes longer than the import."""
    rows = np.random.default_rng(0).standard_normal((32, 4)).astype(np.float32)
    nearest = np.add.outer(np.arange(32), np.arange(5)) % 32
    distances = np.tile(np.linspace(0.0, 0.4, 5, dtype=np.float32), (32, 1))
    try:
        _umap(rows, nearest, distances, 0, lambda done, total: None)
    except Exception as fault:  # noqa: BLE001 the next map raises it
        loaded.set_exception(fault)
    else:
        loaded.set_result(None)


def project(
    embeddings: FloatArray,
    *,
    seed: int = 0,
    neighbours: int = NEIGHBOURS,
    watcher: Watcher = NOBODY,
) -> NDArray[np.float32]:
    """Points of the rows on a plane, shape (n, 2); near rows come near, far distances mean little.

    Equal rows are laid out once and placed side by side. Another order of the rows gives the same
    map, except for the order among equals.
    Too few distinct rows for their neighbourhoods (up to `neighbours` + 1) are laid out by their
    principal components. The same seed gives the same map on the same machine.

    Args:
        embeddings: Shape (n, d), unit rows.
        seed: Of UMAP.
        neighbours: Size of a neighbourhood, >= 2: few show fine grain, many the large shape.
        watcher: Gets the phases and what each counts.

    Raises:
        ValueError: Not (n, d), not finite, or `neighbours` below 2.
        Cancelled: The watcher asked to stop.

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

    def after_step(done: int, total: int = len(distinct)) -> None:
        watcher.checkpoint("The map was cancelled.")
        watcher.on_progress(done, total)

    if len(distinct) <= neighbours + 1 or distinct.shape[1] < 3:
        points = _principal_plane(distinct)
    else:
        watcher.on_phase(FINDING)
        nearest, distances = exact_neighbours(distinct, neighbours, after_step)
        watcher.on_phase(LOADING)
        loading = load_umap()
        while not wait([loading], timeout=_LOOK).done:
            watcher.checkpoint("The map was cancelled.")
            watcher.breathe()
        loading.result()
        watcher.on_phase(PLACING)
        points = _umap(distinct, nearest, distances, seed, after_step)
    return spread(points[group])


@contextmanager
def _report_rounds(layouts: Any, after_round: Callable[[int, int], None]) -> Iterator[None]:
    """In the block UMAP's bar is ours: its own cannot be left from inside without its lock."""

    def rounds(numbers: range, **_: Any) -> Iterator[int]:
        for number in numbers:
            yield number
            after_round(number + 1, len(numbers))

    before, layouts.tqdm = layouts.tqdm, rounds
    try:
        yield
    finally:
        layouts.tqdm = before


def _umap(
    rows: NDArray[np.float32],
    nearest: NDArray[np.int64],
    distances: NDArray[np.float32],
    seed: int,
    after_round: Callable[[int, int], None],
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
        with _report_rounds(umap.layouts, after_round):
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


LEAST_DISTANCE = 1e-6


def place(
    query: FloatArray, embeddings: FloatArray, coordinates: FloatArray, neighbours: int = 5
) -> NDArray[np.float32]:
    """The query's point, shape (2,): the mean of its nearest rows' points, the nearer the heavier.

    A row's weight is its cosine over its cosine distance, so that a query that is in the pool
    falls on its own point. Where nothing is similar the weights are equal. The map itself stays.
    With one of the `neighbours` the query is put on the nearest row.

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
    """The points (q, 2) of many queries, unit rows (q, d), each as `place` returns it.

    They lie among unit rows (n, d) with coordinates (n, 2). `after_block` is called with the number
    of queries done, and may raise to stop.

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
