"""Map: the shape of a pool, laid out once, with a query and its context drawn in."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from ...background import Job
from ...demonstration.demonstration import Demonstration, Status
from ...projection import load_umap, place, place_all, project
from ...projection.umap_projection import LOADING, PLACING, spread
from ...reporting.results.pool_map import Layout, PoolMap
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.pool_view import PoolView
from ...retrieval.retrieved import RetrievalCounts
from ...store import Pool, Store
from ...text import content_hash, counted
from ...types import FloatArray, IntArray
from ...watcher import NOBODY, Watcher
from ..explore.exploration import query_vector
from ..session.readiness import LARGE_POOL, submit_once
from ..session.studio import Setup, Studio

LAYOUT = "umap-2"
"""Part of the key of stored coordinates: a new way of laying out gets a new name."""
LAID_OUT = 50_000
"""So many distinct queries are laid out by UMAP; the others of a larger pool, a seeded choice, are
placed among their neighbours, which takes minutes less."""

FEW = 32
MOST = 200
"""Queries added after the layout are placed among their neighbours: up to a tenth of the
layout's, but never fewer than `FEW` nor more than `MOST`; beyond that it is laid out again."""


QUIET = 3.0
"""Seconds without a page after which what a map needs is loaded: it would delay the first page."""


def load_when_quiet(studio: Studio) -> None:
    """Begin to load UMAP once a page was served and nobody is any more; a map says what failed."""
    while not studio.presence.left(QUIET):
        time.sleep(QUIET / 10)
    load_umap()


def lay_out(
    store: Store,
    key: str,
    queries: Sequence[str],
    rows: FloatArray,
    seed: int,
    job: Job,
    of: str = "query",
) -> Layout:
    """Lay the queries, or what they are `of`, out by their unit rows (u, d); kept under the key.

    Raises:
        Cancelled: The job was cancelled.
    """
    points = _points(rows, seed, job, of)
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


def _points(rows: FloatArray, seed: int, job: Job, of: str) -> FloatArray:
    """The rows' points (u, 2); of very many a seeded sample is laid out, the others placed."""

    def on_phase(phase: str) -> None:
        many = counted(min(len(rows), LAID_OUT), of) + " in rounds" * (phase == PLACING)
        job.publish(phase if phase == LOADING else f"{phase} {many}")
        job.progress(0, 0)

    watcher = replace(job.watcher(), on_phase=on_phase).breathing()
    if len(rows) <= LAID_OUT:
        return project(rows, seed=seed, watcher=watcher)
    order = np.random.default_rng(seed).permutation(len(rows))
    sample, others = np.sort(order[:LAID_OUT]), np.sort(order[LAID_OUT:])
    points = np.empty((len(rows), 2), dtype=np.float32)
    points[sample] = project(rows[sample], seed=seed, watcher=watcher)

    def after_block(done: int) -> None:
        watcher.checkpoint("The map was cancelled.")
        job.progress(done, len(others))
        job.breathe()

    job.publish(f"Placing the other {counted(len(others), of)} among their neighbours")
    job.progress(0, len(others))
    points[others] = place_all(rows[others], rows[sample], points[sample], after_block=after_block)
    return points


def _layout(queries: Sequence[str], rows: FloatArray, points: FloatArray, *, placed: int) -> Layout:
    drawn_in = max(0, len(queries) - placed - LAID_OUT)
    return Layout(tuple(queries), rows, points, placed, drawn_in)


