"""A pool's quality bias: how likely the model finds each answer; all, or as needed."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...demonstration.demonstration import Status
from ...retrieval.context import Context
from ...retrieval.knobs import BiasScale, SettledKnobs
from ...retrieval.pool_view import LivePool, PoolView, demonstration_hash
from ...store import Store
from ...types import AnswerRequest
from ...watcher import NOBODY, QUALITY, Watcher
from ..plan.engine import Engine

CHUNK = 64
"""Demonstrations scored between two commits: the most that a killed process loses."""


@dataclass(frozen=True)
class QualityReport:
    """How many demonstrations were scored, how many were known already, which cannot be.

    `too_long` are the ids whose query and answer alone do not fit the model's window, and so fit no
    prompt. `without_tokens` are those whose answer has no tokens by the model's tokenizer. Both are
    stored as minus infinity: methods by quality bias pass over them.
    """

    scored: int
    reused: int
    too_long: tuple[int, ...] = ()
    without_tokens: tuple[int, ...] = ()


def score_quality(
    store: Store, pool_id: int, engine: Engine, *, watcher: Watcher = NOBODY
) -> QualityReport:
    """Measure and store the quality bias of the included demonstrations that have none.

    It is the mean log-probability, in nats per token, of the answer given its query without
    context. Kept by the text of query and answer, so that the same demonstration in another pool,
    or after an undo, is not scored again; a killed run resumes where it stopped.

    Raises:
        Cancelled: The watcher asked to stop; what was scored before is kept.

    Source: RAGSys, section 3.3.3.
    """
    demonstrations = store.demonstrations.all(pool_id, status=Status.INCLUDED)
    by_hash = {demonstration_hash(d.query, d.answer): d for d in demonstrations}
    key = engine.fingerprint, engine.template.fingerprint
    missing = store.quality.missing(*key, list(by_hash))
    pairs = {each: (by_hash[each].query, by_hash[each].answer) for each in missing}
    found = score_pairs(store, engine, pairs, watcher=watcher)
    too_long, without_tokens = (
        tuple(by_hash[each].id for each in hashes)
        for hashes in (found.too_long, found.without_tokens)
    )
    return QualityReport(len(found.values), len(by_hash) - len(missing), too_long, without_tokens)


@dataclass(frozen=True)
class ScoredPairs:
    """The quality bias of pairs of query and answer by their keys, and those that have none."""

    values: Mapping[str, float]
    too_long: tuple[str, ...]
    without_tokens: tuple[str, ...]


def score_pairs(
    store: Store, engine: Engine, pairs: Mapping[str, tuple[str, str]], *, watcher: Watcher = NOBODY
) -> ScoredPairs:
    """Measure and store the quality bias of pairs of query and answer that have none.

    Args:
        store: Where it is kept, chunk by chunk.
        engine: What scores them.
        pairs: Query and answer by their key (`demonstration_hash`).
        watcher: Counts the pairs; where it stops the work, the chunks before are kept.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    values: dict[str, float] = {}
    too_long: list[str] = []
    without_tokens: list[str] = []
    hashes = list(pairs)
    for start in range(0, len(hashes), CHUNK):
        watcher.checkpoint("Scoring the quality was stopped; what was scored is kept.")
        chunk = hashes[start : start + CHUNK]
        requests = {}
        for each in chunk:
            query, answer = pairs[each]
            prompt, answers = engine.template.prompt([], query), (engine.template.answer(answer),)
            if engine.without_tokens(prompt, answers):
                without_tokens.append(each)
            elif engine.fits(prompt, answers):
                requests[each] = AnswerRequest(prompt, answers)
            else:
                too_long.append(each)
        # The answers of one query come as requests of one prompt each: the engine joins them again.
        log_probs = engine.log_probs(
            list(requests.values()), watcher=_within(watcher, start, len(hashes))
        )
        found = {
            each: answer.total / answer.n_tokens
            for each, (answer,) in zip(requests, log_probs, strict=True)
        }
        kept = dict.fromkeys(chunk, -math.inf) | found
        key = engine.fingerprint, engine.template.fingerprint
        store.quality.put(*key, list(kept), list(kept.values()))
        values |= found
        watcher.on_progress(min(start + CHUNK, len(hashes)), len(hashes))
    return ScoredPairs(values, tuple(too_long), tuple(without_tokens))


def _within(watcher: Watcher, start: int, total: int) -> Watcher:
    """Reports the engine's progress with a chunk before its end as that of the whole."""

    def report(done: int, of_chunk: int) -> None:
        if done < of_chunk:
            watcher.on_progress(start + done, total)

    return replace(watcher, on_progress=report)


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

    def needs_all(self, requests: Iterable[SettledKnobs]) -> bool:
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

    def of(self, view: LivePool) -> LivePool:
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
            self._score(unscored, watcher.breathing())

    def settled(
        self, view: LivePool, choose: Callable[[LivePool], Mapping[Key, Context]], watcher: Watcher
    ) -> Mapping[Key, Context]:
        """What the function chooses from the view as if all of it were scored.

        Raises:
            Cancelled: The watcher asked to stop; what was scored is kept.
        """
        while True:
            chosen, wanted = self._wanted(view, choose)
            if not wanted:
                return chosen
            self._score(wanted, watcher.quietly().breathing())

    def _wanted(
        self, view: LivePool, choose: Callable[[LivePool], Mapping[Key, Context]]
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

    def _score(self, places: list[int], watcher: Watcher) -> None:
        pool = self._pool
        hashes = [pool.pair_hashes[place] for place in places]
        texts = [(pool.queries[place], pool.answers[place]) for place in places]
        score_pairs(
            self._store, self._engine, dict(zip(hashes, texts, strict=True)), watcher=watcher
        )
        key = self._engine.fingerprint, self._engine.template.fingerprint
        bias = self._bias.copy()
        bias[places] = self._store.quality.get(*key, hashes)
        self._bias = bias
