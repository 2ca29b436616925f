"""How often each demonstration is retrieved over the pool's own queries."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..errors import InvalidInput
from ..types import FloatArray, IntArray
from ..watcher import NOBODY, Watcher
from .choosing import choose_context, find_method
from .knobs import Knobs
from .pool_view import LivePool, PoolView

MOST_QUERIES = 2_000
"""Queries that are asked at most, a seeded sample of a pool with more: the standard error of a
share is then at most 1.1 percentage points."""


@dataclass(frozen=True, eq=False)
class RetrievalCounts:
    """In how many contexts of the pool's own queries each demonstration is.

    Attributes:
        ids: The included demonstrations, shape (n,).
        counts: In how many of the contexts each of them is, shape (n,), from 0 to `asked`.
        asked: How many queries a context was chosen for.
        queries: How many distinct queries the pool has.
    """

    ids: IntArray
    counts: IntArray
    asked: int
    queries: int

    @cached_property
    def shares(self) -> dict[int, float]:
        """Of how many of the contexts each demonstration is a part, by its id, in [0, 1]."""
        shares = self.counts / max(1, self.asked)
        return dict(zip(self.ids.tolist(), shares.tolist(), strict=True))


def asked_queries(view: PoolView) -> tuple[str, ...]:
    """The distinct queries that are asked, in the order of the pool."""
    queries = view.distinct_queries
    if len(queries) <= MOST_QUERIES:
        return queries
    generator = np.random.default_rng(view.seed)
    chosen = np.sort(generator.choice(len(queries), size=MOST_QUERIES, replace=False))
    return tuple(queries[place] for place in chosen.tolist())


def must_not_ask(knobs: Knobs) -> None:
    """Refuse a method that asks the language model for every query.

    Raises:
        InvalidInput: It does.
    """
    method = find_method(knobs.method)
    if method.needs_model:
        raise InvalidInput(
            f"The method {method.name!r} asks the language model for every query; choose one that "
            "does not to count how often each demonstration is retrieved."
        )


def count_retrieved(
    view: LivePool, vectors: FloatArray, knobs: Knobs, *, watcher: Watcher = NOBODY
) -> RetrievalCounts:
    """How often each demonstration is retrieved by the pool's own queries.

    Each query is asked as an evaluation example: its own demonstrations are not in its context.

    Args:
        view: The pool as arrays, with the embeddings that the knobs need.
        vectors: The unit vectors of `asked_queries`, shape (m, d).
        knobs: What each context is chosen with, from the whole pool, whatever index they name.
        watcher: Gets how many queries were asked, and of how many; asked between two.

    Raises:
        InvalidInput: The method asks the language model, or needs quality bias and some
            demonstrations are not scored.
        Cancelled: The watcher asked to stop.
    """
    must_not_ask(knobs)
    knobs, queries = replace(knobs, index=None), asked_queries(view)
    counts = np.zeros(len(view), dtype=np.int64)
    for done, (query, vector) in enumerate(zip(queries, vectors, strict=True)):
        watcher.checkpoint("Counting was stopped.")
        counts[choose_context(view, query, vector, knobs, leave_out=True).indices] += 1
        watcher.on_progress(done + 1, len(queries))
    return RetrievalCounts(view.ids, counts, len(queries), len(view.distinct_queries))
