"""A pool in two parts: queries that are held out for testing, and what may be retrieved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...errors import InvalidInput
from ...retrieval.pool_view import PoolView
from ...settings import SEED
from ...types import BoolArray
from .examples import random_place, sample

_PLACES = 16**32
LEAST_HELD_OUT = 2
"""Fewer held-out queries have no spread."""


@dataclass(frozen=True)
class Split:
    """One seed's parts of a pool: `held_out` examples in the seed's order, `view` without them."""

    seed: int
    held_out: tuple[EvaluationExample, ...]
    view: PoolView

    @classmethod
    def of(
        cls, view: PoolView, examples: Sequence[EvaluationExample], share: float, seed: int = SEED
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


def is_held_out(query: str, share: float, seed: int = SEED) -> bool:
    """Whether the query is among the first `share` of all places in the seed's random order.

    It depends on the query and the seed alone, so adding or removing other queries changes no
    query's part. The part held out is as large as the share on average only, and a larger share
    holds out the same queries and more.

    Args:
        query: The text; spellings that are the same after normalisation share a part.
        share: In [0, 1]: 0 holds nothing out, 1 everything.
        seed: Which of the random splits.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4.1: 20 % at random).
    """
    return int(random_place(query, seed), 16) < share * _PLACES


def part_of(view: PoolView, kept: BoolArray) -> PoolView:
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
