"""The quality bias of a pool's demonstrations: how likely the model finds each answer by itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...demonstration.demonstration import Demonstration, Status
from ...errors import Cancelled
from ...retrieval.pool_view import demonstration_hash
from ...store import Store
from ...types import AnswerRequest, IsCancelled, OnProgress
from ..plan.engine import Engine, PromptTemplate

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
    template = engine.template
    key = engine.fingerprint, template.fingerprint
    missing = store.quality.missing(*key, list(by_hash))
    scored = 0
    too_long: list[int] = []
    without_tokens: list[int] = []
    for start in range(0, len(missing), CHUNK):
        if cancelled is not None and cancelled():
            raise Cancelled("Scoring the quality was stopped; what was scored is kept.")
        chunk = missing[start : start + CHUNK]
        fitting = []
        for pair in chunk:
            asked = _prompt_and_answers(by_hash[pair], template)
            if engine.without_tokens(*asked):
                without_tokens.append(by_hash[pair].id)
            elif engine.fits(*asked):
                fitting.append(pair)
            else:
                too_long.append(by_hash[pair].id)
        values = dict.fromkeys(chunk, -math.inf)
        found = _mean_log_probs(
            engine,
            [by_hash[pair] for pair in fitting],
            on_progress=_within(on_progress, start, len(missing)),
            cancelled=cancelled,
        )
        values.update(zip(fitting, found, strict=True))
        store.quality.put(*key, list(values), list(values.values()))
        scored += len(fitting)
        if on_progress is not None:
            on_progress(min(start + CHUNK, len(missing)), len(missing))
    reused = len(by_hash) - len(missing)
    return QualityReport(scored, reused, tuple(too_long), tuple(without_tokens))


def _prompt_and_answers(
    demonstration: Demonstration, template: PromptTemplate
) -> tuple[str, tuple[str, ...]]:
    return template.prompt([], demonstration.query), (template.answer(demonstration.answer),)


def _within(on_progress: OnProgress | None, start: int, total: int) -> OnProgress | None:
    """Reports the engine's progress with a chunk before its end as that of the whole."""
    if on_progress is None:
        return None
    return lambda done, of_chunk: on_progress(start + done, total) if done < of_chunk else None


def _mean_log_probs(
    engine: Engine,
    demonstrations: Sequence[Demonstration],
    *,
    on_progress: OnProgress | None,
    cancelled: IsCancelled | None,
) -> list[float]:
    requests = [
        AnswerRequest(*_prompt_and_answers(each, engine.template)) for each in demonstrations
    ]
    # The answers of one query come as requests of one prompt each: the engine joins them again.
    log_probs = engine.log_probs(requests, on_progress=on_progress, cancelled=cancelled)
    return [found.total / found.n_tokens for (found,) in log_probs]
