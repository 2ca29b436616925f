"""A pool in two parts: queries that are held out for testing, and what may be retrieved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from core.demonstration.demonstration import EvaluationExample
from core.errors import InvalidInput
from core.evaluation.plan.examples import is_held_out, sample
from core.retrieval.pool_view import LivePool
from core.settings import SEED
from core.types import BoolArray

LEAST_HELD_OUT = 2
"""Fewer held-out queries have no spread."""


@dataclass(frozen=True)
class Split:
    """One seed's parts of a pool: `held_out` examples in the seed's order, `view` without them."""

    seed: int
    held_out: tuple[EvaluationExample, ...]
    view: LivePool

    @classmethod
    def of(
        cls, view: LivePool, examples: Sequence[EvaluationExample], share: float, seed: int = SEED
    ) -> Self:
        """The queries that the seed holds out, and the pool without them.

        Args:
            view: The pool as arrays.
            examples: Its evaluation examples.
            share: How much is held out, as for `is_held_out`.
            seed: Which of the random splits.

        Raises:
            InvalidInput: Fewer than 2 queries are held out, or nothing is left to retrieve.
        """
        held_out = held_out_of(examples, share, seed, view.name)
        kept = np.array([not is_held_out(each, share, seed) for each in view.queries], dtype=bool)
        return cls(seed, held_out, part_of(view, kept))


def held_out_of(
    examples: Sequence[EvaluationExample], share: float, seed: int, pool: str
) -> tuple[EvaluationExample, ...]:
    """Those of a pool's examples that the seed holds out, in its order.

    Raises:
        InvalidInput: They are fewer than 2, or all there are.
    """
    found = [each for each in examples if is_held_out(each.query, share, seed)]
    if len(found) < LEAST_HELD_OUT or len(found) == len(examples):
        raise InvalidInput(
            f"Of the {len(examples):,} queries of pool {pool!r} seed {seed} holds out "
            f"{len(found):,} at a share of {share:g}; at least {LEAST_HELD_OUT} are needed, and "
            "something to retrieve: take another share or a larger pool."
        )
    return tuple(sample(found, seed=seed))


def part_of(view: LivePool, kept: BoolArray) -> LivePool:
    """The pool and its siblings with these demonstrations only.

    What is not kept counts for nothing, neither as a candidate nor in the word counts of BM25.

    Args:
        view: The pool as arrays.
        kept: True where a demonstration stays, shape (n,).
    """
    at = np.flatnonzero(kept)
    used, rows = np.unique(view.rows[at], return_inverse=True)
    return replace(
        view,
        ids=view.ids[at],
        queries=tuple(view.queries[i] for i in at),
        answers=tuple(view.answers[i] for i in at),
        groups=view.groups[at],
        rows=rows.astype(np.int64),
        embeddings=view.embeddings[used],
        quality_bias=view.quality_bias[at],
        fixed=np.searchsorted(at, view.fixed[kept[view.fixed]]).astype(np.int64),
        siblings=tuple(part_of(each, kept) for each in view.siblings),
    )
