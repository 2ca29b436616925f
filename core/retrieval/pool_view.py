"""A pool as arrays: what the methods choose from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..embedding import Encoder
from ..errors import Cancelled
from ..selection.cosines import fast_cosines
from ..store import Store
from ..text import content_hash, normalised, same_text
from ..types import (
    BoolArray,
    FloatArray,
    IntArray,
    IsCancelled,
    OnProgress,
    Status,
)
from .answer_index import AnswerIndex
from .fixed import fixed_demonstrations

EMBEDDING_CHUNK = 128
"""Texts embedded between two commits and two words of progress: what a killed process loses."""

GRAM_ROWS = 4096
"""Pools of more demonstrations have no Gram matrix: this one takes 64 MB."""


@dataclass(frozen=True)
class QualityKey:
    """Under which language model and template the quality bias was measured."""

    model: str
    template: str


@dataclass(frozen=True)
class PoolView:
    """The included demonstrations of a pool at one version, in the order of their ids.

    Notes and tags are not in it: they make no new version, and are read where they are shown.
    `groups` numbers the normalised queries: demonstrations of one group leave each other out.
    `rows` points into `embeddings`, one unit row for each distinct text, so that equal texts have
    bit-equal relevance. `quality_bias` is NaN where it is not scored yet and minus infinity where
    the language model can never score the demonstration: its window does not hold it, or its
    tokenizer makes no tokens of the answer.
    """

    name: str
    version: int
    seed: int
    encoder: str
    ids: IntArray  # (n,)
    queries: tuple[str, ...]
    answers: tuple[str, ...]
    groups: IntArray  # (n,)
    group_of: dict[str, int]
    rows: IntArray  # (n,)
    embeddings: FloatArray  # (u, d)
    quality_bias: FloatArray  # (n,)
    fixed: IntArray  # positions of the pool's fixed demonstrations

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def matrix(self) -> FloatArray:
        """One unit row per demonstration, shape (n, d)."""
        if np.array_equal(self.rows, np.arange(len(self.embeddings))):
            return self.embeddings
        return self.embeddings[self.rows]

    @cached_property
    def content(self) -> str:
        """Stands for `matrix`: the same for every version of the pool whose rows are the same."""
        return content_hash(self.encoder, *self.queries)

    @cached_property
    def gram(self) -> FloatArray | None:
        """All cosines of the demonstrations, shape (n, n); None where they would fill the memory.

        Computed when first asked for; with it a path costs about two thirds.
        """
        if len(self) > GRAM_ROWS:
            return None
        gram: FloatArray = self.matrix @ self.matrix.T
        return gram

    @cached_property
    def distinct_queries(self) -> tuple[str, ...]:
        """The queries that are different texts, each as it first stands in the pool."""
        first: dict[str, str] = {}
        for query in dict.fromkeys(self.queries):
            first.setdefault(same_text(query), query)
        return tuple(first.values())

    def find_query(self, query: str) -> str | None:
        """The distinct query that is this text, else the first left out with it, else None."""
        group = self.group_of.get(normalised(query))
        if group is None:
            return None
        key = same_text(query)
        alike = dict.fromkeys(self.queries[at] for at in np.flatnonzero(self.groups == group))
        return next((each for each in alike if same_text(each) == key), next(iter(alike)))

    @cached_property
    def answer_index(self) -> AnswerIndex:
        """Which demonstrations give the same answer."""
        return AnswerIndex(self.answers, self.groups)

    @cached_property
    def pair_hashes(self) -> list[str]:
        """Each demonstration's key of its quality bias; a moment's work for 100,000, done once."""
        pairs = zip(self.queries, self.answers, strict=True)
        return [demonstration_hash(query, answer) for query, answer in pairs]

    @property
    def unscored(self) -> int:
        """How many demonstrations have no quality bias yet."""
        return int(np.isnan(self.quality_bias).sum())

    @property
    def unscorable(self) -> BoolArray:
        """Mask (n,) of the demonstrations that the language model can never score."""
        return np.isneginf(self.quality_bias)

    def relevance(self, query_vector: FloatArray) -> FloatArray:
        """Cosine of each demonstration's query with the query, shape (n,), in [-1, 1]."""
        cosines = fast_cosines(self.embeddings, np.asarray(query_vector, np.float32))
        np.clip(cosines, -1.0, 1.0, out=cosines)  # equal unit rows may have 1.0000001
        return cosines[self.rows]

    def same_query(self, query: str) -> BoolArray:
        """Mask (n,) of the demonstrations that an evaluation example with this query leaves out."""
        return np.equal(self.groups, self.group_of.get(normalised(query), -1))

    def leaks(self, query: str, answers: Sequence[str]) -> BoolArray:
        """Mask (n,) of what gives a correct answer of this query away under another query.

        Answers are compared by the loose fold; one that many queries share is a label, not a leak
        (`answer_index.LABEL_RULE`).
        """
        return self.answer_index.same_answer(answers) & ~self.same_query(query)

    def first_of_each_query(self, indices: IntArray) -> IntArray:
        """Of these positions, in their order, the first one of each normalised query."""
        _, first = np.unique(self.groups[indices], return_index=True)
        return indices[np.sort(first)]

    def positions(self, ids: Sequence[int]) -> IntArray:
        """Where the given ids stand; ids that are not among the included ones are left out."""
        found = np.searchsorted(self.ids, np.asarray(ids, dtype=np.int64))
        inside = [
            position
            for position, wanted in zip(found.tolist(), ids, strict=True)
            if position < len(self.ids) and self.ids[position] == wanted
        ]
        return np.asarray(inside, dtype=np.int64)


