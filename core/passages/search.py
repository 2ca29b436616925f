"""Searching a collection of passages: by embeddings, by words in common, or by both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import exp, fsum

import numpy as np

from ..embedding import Encoder
from ..errors import InvalidInput
from ..programs.example import Passage, ScoredPassage
from ..programs.primitives.demonstrate import checked_k
from ..programs.primitives.search import FETCHED, TEMPERATURE, Fusion, comb_sum
from ..retrieval.embedded_texts import embed_texts
from ..retrieval.methods.bm25 import bm25_scores
from ..selection.cosines import NEAR, fast_cosines
from ..store import Store
from ..text import is_blank
from ..types import FloatArray, IntArray
from ..watcher import NOBODY, Watcher


@dataclass(frozen=True)
class PassageArrays:
    """The passages of a collection as arrays: what is searched.

    Attributes:
        name: The collection's.
        version: Its version.
        passages: In the order of their ids, n of them.
        embeddings: A unit row for each, as "title | text", shape (n, d); None where nothing is
            embedded, for searches by BM25.
        encode: The unit rows of any texts, (len(texts), d); used with `embeddings` only.
    """

    name: str
    version: int
    passages: tuple[Passage, ...] = field(repr=False)
    embeddings: FloatArray | None = field(default=None, repr=False, compare=False)
    encode: Callable[[Sequence[str]], FloatArray] | None = field(
        default=None, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.passages)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each passage as prompts and the encoder have it."""
        return tuple(each.shown for each in self.passages)

    @cached_property
    def place_of(self) -> dict[Passage, int]:
        """Where each passage is."""
        return {passage: place for place, passage in enumerate(self.passages)}


def load_collected(
    store: Store, name: str, encoder: Encoder | None, *, watcher: Watcher = NOBODY
) -> PassageArrays:
    """The passages of a collection; texts that are not embedded yet are embedded first.

    Embeddings are kept by content, chunk by chunk, so that a killed run goes on where it stopped,
    and the passages of two collections, or of a collection that was removed and imported again,
    are embedded once.

    Args:
        store: The workspace.
        name: The collection's.
        encoder: Embeds passages, as "title | text", and queries; None reads the texts alone, for
            searches by BM25.
        watcher: Gets (texts done, texts) once something has to be embedded; asked before a chunk.

    Raises:
        InvalidInput: No collection has that name.
        Cancelled: The watcher asked to stop.
    """
    collection, rows = store.passages.snapshot(name)
    passages = tuple(Passage(each.id, each.text, each.title) for each in rows)
    if encoder is None:
        return PassageArrays(collection.name, collection.version, passages)

    def encode(texts: Sequence[str]) -> FloatArray:
        return embed_texts(store, encoder, texts)[0]

    embeddings, _ = embed_texts(store, encoder, [each.shown for each in passages], watcher=watcher)
    return PassageArrays(collection.name, collection.version, passages, embeddings, encode)


def best(scores: FloatArray, among: IntArray, k: int) -> IntArray:
    """The k places with the highest scores, the highest first, equals by place."""
    return among[np.lexsort((among, -scores[among]))][:k]


