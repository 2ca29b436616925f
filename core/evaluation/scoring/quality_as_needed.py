"""The quality bias of a pool, scored only where the choice of a context depends on it."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from ...background.watcher import QUALITY, Watcher
from ...retrieval.context import Context
from ...retrieval.knobs import BiasScale, Knobs
from ...retrieval.pool_view import PoolView
from ...store import Store
from ...types import OnProgress
from ..plan.engine import Engine
from .quality_bias import score_pairs

MOSTLY_RELEVANCE = 0.9
"""The lambda_b below which nearly everything would be scored for the first example.

Of TruthfulQA's 2,837 demonstrations, scored by SmolLM2, the first context at lambda_d 0.75 needs 65
where lambda_b is 0.95 and 756 where it is 0.9; those of ten examples need 948 and 2,384.
"""
TOGETHER = 32
"""Demonstrations that are scored together, about: fewer take nearly as long."""
TYPICAL = -3.0
"""The quality bias that is guessed before any is known, in nats per token."""

Key = TypeVar("Key")


class QualityAsNeeded:
    """Scores the quality bias that the choice of a context depends on, and nothing else.

    A demonstration's quality bias is a mean log-probability, so it is at most 0. Contexts are
    chosen with 0 in the place of what is not scored; what they contain is scored, and they are
    chosen again, until they contain nothing that is not. They are then those of the whole pool's
    quality: at every pick the winner's value is exact, and no other's is larger than it was taken
    to be. That holds for every method that takes the largest value at each step, as all do that
    weigh the quality bias.

    Args:
        store: Where the quality bias is kept.
        engine: What scores it.
        view: The pool, with what is scored already.
    """

    def __init__(self, store: Store, engine: Engine, view: PoolView) -> None:
        self._store, self._engine, self._pool = store, engine, view
        self._bias = view.quality_bias

    def needs_all(self, requests: Iterable[Knobs]) -> bool:
        """Whether the requests need the quality of the whole pool before the first context."""
        return any(
            each.needs_bias
            and (
                each.bias_scale is not BiasScale.RAW
                or each.lambda_b < MOSTLY_RELEVANCE
                or each.candidates  # what can never be scored is none, and only scoring tells
            )
            for each in requests
        )

    def of(self, view: PoolView) -> PoolView:
        """The view of the pool with what is scored so far."""
        return view.with_bias(self._bias)

    def score_all(self, watcher: Watcher) -> None:
        """Score everything that is not scored yet, as a phase of its own.

        Raises:
            Cancelled: The watcher asked to stop; what was scored is kept.
        """
        unscored = np.flatnonzero(np.isnan(self._bias)).tolist()
        if unscored:
            watcher.on_phase(QUALITY)
            self._score(unscored, watcher.advance, watcher)

    def settled(
        self,
        view: PoolView,
        choose: Callable[[PoolView], Mapping[Key, Context]],
        watcher: Watcher,
    ) -> Mapping[Key, Context]:
        """What the function chooses from the view as if all of it were scored.

        Raises:
            Cancelled: The watcher asked to stop; what was scored is kept.
        """
        while True:
            chosen, wanted = self._wanted(view, choose)
            if not wanted:
                return chosen
            self._score(wanted, lambda done, total: watcher.breathe(), watcher)

    def _wanted(
        self, view: PoolView, choose: Callable[[PoolView], Mapping[Key, Context]]
    ) -> tuple[Mapping[Key, Context], list[int]]:
        """What is chosen, and what is to be scored for it; if that is nothing, the choice is exact.

        A few are slow to score, since all weights are read for them: with a guess in the place of
        their quality, what would be chosen next is found as well. The other answers of a query are
        scored with it: they cost little, and their turn comes soon.
        """
        scored = np.isfinite(self._bias)
        guess = self._bias[scored].mean() if scored.any() else TYPICAL
        unscored = np.isnan(self._bias)
        taken, wanted = np.where(unscored, 0.0, self._bias), set[int]()
        while True:
            chosen = choose(view.with_bias(taken))
            contained = {place for each in chosen.values() for place in each.indices.tolist()}
            further = {place for place in contained if unscored[place]} - wanted
            wanted |= further
            if not further or len(wanted) >= TOGETHER:
                of_queries = np.isin(view.groups, view.groups[sorted(wanted)])
                return chosen, np.flatnonzero(of_queries & unscored).tolist()
            taken = taken.copy()
            taken[sorted(further)] = guess

    def _score(self, places: list[int], on_progress: OnProgress, watcher: Watcher) -> None:
        pool = self._pool
        hashes = [pool.pair_hashes[place] for place in places]
        texts = [(pool.queries[place], pool.answers[place]) for place in places]
        score_pairs(
            self._store,
            self._engine,
            dict(zip(hashes, texts, strict=True)),
            on_progress=on_progress,
            cancelled=watcher.cancelled,
        )
        key = self._engine.fingerprint, self._engine.template.fingerprint
        bias = self._bias.copy()
        bias[places] = self._store.quality.get(*key, hashes)
        self._bias = bias