def embed_texts(
    store: Store,
    encoder: Encoder,
    texts: Sequence[str],
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> tuple[FloatArray, int]:
    """Unit rows (len(texts), d) of the texts, and how many of them had to be computed.

    Only texts whose content is not in the store are embedded; each chunk is committed, so that a
    killed run goes on where it stopped. Progress counts the distinct texts, also those that were
    there before, and is told once before the first chunk.
    """
    hashes = [content_hash(text) for text in texts]
    text_of = dict(zip(hashes, texts, strict=True))
    missing = store.embeddings.missing(encoder.fingerprint, list(text_of))
    known = len(text_of) - len(missing)
    if missing and on_progress is not None:
        on_progress(known, len(text_of))
    for start in range(0, len(missing), EMBEDDING_CHUNK):
        if cancelled is not None and cancelled():
            raise Cancelled("Embedding was stopped; what was embedded is kept.")
        chunk = missing[start : start + EMBEDDING_CHUNK]
        rows = encoder.encode([text_of[key] for key in chunk], cancelled=cancelled)
        store.embeddings.put(encoder.fingerprint, chunk, rows)
        if on_progress is not None:
            on_progress(known + start + len(chunk), len(text_of))
    if not hashes:
        return np.empty((0, encoder.dimensions), dtype=np.float32), 0
    return store.embeddings.get(encoder.fingerprint, hashes), len(missing)


def demonstration_hash(query: str, answer: str) -> str:
    """The key of a demonstration's quality bias: its text, never its id."""
    return content_hash(query, answer)


def load_pool_view(
    store: Store,
    pool_name: str,
    encoder: Encoder,
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> PoolView:
    """The pool as arrays; texts that are not embedded yet are embedded first.

    The quality bias is NaN throughout: `with_quality` fills in what is scored.

    Raises:
        InvalidInput: No pool has that name.
        Cancelled: `cancelled` answered True while texts were being embedded.
    """
    pool, demonstrations = store.demonstrations.snapshot(
        store.pools.get(pool_name).id, status=Status.INCLUDED
    )
    fixed = fixed_demonstrations(store, pool, demonstrations)
    row_of = {text: row for row, text in enumerate(dict.fromkeys(d.query for d in demonstrations))}
    embeddings, _ = embed_texts(
        store, encoder, list(row_of), on_progress=on_progress, cancelled=cancelled
    )
    group_of: dict[str, int] = {}
    group_of_row = np.array(
        [group_of.setdefault(normalised(text), len(group_of)) for text in row_of], dtype=np.int64
    )
    rows = np.array([row_of[d.query] for d in demonstrations], dtype=np.int64)
    ids = np.array([d.id for d in demonstrations], dtype=np.int64)
    return PoolView(
        name=pool.name,
        version=pool.version,
        seed=pool.seed,
        encoder=encoder.fingerprint,
        ids=ids,
        queries=tuple(d.query for d in demonstrations),
        answers=tuple(d.answer for d in demonstrations),
        groups=group_of_row[rows],
        group_of=group_of,
        rows=rows,
        embeddings=embeddings,
        quality_bias=np.full(len(demonstrations), np.nan),
        fixed=np.searchsorted(ids, np.asarray(fixed, dtype=np.int64)).astype(np.int64),
    )


def with_quality(store: Store, view: PoolView, key: QualityKey) -> PoolView:
    """The view with the quality bias that is scored so far under the key."""
    found = store.quality.get(key.model, key.template, view.pair_hashes)
    scored = replace(view, quality_bias=found)
    # The same ones: a large pool's take hundreds of megabytes, and this happens at every rescoring.
    vars(scored).update(
        matrix=view.matrix,
        distinct_queries=view.distinct_queries,
        content=view.content,
        answer_index=view.answer_index,
    )
    return scored
