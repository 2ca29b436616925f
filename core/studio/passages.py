"""Collections of passages: importing, embedding, searching, removing and mapping them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice

import numpy as np

from ..background import Job, Urgency
from ..errors import InvalidInput
from ..passages.columns import Columns
from ..passages.importing import PassageImport, cut_sentence, import_documents, parts
from ..passages.reading import Source, read_documents
from ..passages.search import BM25_TEMPERATURE, PassageArrays, PassageSearch, SearchBy
from ..passages.splitting import USUAL, Lengths
from ..programs.primitives.search import TEMPERATURE, Fusion, comb_sum, reciprocal_rank
from ..projection import place
from ..projection.umap_projection import spread
from ..recorded import Recorded
from ..reporting.results.pool_map import Layout, PassageMap
from ..retrieval.embedded_texts import embed_texts
from ..settings import SEED
from ..store import CollectionSummary, PassageDraft
from ..text import content_hash, is_blank
from ..watcher import NOBODY, Watcher
from .map.pool_map import LAYOUT, lay_out, stored_layout
from .pools.pools import uploaded
from .session.readiness import submit_once
from .session.studio import Studio

K = 5
"""How many passages a search finds where no other number is asked for."""

FUSIONS: dict[str, Fusion] = {"comb-sum": comb_sum, "reciprocal-rank": reciprocal_rank}
"""What makes one list of the dense and the BM25 one, by name."""


@dataclass(frozen=True, kw_only=True)
class PassagesImportRequest:
    """What was read of a file, and the collection that its passages go to."""

    source: Source
    collection: str
    lengths: Lengths = USUAL


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """What is searched for, where and how: an `encoder` of None is the bundled one."""

    collection: str
    query: str
    k: int = K
    by: SearchBy = SearchBy.FUSED
    encoder: str | None = None
    fuse: str = "comb-sum"


@dataclass(frozen=True, kw_only=True)
class FoundPassage:
    """A passage that was found, and where it comes from.

    `cut` is whether it is longer than the encoder's window; False where no encoder is used.
    """

    id: int
    title: str
    text: str
    source: str
    document: int
    part: int
    score: float
    probability: float | None
    cut: bool


@dataclass(frozen=True, kw_only=True)
class SearchResult(Recorded):
    """What a search found in that version of a collection, the best first.

    `fuse` is None where there is one list, `encoder` for a search by words alone; `temperatures`
    are the softmax temperatures of each list's probabilities.
    """

    collection: str
    version: int
    query: str
    by: SearchBy
    fuse: str | None
    encoder: str | None
    temperatures: dict[str, float]
    passages: tuple[FoundPassage, ...]


@dataclass(frozen=True, kw_only=True)
class EmbeddedPassages(Recorded):
    """How many texts were embedded now, and before; `cut` are the ids of the too long ones."""

    collection: str
    embedded: int
    reused: int
    encoder: str
    dimensions: int
    cut: tuple[int, ...]
    notes: tuple[str, ...]


def read_upload(
    name: str,
    content: bytes,
    *,
    format: str | None = None,
    mapping: Columns | None = None,
    encoding: str | None = None,
) -> Source:
    """The documents of a file that came through the browser; see `read_documents`."""
    with uploaded(name, content) as path:
        return read_documents(path, format=format, mapping=mapping, encoding=encoding)


def first_passages(request: PassagesImportRequest, count: int) -> list[PassageDraft]:
    """What the file's first documents become, so many passages at most."""
    drafts = (drafts for _, drafts in parts(request.source, request.lengths))
    return list(islice(chain.from_iterable(drafts), count))


def run_import(
    studio: Studio, request: PassagesImportRequest, watcher: Watcher = NOBODY
) -> PassageImport:
    """Split the file's documents and add what is new to the collection; see `import_documents`."""
    return import_documents(
        studio.store, request.source, request.collection, request.lengths, watcher
    )


def start_import(studio: Studio, request: PassagesImportRequest) -> Job:
    """The background job that imports; its result is the `PassageImport`."""

    def work(job: Job) -> PassageImport:
        return run_import(studio, request, job.watcher())

    slot = f"passages import:{content_hash(request.collection)}"
    label = f"Importing passages into {request.collection}"
    return studio.pool_worker.submit(slot, label, work, urgency=Urgency.SHOWN)


def summaries(studio: Studio) -> list[CollectionSummary]:
    """All collections with their counts, in the order of their names."""
    return studio.store.passages.all()


