"""Whether diversity can pay in a pool: its size, its incorrect answers, its redundancy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ...retrieval.choosing import choose_context
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import LivePool
from ...settings import K
from ...watcher import NOBODY, Watcher

SAMPLE = 100
"""Queries of the pool that are sampled: the mean sameness then has a standard error of 0.01 to 0.02
on the pools that were measured, against differences of 0.3 and more."""

HUNDREDS = 200
"""A pool with at least this many queries has hundreds. With 200 queries the difference between two
methods shows on the redundant pools that were measured, and its absence on a clean one
(docs/practice-model.md)."""

SEVERAL = 2.0
"""With at least this many demonstrations per query, a query has several. Those of one query have
one embedding, so that with two or more, every second pick of relevance alone repeats an earlier
one, as a rule. The pool of RAGSys has 3.5."""

HALF = 0.5
"""With at least this repetition, contexts of relevance alone repeat themselves: half of the way.
With the bundled encoder, `service-desk`, where diversity pays, has 0.78; `service-desk-curated`,
the same log with its repetitions removed, where diversity shows no gain, has 0.45; TruthfulQA has
0.68."""


class Criterion(StrEnum):
    """Whether a pool suits by one of the criteria; undefined where nothing can be measured."""

    SUITS = "suits"
    LACKS = "lacks"
    UNDEFINED = "undefined"


@dataclass(frozen=True, kw_only=True)
class Suitability:
    """What decides whether diversity can pay in a pool, criterion by criterion.

    The criteria are those by which RAGSys chooses its data: hundreds of examples, incorrect
    answers, redundancy. Only the last one decides whether diversity can change anything; the others
    decide whether that can be measured.

    Attributes:
        demonstrations: How many are included.
        queries: How many different queries these have.
        with_incorrect: How many of the queries have incorrect answers.
        sameness: Mean sameness, in [-1, 1], of the contexts that `rel` (lambda_d 1) chooses for a
            sample of the queries, each without its own demonstrations; None where no context has
            two demonstrations.
        random_sameness: The same of contexts drawn at random.
        sampled: How many queries both means are over.

    Source: RAGSys, section 4.1.1.
    """

    demonstrations: int
    queries: int
    with_incorrect: int
    sameness: float | None
    random_sameness: float | None
    sampled: int

    @property
    def per_query(self) -> float | None:
        """Mean number of demonstrations of a query, 1 or more; None in an empty pool."""
        return self.demonstrations / self.queries if self.queries else None

    @property
    def share_with_incorrect(self) -> float | None:
        """The share of queries that have incorrect answers, in [0, 1]; None in an empty pool."""
        return self.with_incorrect / self.queries if self.queries else None

    @property
    def repetition(self) -> float | None:
        """How far contexts of relevance alone go from random ones to identical demonstrations.

        0 = no more similar than random contexts, 1 = the same embedding throughout; below 0 where
        random contexts are more similar. A cosine alone means little, as encoders and subjects
        differ in how similar two unrelated queries are. Where random contexts are identical, so is
        everything, and it is 1. None where sameness is undefined.
        """
        if self.sameness is None or self.random_sameness is None:
            return None
        room = 1.0 - self.random_sameness
        return (self.sameness - self.random_sameness) / room if room > 1e-6 else 1.0

    @property
    def size(self) -> Criterion:
        """Whether the pool has hundreds of queries: `HUNDREDS` or more."""
        return _criterion(self.queries >= HUNDREDS) if self.queries else Criterion.UNDEFINED

    @property
    def incorrect(self) -> Criterion:
        """Whether most queries, more than half of them, have incorrect answers.

        The metric of preference and the multiple choices are based on these queries alone: with
        half of them or fewer, they represent a minority.
        """
        share = self.share_with_incorrect
        return Criterion.UNDEFINED if share is None else _criterion(share > 0.5)

    @property
    def redundancy(self) -> Criterion:
        """Whether relevance alone repeats itself: by `SEVERAL` per query, or by `HALF` repetition.

        Either is enough: several answers of a neighbour's query fill a context however far apart
        the queries are, and near paraphrases do so with one answer each.
        """
        if self.repetition is None or self.per_query is None:
            return Criterion.UNDEFINED
        return _criterion(self.per_query >= SEVERAL or self.repetition >= HALF)

    @property
    def diversity_can_pay(self) -> bool:
        """Whether there is redundancy that diversity can avoid."""
        return self.redundancy is Criterion.SUITS


def suitability_of(
    view: LivePool,
    with_incorrect: int,
    *,
    most: int = SAMPLE,
    k: int = K,
    watcher: Watcher = NOBODY,
) -> Suitability:
    """What decides whether diversity can pay in the pool.

    Args:
        view: The pool as arrays; its quality bias does not matter.
        with_incorrect: How many of its distinct queries have incorrect answers.
        most: How many queries are sampled at most, by the pool's seed.
        k: How many demonstrations a context has.
        watcher: Asked before each query.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    row_of = dict(zip(view.queries, view.rows.tolist(), strict=True))
    pairs: list[tuple[float, float]] = []
    for query in _sample(view.distinct_queries, most, view.seed):
        watcher.checkpoint("Looking at the pool's redundancy was stopped.")
        vector = view.embeddings[row_of[query]]
        relevant, drawn = (
            choose_context(view, query, vector, knobs, leave_out=True).diversity
            for knobs in (Knobs("rel", k=k), Knobs("random", k=k, seed=view.seed))
        )
        if not math.isnan(relevant):  # both have as many demonstrations
            pairs.append((relevant, drawn))
    sameness, random_sameness = np.mean(pairs, axis=0).tolist() if pairs else (None, None)
    return Suitability(
        demonstrations=len(view),
        queries=len(view.distinct_queries),
        with_incorrect=with_incorrect,
        sameness=sameness,
        random_sameness=random_sameness,
        sampled=len(pairs),
    )


def _sample(queries: Sequence[str], most: int, seed: int) -> list[str]:
    """So many of the queries at most, drawn by the seed, in their own order."""
    drawn = np.random.default_rng(seed).permutation(len(queries))[:most]
    return [queries[place] for place in np.sort(drawn).tolist()]


def _criterion(suits: bool) -> Criterion:
    return Criterion.SUITS if suits else Criterion.LACKS
