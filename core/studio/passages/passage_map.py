"""The map of a collection of passages: laid out by their embeddings, once, and stored."""

import numpy as np

from ...background import Job
from ...passages.collected import Collected
from ...projection import place
from ...projection.spreading import spread
from ...reporting.results.passage_map import PassageMap
from ...reporting.results.pool_map import Layout
from ...settings import SEED
from ...text import content_hash
from ..map.laying_out import LAYOUT, lay_out, stored_layout
from ..session.jobs import submit_once
from ..session.studio import Studio


def passage_map(
    studio: Studio, name: str, encoder: str | None = None
) -> tuple[PassageMap | None, Job | None]:
    """The collection's map as the last job made it, or the background job that makes it.

    The job embeds what is not embedded yet. Passages that are added later are placed among their
    neighbours, as queries of a pool's map are; beyond that all are laid out again.

    Raises:
        InvalidInput: No collection has that name.
    """
    collection, loaded = studio.store.passages.get(name), studio.encoder(encoder)
    slot = f"passages:{collection.version}:{loaded.fingerprint}"
    made = studio.pool_worker.latest(slot)
    if made is not None and made.state == "finished":
        result: PassageMap = made.result
        return result, None

    def work(job: Job) -> PassageMap:
        job.publish("Embedding the passages")
        collected = studio.collected(
            name, loaded, on_progress=job.progress, cancelled=job.cancelled
        )
        layout = _layout(studio, collected, map_key(collection.id, loaded.fingerprint), job)
        return _map(studio, collected, layout, loaded.name)

    return None, submit_once(studio.pool_worker, slot, f"Mapping {collection.name}", work)


def map_key(collection_id: int, encoder: str) -> str:
    """The key of a collection's stored coordinates; they are kept by `text_keys` of its texts."""
    return content_hash(LAYOUT, "passages", str(collection_id), encoder)


def place_query(
    studio: Studio, found: PassageMap, query: str, encoder: str | None = None
) -> tuple[float, float]:
    """The query's place on the map, among its nearest passages."""
    vector = studio.query_vector(encoder, query)
    x, y = place(vector, found.layout.embeddings, found.layout.points)
    return float(x), float(y)


def _layout(studio: Studio, collected: Collected, key: str, job: Job) -> Layout:
    assert collected.embeddings is not None
    first: dict[str, int] = {}
    for place_, text in enumerate(collected.texts):
        first.setdefault(text, place_)
    texts, rows = list(first), collected.embeddings[list(first.values())]
    stored = stored_layout(studio.store, key, texts, lambda: rows)
    return lay_out(studio.store, key, texts, rows, SEED, job) if stored is None else stored


def _map(studio: Studio, collected: Collected, layout: Layout, encoder: str) -> PassageMap:
    point_of = {text: point for point, text in enumerate(layout.queries)}
    rows = studio.store.passages.by_ids([each.id for each in collected.passages])
    return PassageMap(
        collection=collected.name,
        version=collected.version,
        encoder=encoder,
        seed=SEED,
        ids=np.array([row.id for row in rows], dtype=np.int64),
        coordinates=spread(layout.points[[point_of[text] for text in collected.texts]]),
        titles=tuple(row.title for row in rows),
        texts=tuple(row.text for row in rows),
        sources=tuple(row.source for row in rows),
        layout=layout,
    )
