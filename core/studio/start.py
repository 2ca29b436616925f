"""The start page: the whole idea on one query, and which query that is."""

import numpy as np

from ..background import Job, Urgency
from ..reporting.results.idea import AnswerWay, Idea, Preference, Shown
from ..reporting.results.query import AnswerRow, Effect
from ..retrieval.knobs import Knobs
from ..retrieval.pool_view import PoolView
from ..settings import PRACTICE
from ..text import content_hash
from .explore.effect import effect_of
from .explore.exploration import Exploration, ExploreRequest, example_of, explore, resolve
from .pools.bundled import opening
from .pools.pools import BUNDLED
from .session.readiness import make_ready, submit_once
from .session.studio import Setup, Studio

EXAMPLE = Setup(BUNDLED[0], model=PRACTICE)
"""The bundled pool with the bundled model, whatever the side bar shows."""

NONE, SIMILAR, MIX = "none", "rel", "rel+div+bias"

REPEATS = 0.95
"""A demonstration whose cosine with one chosen before is at least this repeats it."""


def idea(studio: Studio) -> tuple[Idea | None, Job | None]:
    """What the start page draws, and the job that is still computing some of it.

    Both are None in a workspace without the example pool, or with nothing in it.
    """
    if EXAMPLE.pool not in {summary.name for summary in studio.store.pools.all()}:
        return None, None
    found = make_ready(studio, EXAMPLE)
    if found.view is None:
        return None, found.embedding
    shown = opening(studio, EXAMPLE, found.view)
    if shown is None:
        return None, None
    example = example_of(studio, found.view, shown.query)
    requests = [
        ExploreRequest(
            EXAMPLE,
            shown.query,
            Knobs(method),
            leave_out=True,
            answers=example.answers,
            incorrect=example.incorrect,
        )
        for method in (SIMILAR, MIX)
    ]
    contexts = [explore(resolve(studio, request)) for request in requests]
    effects = list(map(_known_effect, contexts))
    job = None if all(effects) else _score(studio, contexts)
    similar, mix = (
        AnswerWay(
            each.request.knobs.method,
            _shown(found.view, each),
            each.diversity,
            _preference(effect, example.best, alone=False),
        )
        for each, effect in zip(contexts, effects, strict=True)
    )
    none = AnswerWay(
        NONE, (), None, _preference(effects[0] or effects[1], example.best, alone=True)
    )
    right = example.answers[example.best]
    line = _provenance(contexts[1])
    return Idea(
        query=shown.query,
        right_answer=right,
        none=none,
        similar=similar,
        mix=mix,
        chosen=shown.chosen,
        provenance=line,
    ), job


def _known_effect(found: Exploration) -> Effect | None:
    """The effect of a context if the store has it."""
    return found.resolved.if_stored(lambda engine: effect_of(found.request, engine, found.prompt))


def _score(studio: Studio, contexts: list[Exploration]) -> Job:
    """The job that scores the answers with these contexts, as on a pool that was edited."""

    def work(job: Job) -> None:
        for each in contexts:
            effect_of(each.request, studio.engine(each.request.setup), each.prompt)

    slot = f"start:{content_hash(*(each.prompt for each in contexts))}"
    label = "Scoring the example"
    return submit_once(studio.model_worker, slot, label, work, urgency=Urgency.SHOWN)


def _shown(view: PoolView, found: Exploration) -> tuple[Shown, ...]:
    """The context in the order chosen, each with the first before it that it repeats."""
    positions = view.positions([pick.id for pick in found.picks])
    rows = view.matrix[positions]
    repeats = np.tril(rows @ rows.T >= REPEATS, k=-1)
    return tuple(
        Shown(
            pick.rank,
            pick.query,
            pick.answer,
            found.picks[int(row.argmax())].rank if row.any() else None,
        )
        for pick, row in zip(found.picks, repeats, strict=True)
    )


def _preference(effect: Effect | None, best: int, *, alone: bool) -> Preference | None:
    if effect is None or not effect.triples:
        return None

    def log_prob(row: AnswerRow) -> float:
        return row.alone.total if alone else row.with_context.total

    right = log_prob(effect.rows[best])
    wrong = max((row for row in effect.rows if not row.correct), key=log_prob)
    # The logistic function of the difference, without overflow.
    return Preference(float(np.exp(-np.logaddexp(0.0, log_prob(wrong) - right))), wrong.text)


def _provenance(mix: Exploration) -> str:
    request = mix.request
    return (
        f"Computed from pool {request.setup.pool} version {mix.pool_version}, "
        f"{mix.demonstrations:,} demonstrations, and the language model {PRACTICE}. Similar only: "
        f"method {SIMILAR}. Mix: method {MIX}, lambda_d {mix.lambda_d:.2f}, lambda_b "
        f"{mix.lambda_b:.2f}; both k {request.knobs.k}."
    )
