"""Incorrect answers for queries that have none: answers of near queries, or other labels."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..retrieval.near_queries import AnswerIndex, labels_of
from ..selection.cosines import NEAR
from ..settings import PER_QUERY
from ..text import normalised
from ..types import BoolArray, FloatArray, IntArray
from ..watcher import NOBODY, Watcher
from .suggestion import AnsweredQuery, Suggestion, SuggestionKind, Text

NEAREST = 50
"""Only so many of the nearest queries are searched; those beyond are hardly near."""
SAME_QUESTION = 0.97
"""At this cosine or above, two queries may be one question in other words, and share answers.

With all-MiniLM-L6-v2 "How do I ..." and "How can I ..." of the same thing are above it, the same
question about two rooms, days or towns below."""
FEW_LABELS = 20
"""A query gets all other labels where a pool has at most so many; else those of near queries."""

BLOCK_VALUES = 1 << 24
"""Cosines in memory at a time: 64 MB."""


def suggest_incorrect(
    queries: Sequence[AnsweredQuery],
    embeddings: FloatArray,
    *,
    per_query: int = PER_QUERY,
    watcher: Watcher = NOBODY,
) -> list[Suggestion]:
    """Incorrect answers for each query that has none, the nearest queries' answers first.

    In a classification pool (`answer_index.labels_of`) they are the labels that the query does not
    have, nor one that differs from it only in spelling; each with the nearest query that has it.
    All of them where there are few (`FEW_LABELS`), whatever `per_query` is. In any other pool:

    A near query gives its first answer that is none of these: a correct answer of the query itself
    or one with the same words, a text already suggested, one that somebody refused for this query
    (which holds for labels, too), a label that many queries share (`answer_index.LABEL_RULE`).
    Queries that differ only in spelling (`text.normalised`), or whose cosine is `SAME_QUESTION` or
    more, give nothing. Equally near queries come in their order.

    Args:
        queries: The distinct queries of a pool.
        embeddings: Their unit rows, shape (q, d).
        per_query: At most so many for each, except for the few labels of a classification pool.
        watcher: Gets how many of the queries without incorrect answers are done; asked between
            blocks of them.

    Returns:
        The suggestions of each query together, in the queries' order.

    Raises:
        ValueError: The numbers of queries and rows differ, or a row is not finite.
        Cancelled: The watcher asked to stop.
    """
    if len(queries) != len(embeddings):
        raise ValueError(f"{len(queries)} queries and {len(embeddings)} rows were given")
    lacking = np.array(
        [place for place, each in enumerate(queries) if not each.incorrect], dtype=np.int64
    )
    numbers = np.repeat(np.arange(len(queries)), [len(each.answers) for each in queries])
    answers = [answer for each in queries for answer in each.answers]
    index = AnswerIndex(answers, numbers.astype(np.int64))
    labels = labels_of(answers, index)
    offers = _LabelOffers(queries, labels) if labels else _Offers(queries, index.labels)
    found: list[Suggestion] = []
    for done, (place, products) in enumerate(_products(embeddings, lacking, watcher), 1):
        found += offers.for_query(place, products, embeddings, per_query)
        watcher.on_progress(done, len(lacking))
    return found


class _Offers:
    """What each query can give to others, its labels left out."""

    def __init__(self, queries: Sequence[AnsweredQuery], are_labels: BoolArray) -> None:
        self._queries = queries
        labels = iter(are_labels.tolist())
        self._given = [
            [
                (id, Text(answer))
                for id, answer in zip(each.ids, each.answers, strict=True)
                if not next(labels)
            ]
            for each in queries
        ]
        self._names = [normalised(each.query) for each in queries]

    def for_query(
        self, place: int, products: FloatArray, embeddings: FloatArray, most: int
    ) -> Iterator[Suggestion]:
        """The suggestions for one query from those near it, `most` of them.

        `products` (q,) are its fast cosines with all queries.
        """
        near, cosines = _nearest(embeddings, place, products)
        close = cosines < SAME_QUESTION
        yield from self._from(place, near[close].tolist(), cosines[close].tolist(), most)

    def _from(
        self, place: int, near: list[int], cosines: list[float], most: int
    ) -> Iterator[Suggestion]:
        asked = self._queries[place]
        correct = [Text(answer) for answer in asked.answers]
        taken: set[str] = set()
        for other, cosine in zip(near, cosines, strict=True):
            if len(taken) == most:
                return
            if self._names[other] == self._names[place]:
                continue
            for id, offer in self._given[other]:
                if offer.folded in taken or any(offer.repeats(answer) for answer in correct):
                    continue
                if asked.refuses(offer.text):
                    continue
                taken.add(offer.folded)
                source = self._queries[other].query
                yield Suggestion(
                    ids=asked.ids,
                    query=asked.query,
                    answer=asked.answers[0],
                    text=offer.text,
                    kind=SuggestionKind.NEAR_QUERY,
                    source=id,
                    source_query=source,
                    cosine=cosine,
                )
                break


class _LabelOffers:
    """The labels of a classification pool, and which queries have each."""

    def __init__(self, queries: Sequence[AnsweredQuery], labels: Sequence[str]) -> None:
        self._queries = queries
        self._labels = {normalised(label): label for label in labels}
        self._names = [normalised(each.query) for each in queries]
        self._correct: dict[str, set[str]] = {}
        with_label: dict[str, dict[int, int]] = {label: {} for label in self._labels}
        for place, each in enumerate(queries):
            for id, answer in zip(each.ids, map(normalised, each.answers), strict=True):
                self._correct.setdefault(self._names[place], set()).add(answer)
                if answer in with_label:
                    with_label[answer].setdefault(place, id)
        self._ids = with_label
        self._places = {
            label: np.fromiter(ids, dtype=np.int64) for label, ids in with_label.items()
        }

    def for_query(
        self, place: int, products: FloatArray, embeddings: FloatArray, most: int
    ) -> Iterator[Suggestion]:
        """The labels that the query does not have, that of the nearest query first.

        `products` (q,) are its fast cosines with all queries; with many labels `most` are given.
        """
        asked = self._queries[place]
        others = [
            each
            for each, label in self._labels.items()
            if each not in self._correct[self._names[place]] and not asked.refuses(label)
        ]
        nearest = [(each, *self._nearest(each, place, products, embeddings)) for each in others]
        nearest.sort(key=lambda found: -found[2])
        for label, source, cosine in nearest if len(self._labels) <= FEW_LABELS else nearest[:most]:
            yield Suggestion(
                ids=asked.ids,
                query=asked.query,
                answer=asked.answers[0],
                text=self._labels[label],
                kind=SuggestionKind.OTHER_LABEL,
                source=self._ids[label][source],
                source_query=self._queries[source].query,
                cosine=cosine,
            )

    def _nearest(
        self, label: str, place: int, products: FloatArray, embeddings: FloatArray
    ) -> tuple[int, float]:
        """The nearest query with the label, the first of equally near ones, and its cosine."""
        places = self._places[label]
        near = places[products[places] >= products[places].max() - 2 * NEAR]
        cosines = _exact_cosines(embeddings, near, place)
        best = int(np.argmax(cosines))
        return int(near[best]), float(cosines[best])


def _products(
    embeddings: FloatArray, asked: IntArray, watcher: Watcher
) -> Iterator[tuple[int, FloatArray]]:
    """Each of the given places with the fast cosines (q,) of its row and every row."""
    size = max(1, BLOCK_VALUES // max(1, len(embeddings)))
    for start in range(0, len(asked), size):
        watcher.checkpoint("Suggesting incorrect answers was stopped; nothing was written.")
        block = asked[start : start + size]
        products = embeddings[block] @ embeddings.T  # (block, q)
        if not np.isfinite(products).all():
            raise ValueError("embeddings have a value that is not finite")
        yield from zip(block.tolist(), products, strict=True)


def _nearest(
    embeddings: FloatArray, place: int, products: FloatArray
) -> tuple[IntArray, NDArray[np.float64]]:
    """The `NEAREST` other rows, equally near ones in their order, and their cosines."""
    count = min(NEAREST, len(embeddings) - 1)
    if count < 1:
        return np.empty(0, dtype=np.int64), np.empty(0)
    products[place] = -np.inf
    # Fast cosines narrow down the candidates, exact ones decide: equal rows get equal bits.
    border = np.partition(products, -count)[-count] - 2 * NEAR
    near = np.flatnonzero(products >= border)
    cosines = _exact_cosines(embeddings, near, place)
    order = np.lexsort((near, -cosines))[:count]
    return near[order], cosines[order]


def _exact_cosines(embeddings: FloatArray, rows: IntArray, place: int) -> NDArray[np.float64]:
    """Cosines of some rows with the row at a place, in float64."""
    some, row = embeddings[rows].astype(np.float64), embeddings[place].astype(np.float64)
    cosines: NDArray[np.float64] = np.minimum(np.vecdot(some, row), 1.0)
    return cosines
