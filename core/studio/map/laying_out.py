"""Rows laid out on a map, once for the same texts, and stored."""

from collections.abc import Callable, Sequence

import numpy as np

from ...background import Job
from ...errors import Cancelled
from ...projection import place_all, project
from ...reporting.results.pool_map import Layout
from ...store import Store
from ...text import content_hash
from ...types import FloatArray, IntArray

LAYOUT = "umap-2"
"""Part of the key of stored coordinates: a new way of laying out gets a new name."""

LAID_OUT = 50_000
"""So many distinct queries are laid out by UMAP; the others of a larger pool, a seeded choice, are
placed among their neighbours, which takes minutes less."""

LAYING_OUT = "Laying out: a few seconds per 1,000 points, longer the first time"

FEW = 32
MOST = 200
"""Queries added after the layout are placed among their neighbours: up to a tenth of the
layout's, but never fewer than `FEW` nor more than `MOST`; beyond that it is laid out again."""


def lay_out(
    store: Store, key: str, queries: Sequence[str], rows: FloatArray, seed: int, job: Job
) -> Layout:
    """Lay the queries out by their unit rows (u, d), and keep that under the key.

    Raises:
        Cancelled: The job was cancelled.
    """
    points = _points(rows, seed, job)
    store.coordinates.put(key, text_keys(queries), points)
    return _layout(queries, rows, points, placed=0)


def stored_layout(
    store: Store, key: str, queries: Sequence[str], rows: Callable[[], FloatArray]
) -> Layout | None:
    """The layout under the key, with queries added since placed among their neighbours.

    None where there is none, or too many were added. `rows` returns the queries' unit rows (u, d).
    """
    stored = store.coordinates.get(key)
    if stored is None:
        return None
    keys, points = stored
    order = np.argsort(keys)
    wanted = text_keys(queries)
    found = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    known = keys[order][found] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
    missing = int((~known).sum())
    if missing == len(queries) > 0 or missing > min(max(FEW, len(keys) // 10), MOST):
        return None
    embeddings = rows()
    laid = np.empty((len(queries), 2), dtype=np.float32)
    laid[known] = points[order][found[known]]
    if missing:
        laid[~known] = place_all(embeddings[~known], embeddings[known], laid[known])
    return _layout(queries, embeddings, laid, placed=missing)


def text_keys(queries: Sequence[str]) -> IntArray:
    """A number that identifies each text, shape (u,): the first 63 bits of its hash."""
    return np.array([int(content_hash(text)[:16], 16) >> 1 for text in queries], dtype=np.int64)


def _points(rows: FloatArray, seed: int, job: Job) -> FloatArray:
    """The rows' points (u, 2); of very many a seeded sample is laid out, the others placed."""

    def progressed(done: int, total: int) -> None:
        finding = done < total // 2
        job.publish("Finding the queries' neighbours" if finding else LAYING_OUT)
        job.progress(done, total // 2 if finding else 0)
        job.breathe()

    if len(rows) <= LAID_OUT:
        return project(rows, seed=seed, on_progress=progressed, cancelled=job.cancelled)
    order = np.random.default_rng(seed).permutation(len(rows))
    sample, others = np.sort(order[:LAID_OUT]), np.sort(order[LAID_OUT:])
    points = np.empty((len(rows), 2), dtype=np.float32)
    points[sample] = project(
        rows[sample], seed=seed, on_progress=progressed, cancelled=job.cancelled
    )

    def after_block(done: int) -> None:
        if job.cancelled():
            raise Cancelled("The map was cancelled.")
        job.progress(done, len(others))
        job.breathe()

    job.publish("Placing the other queries among their neighbours")
    job.progress(0, len(others))
    points[others] = place_all(rows[others], rows[sample], points[sample], after_block=after_block)
    return points


def _layout(queries: Sequence[str], rows: FloatArray, points: FloatArray, *, placed: int) -> Layout:
    drawn_in = max(0, len(queries) - placed - LAID_OUT)
    return Layout(tuple(queries), rows, points, placed, drawn_in)