def names(studio: Studio) -> list[str]:
    """The names of all collections, in their order: quicker than their counts."""
    return studio.store.passages.names()


def remove(studio: Studio, name: str) -> int:
    """Remove a collection for good; how many passages it had."""
    return studio.store.passages.remove(name)


def embed(
    studio: Studio, name: str, encoder: str | None = None, watcher: Watcher = NOBODY
) -> EmbeddedPassages:
    """Embed the passages that are not embedded yet; what was embedded before a stop is kept.

    Raises:
        InvalidInput: No collection has that name.
    """
    loaded = studio.encoder(encoder)
    collected = studio.collected(name, None)
    texts = list(dict.fromkeys(collected.texts))
    rows, embedded = embed_texts(studio.store, loaded, texts, watcher=watcher)
    cut = set(compress(texts, loaded.cut(texts)))
    ids = tuple(each.id for each in collected.passages if each.shown in cut)
    note = cut_sentence(ids, len(collected))
    return EmbeddedPassages(
        collection=collected.name,
        embedded=embedded,
        reused=len(texts) - embedded,
        encoder=loaded.name,
        dimensions=rows.shape[1],
        cut=ids,
        notes=(note,) if note else (),
    )


def retriever(studio: Studio, request: SearchRequest, watcher: Watcher = NOBODY) -> PassageSearch:
    """What a program retrieves from: the collection of a request, searched in its way.

    Passages that are not embedded yet are embedded first, unless the search needs no embeddings;
    what was embedded before a stop is kept.

    Raises:
        InvalidInput: No collection has that name, or no fusion.
    """
    if request.fuse not in FUSIONS:
        raise InvalidInput(
            f'There is no fusion "{request.fuse}": choose one of {", ".join(FUSIONS)}.'
        )
    encoder = None if request.by is SearchBy.BM25 else studio.encoder(request.encoder)
    collected = studio.collected(request.collection, encoder, watcher=watcher)
    return PassageSearch(collected, request.by, fuse=FUSIONS[request.fuse])


def search(studio: Studio, request: SearchRequest, watcher: Watcher = NOBODY) -> SearchResult:
    """The best passages of a collection for a query; see `retriever` for what is embedded.

    Raises:
        InvalidInput: The query is empty, k is negative, or what `retriever` refuses.
    """
    if is_blank(request.query):
        raise InvalidInput("The query is empty: give the text to search for.")
    searched = retriever(studio, request, watcher)
    found = searched.search(request.query, request.k)
    rows = studio.store.passages.by_ids([each.passage.id for each in found])
    dense = request.by is not SearchBy.BM25
    encoder = studio.encoder(request.encoder) if dense else None
    shown: Sequence[str] = [each.passage.shown for each in found]
    cut = encoder.cut(shown).tolist() if encoder is not None else [False] * len(found)
    temperatures = {SearchBy.DENSE: TEMPERATURE, SearchBy.BM25: BM25_TEMPERATURE}
    used = (SearchBy.DENSE, SearchBy.BM25) if request.by is SearchBy.FUSED else (request.by,)
    return SearchResult(
        collection=searched.collected.name,
        version=searched.collected.version,
        query=request.query,
        by=request.by,
        fuse=request.fuse if request.by is SearchBy.FUSED else None,
        encoder=encoder.name if encoder is not None else None,
        temperatures={by.value: temperatures[by] for by in used},
        passages=tuple(
            FoundPassage(
                id=row.id,
                title=row.title,
                text=row.text,
                source=row.source,
                document=row.document,
                part=row.part,
                score=each.score,
                probability=each.probability,
                cut=is_cut,
            )
            for row, each, is_cut in zip(rows, found, cut, strict=True)
        ),
    )


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
        collected = studio.collected(name, loaded, watcher=job.watcher())
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


def _layout(studio: Studio, collected: PassageArrays, key: str, job: Job) -> Layout:
    assert collected.embeddings is not None
    first: dict[str, int] = {}
    for place_, text in enumerate(collected.texts):
        first.setdefault(text, place_)
    texts, rows = list(first), collected.embeddings[list(first.values())]
    stored = stored_layout(studio.store, key, texts, lambda: rows)
    if stored is not None:
        return stored
    return lay_out(studio.store, key, texts, rows, SEED, job, "passage")


def _map(studio: Studio, collected: PassageArrays, layout: Layout, encoder: str) -> PassageMap:
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