def exact_cosines(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """The cosine of every unit row (n, d) with a unit vector, float64 in [-1, 1], shape (n,).

    Equal rows have equal cosines, bit for bit.
    """
    found: FloatArray = np.vecdot(rows.astype(np.float64), vector.astype(np.float64))
    return np.clip(found, -1.0, 1.0)


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """The share of each score: exp(score / temperature) over their sum."""
    highest = max(scores, default=0.0)
    powers = [exp((each - highest) / temperature) for each in scores]
    total = fsum(powers)
    return [power / total for power in powers]


BM25_TEMPERATURE = 1.0
"""The softmax temperature at which BM25 scores become probabilities.

A BM25 score is a sum of log-odds (Robertson and Zaragoza 2009, section 3.4), so that its
exponential is proportional to the odds of relevance.
"""

DEPTH = 100
"""How many passages of each list are fused, at least."""


class SearchBy(StrEnum):
    """What passages are compared with a query by."""

    DENSE = "dense"
    """The cosine of the embeddings."""
    BM25 = "bm25"
    """Words in common, rare ones counting more."""
    FUSED = "fused"
    """Both lists, fused."""


class PassageSearch:
    """A collection as what programs retrieve from (`Retrieves`).

    Dense and exact: the cosine with every passage, in float64; a passage's probability is the
    softmax of the list's cosines / `fusion.TEMPERATURE`. BM25: the scores of the method `bm25`,
    over title and text; passages that share no word with the query are not found; probabilities by
    `BM25_TEMPERATURE`. Fused: the best `DEPTH` of either, or 3k where that is more, made one list
    by `fuse`; a probability is a passage's share of all values. Equals are in the order of ids. A
    blank query finds nothing.

    Args:
        collected: What is searched.
        by: How.
        fuse: Makes one list of two: `comb_sum` or `reciprocal_rank`.

    Raises:
        InvalidInput: The search compares embeddings and the collection has none.

    Source: Karpukhin et al. 2020, Dense Passage Retrieval; Robertson and Zaragoza 2009; Khattab et
        al. 2022, Demonstrate-Search-Predict, section 2.4.
    """

    def __init__(
        self, collected: PassageArrays, by: SearchBy = SearchBy.DENSE, *, fuse: Fusion = comb_sum
    ) -> None:
        if by is not SearchBy.BM25 and (collected.embeddings is None or collected.encode is None):
            raise InvalidInput(
                f"The passages of {collected.name!r} were read without an encoder: search them by "
                f"{SearchBy.BM25}, or give one."
            )
        self.collected = collected
        self.by = by
        self._fuse = fuse

    def search(self, query: str, k: int) -> tuple[ScoredPassage, ...]:
        """The k best passages, the best first; fewer where there are fewer.

        Args:
            query: Any text; a blank one finds nothing.
            k: >= 0.

        Raises:
            InvalidInput: k is negative.
        """
        if not checked_k(k) or is_blank(query):
            return ()
        if self.by is not SearchBy.FUSED:
            return self._list(self.by, query, k)
        depth = max(DEPTH, FETCHED * k)
        return self._fused(
            [self._list(by, query, depth) for by in (SearchBy.DENSE, SearchBy.BM25)]
        )[:k]

    def scores(self, query: str, passages: Sequence[Passage]) -> list[float]:
        """The score of each passage for the query, in their order; 0 for a blank query.

        Cosines or BM25 scores; fused, the value that `fuse` gives each among these passages.

        Args:
            query: Any text.
            passages: By BM25 and fused, only those of the collection, whose words weigh them.

        Raises:
            InvalidInput: By BM25 or fused, a passage is not of the collection.
        """
        if is_blank(query) or not passages:
            return [0.0] * len(passages)
        if self.by is SearchBy.DENSE:
            return self._cosines(query, [each.shown for each in passages])
        places = np.array([self._place(each) for each in passages], dtype=np.int64)
        if self.by is SearchBy.BM25:
            return [float(score) for score in self._bm25(query)[places]]
        given = np.unique(places)
        fused = {
            each.passage: each.score
            for each in self._fused(
                [self._among(by, query, given) for by in (SearchBy.DENSE, SearchBy.BM25)]
            )
        }
        return [fused.get(each, 0.0) for each in passages]

    def _fused(self, lists: Sequence[tuple[ScoredPassage, ...]]) -> tuple[ScoredPassage, ...]:
        found = self._fuse(lists)
        total = fsum(each.score for each in found)
        return tuple(ScoredPassage(each.passage, each.score, each.score / total) for each in found)

    def _list(self, by: SearchBy, query: str, k: int) -> tuple[ScoredPassage, ...]:
        """The k best passages by one of the two, with their probabilities."""
        if not len(self.collected):
            return ()
        if by is SearchBy.BM25:
            scores = self._bm25(query)
            return self._found(best(scores, np.flatnonzero(scores > 0), k), scores, by)
        vector, rows = self._query_row(query), self._rows
        fast = fast_cosines(rows, vector)
        # Only those near the border can be among the k; they are compared exactly.
        border = np.partition(fast, -min(k, len(fast)))[-min(k, len(fast))]
        near = np.flatnonzero(fast >= border - NEAR)
        exact = np.full(len(fast), -1.0)
        exact[near] = exact_cosines(rows[near], vector)
        return self._found(best(exact, near, k), exact, by)

    def _among(self, by: SearchBy, query: str, given: IntArray) -> tuple[ScoredPassage, ...]:
        """All of the given places by one of the two, the best first."""
        scores: FloatArray = np.zeros(len(self.collected))
        if by is SearchBy.BM25:
            scores = self._bm25(query)
            given = given[scores[given] > 0]
        else:
            scores[given] = exact_cosines(self._rows[given], self._query_row(query))
        return self._found(best(scores, given, len(given)), scores, by)

    def _found(
        self, places: IntArray, scores: FloatArray, by: SearchBy
    ) -> tuple[ScoredPassage, ...]:
        temperature = BM25_TEMPERATURE if by is SearchBy.BM25 else TEMPERATURE
        chosen = [float(scores[place]) for place in places]
        return tuple(
            ScoredPassage(self.collected.passages[place], score, share)
            for place, score, share in zip(
                places, chosen, softmax(chosen, temperature), strict=True
            )
        )

    def _bm25(self, query: str) -> FloatArray:
        return bm25_scores(self.collected.texts, query)

    def _cosines(self, query: str, texts: Sequence[str]) -> list[float]:
        assert self.collected.encode is not None
        rows = self.collected.encode(texts)
        return [float(each) for each in exact_cosines(rows, self._query_row(query))]

    def _query_row(self, query: str) -> FloatArray:
        assert self.collected.encode is not None
        row: FloatArray = self.collected.encode([query])[0]
        return row

    @property
    def _rows(self) -> FloatArray:
        assert self.collected.embeddings is not None
        return self.collected.embeddings

    def _place(self, passage: Passage) -> int:
        place = self.collected.place_of.get(passage)
        if place is None:
            raise InvalidInput(
                f"Passage {passage.id} is not in the collection {self.collected.name!r}: only its "
                f"own have a score by {self.by}; compare others by {SearchBy.DENSE}."
            )
        return place
