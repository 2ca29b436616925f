"""The quality bias of a pool's demonstrations: how likely the model finds each answer by itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...demonstration.demonstration import Status
from ...errors import Cancelled
from ...retrieval.pool_view import demonstration_hash
from ...store import Store
from ...types import AnswerRequest, IsCancelled, OnProgress
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
    store: Store,
    pool_id: int,
    engine: Engine,
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> QualityReport:
    """Measure and store the quality bias of the included demonstrations that have none.

    It is the mean log-probability, in nats per token, of the answer given its query without
    context. Kept by the text of query and answer, so that the same demonstration in another pool,
    or after an undo, is not scored again; a killed run resumes where it stopped.

    Raises:
        Cancelled: `cancelled` answered True; what was scored before is kept.

    Source: RAGSys, section 3.3.3.
    """
    demonstrations = store.demonstrations.all(pool_id, status=Status.INCLUDED)
    by_hash = {demonstration_hash(d.query, d.answer): d for d in demonstrations}
    key = engine.fingerprint, engine.template.fingerprint
    missing = store.quality.missing(*key, list(by_hash))
    pairs = {each: (by_hash[each].query, by_hash[each].answer) for each in missing}
    found = score_pairs(store, engine, pairs, on_progress=on_progress, cancelled=cancelled)
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
    store: Store,
    engine: Engine,
    pairs: Mapping[str, tuple[str, str]],
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> ScoredPairs:
    """Measure and store the quality bias of pairs of query and answer that have none.

    Args:
        store: Where it is kept, chunk by chunk.
        engine: What scores them.
        pairs: Query and answer by their key (`demonstration_hash`).
        on_progress: Counts the pairs.
        cancelled: Stops the work; the chunks before are kept.

    Raises:
        Cancelled: `cancelled` answered True.
    """
    values: dict[str, float] = {}
    too_long: list[str] = []
    without_tokens: list[str] = []
    hashes = list(pairs)
    for start in range(0, len(hashes), CHUNK):
        if cancelled is not None and cancelled():
            raise Cancelled("Scoring the quality was stopped; what was scored is kept.")
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
            list(requests.values()),
            on_progress=_within(on_progress, start, len(hashes)),
            cancelled=cancelled,
        )
        found = {
            each: answer.total / answer.n_tokens
            for each, (answer,) in zip(requests, log_probs, strict=True)
        }
        kept = dict.fromkeys(chunk, -math.inf) | found
        key = engine.fingerprint, engine.template.fingerprint
        store.quality.put(*key, list(kept), list(kept.values()))
        values |= found
        if on_progress is not None:
            on_progress(min(start + CHUNK, len(hashes)), len(hashes))
    return ScoredPairs(values, tuple(too_long), tuple(without_tokens))


def _within(on_progress: OnProgress | None, start: int, total: int) -> OnProgress | None:
    """Reports the engine's progress with a chunk before its end as that of the whole."""
    if on_progress is None:
        return None
    return lambda done, of_chunk: on_progress(start + done, total) if done < of_chunk else None