def shows(studio: Studio, view: PoolView) -> Hashable:
    """What a map of the view depends on; it changes twenty times while the quality is scored."""
    twentieths = -(-20 * view.unscored // max(1, len(view)))
    edition = studio.store.pools.get(view.name).edition
    return view.name, view.version, edition, view.encoder, view.ids.tobytes(), twentieths


def pool_map(studio: Studio, setup: Setup, view: PoolView) -> tuple[PoolMap | None, Job | None]:
    """The pool's map if it is available at once, or the background job that makes it.

    A small pool's is read from stored coordinates; a large pool's comes from the last job, for as
    long as the pool stays as it is.
    """
    pool = studio.store.pools.get(setup.pool)
    key = map_key(pool.id, view.encoder, pool.seed)
    job = studio.pool_worker.latest(_slot(key))
    made = job.result if job is not None and job.state == "finished" else None
    if made is not None and made.edition == pool.edition:
        return _as_in(made, view), None
    if len(view) <= LARGE_POOL and (job is None or job.state == "finished"):
        pool, rows, queries = _snapshot(studio, setup)
        layout = stored_layout(
            studio.store, key, queries, lambda: _embeddings(studio, setup, view, queries)
        )
        if layout is not None:
            return _as_in(_pool_map(rows, layout, view, pool), view), None
    return None, _make(studio, setup, view, key)


def lay_out_again(studio: Studio, setup: Setup) -> Job:
    """Start laying out the map again, with the queries added since."""
    view, pool = studio.view(setup), studio.store.pools.get(setup.pool)
    return _make(studio, setup, view, map_key(pool.id, view.encoder, pool.seed), again=True)


def with_retrieved(found: PoolMap, retrieved: RetrievalCounts | None) -> PoolMap:
    """The map with how often each demonstration is retrieved, if that is counted."""
    if retrieved is None:
        return found
    shares = [retrieved.shares.get(id, np.nan) for id in found.ids.tolist()]
    return replace(found, retrieved=np.array(shares))


def place_query(studio: Studio, setup: Setup, found: PoolMap, query: str) -> tuple[float, float]:
    """The query's place on the map: among its nearest neighbours, or on its own point.

    Raises:
        InvalidInput: The query is empty.
    """
    vector = query_vector(studio, setup, query)
    x, y = place(vector, found.layout.embeddings, found.layout.points)
    return float(x), float(y)


def place_queries(
    studio: Studio, setup: Setup, found: PoolMap, queries: Sequence[str]
) -> FloatArray:
    """Coordinates (m, 2) of the queries, each as `place_query` returns it."""
    vectors, _ = embed_texts(studio.store, studio.encoder(setup.encoder), queries)
    return place_all(vectors, found.layout.embeddings, found.layout.points)


def place_demonstrations(found: PoolMap, ids: Sequence[int]) -> FloatArray:
    """Coordinates (m, 2) of the demonstrations, in the order given; unknown ids are left out."""
    return found.coordinates[_positions(found, ids)]


def present(found: PoolMap, ids: Sequence[int]) -> list[Demonstration]:
    """The demonstrations with these ids that are on the map, in the order given."""
    return [found.demonstrations[position] for position in _positions(found, ids).tolist()]


def _slot(key: str) -> str:
    return f"map:{key}"


def map_key(pool_id: int, encoder: str, seed: int) -> str:
    """The key of a pool's stored coordinates; they are kept by `text_keys` of its queries."""
    return content_hash(LAYOUT, str(pool_id), encoder, str(seed))


def _snapshot(studio: Studio, setup: Setup) -> tuple[Pool, list[Demonstration], list[str]]:
    """The pool, all its demonstrations, and their distinct queries."""
    found = studio.store.pools.get(setup.pool)
    pool, rows = studio.store.demonstrations.snapshot(found.id)
    return pool, rows, list(dict.fromkeys(row.query for row in rows))


def _make(studio: Studio, setup: Setup, view: PoolView, key: str, *, again: bool = False) -> Job:
    """The job that makes the map; it is laid out unless that is stored and `again` is False."""

    def work(job: Job) -> PoolMap:
        job.publish("Reading the pool")
        pool, rows, queries = _snapshot(studio, setup)
        layout = None
        if not again:
            layout = stored_layout(
                studio.store, key, queries, lambda: _embeddings(studio, setup, view, queries)
            )
        if layout is None:
            embeddings = _embeddings(studio, setup, view, queries, job.watcher().quietly())
            layout = lay_out(studio.store, key, queries, embeddings, pool.seed, job)
        return _pool_map(rows, layout, view, pool)

    return submit_once(studio.pool_worker, _slot(key), f"Mapping {setup.pool}", work)


def _embeddings(
    studio: Studio, setup: Setup, view: PoolView, queries: Sequence[str], watcher: Watcher = NOBODY
) -> FloatArray:
    """The queries' unit rows (u, d): the view's own, and from the store those of excluded ones.

    Where nothing is excluded it is the view's own array: a large pool's fills the memory.
    """
    row_of = dict(zip(view.queries, view.rows.tolist(), strict=True))
    places = np.array([row_of.get(query, -1) for query in queries], dtype=np.int64)
    if np.array_equal(places, np.arange(len(view.embeddings))):
        return view.embeddings
    known, encoder = places >= 0, studio.encoder(setup.encoder)
    embeddings = np.empty((len(queries), encoder.dimensions), dtype=np.float32)
    embeddings[known] = view.embeddings[places[known]]
    others = [query for query, inside in zip(queries, known, strict=True) if not inside]
    embeddings[~known], _ = embed_texts(studio.store, encoder, others, watcher=watcher)
    return embeddings


def _pool_map(rows: Sequence[Demonstration], layout: Layout, view: PoolView, pool: Pool) -> PoolMap:
    """The map without quality bias and labels."""
    place_of = {query: position for position, query in enumerate(layout.queries)}
    spots = np.array([place_of[row.query] for row in rows], dtype=np.int64)
    return PoolMap(
        demonstrations=tuple(rows),
        ids=np.array([row.id for row in rows], dtype=np.int64),
        coordinates=spread(layout.points[spots]),
        excluded=np.array([row.status is Status.EXCLUDED for row in rows], dtype=bool),
        quality_bias=np.full(len(rows), np.nan),
        query_words=np.array([len(row.query.split()) for row in rows], dtype=np.int64),
        labels=("",) * len(rows),
        version=pool.version,
        edition=pool.edition,
        seed=view.seed,
        encoder=view.encoder,
        layout=layout,
    )


def _as_in(found: PoolMap, view: PoolView) -> PoolMap:
    """The map with the quality bias that is scored so far, and with the labels of the task."""
    quality_bias = np.full(len(found), np.nan)
    _, here, there = np.intersect1d(found.ids, view.ids, assume_unique=True, return_indices=True)
    quality_bias[here] = view.quality_bias[there]
    found = replace(found, quality_bias=quality_bias)
    if view.task is None:
        return found
    labels = view.task.words_of([row.answer for row in found.demonstrations])
    return replace(found, labels=labels, label_words=view.task.words)


def _positions(found: PoolMap, ids: Sequence[int]) -> IntArray:
    wanted = np.asarray(ids, dtype=np.int64)
    if not len(found) or not len(wanted):
        return np.empty(0, dtype=np.int64)
    positions = np.minimum(np.searchsorted(found.ids, wanted), len(found) - 1)
    inside: IntArray = positions[found.ids[positions] == wanted].astype(np.int64)
    return inside
