"""What Compare and Calibrate share: making everything ready, then running on the model's thread."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..evaluation import Job, Watcher
from ..evaluation.examples import examples_of
from ..evaluation.quality_bias import score_quality
from ..evaluation.scoring import CachedScorer
from ..retrieval.pool_view import PoolView
from ..store import Run
from ..types import EvaluationExample, Status
from .studio import Setup, Studio

Say = Callable[[str], None]


@dataclass(frozen=True)
class Prepared:
    """What a run needs: the pool's view, the scorer, the evaluation examples."""

    view: PoolView
    scorer: CachedScorer
    examples: list[EvaluationExample]


def prepare(
    studio: Studio,
    setup: Setup,
    examples_from: str | None,
    *,
    needs_bias: bool,
    watcher: Watcher,
    say: Say,
) -> Prepared:
    """Embed what is not embedded and score the quality that is missing, saying so.

    Raises:
        InvalidInput: An unknown pool, or no usable language model.
        Cancelled: The watcher asked to stop; what was computed is kept.
    """
    pool = studio.store.pools.get(setup.pool)
    source = studio.store.pools.get(examples_from or setup.pool)
    model = studio.language_model(setup.model)
    view = studio.view(setup, on_progress=watcher.on_progress, cancelled=watcher.cancelled)
    if needs_bias and view.unscored:
        say(f"scoring the quality bias of {view.unscored:,} demonstrations first")
        score_quality(
            studio.store,
            pool.id,
            model,
            studio.template,
            on_progress=watcher.on_progress,
            cancelled=watcher.cancelled,
        )
        view = studio.view(setup)
    examples = examples_of(studio.store.demonstrations.all(source.id, status=Status.INCLUDED))
    return Prepared(view, CachedScorer(studio.store, model, studio.template), examples)


def examples_in(studio: Studio, pool: str, limit: int | None = None) -> int:
    """How many evaluation examples a pool offers, at most `limit`."""
    queries = studio.store.pools.summary(pool).queries
    return queries if limit is None else min(limit, queries)


def other_pool(settings: dict[str, Any]) -> str | None:
    """The pool that a recorded run took its examples from, None where it was the run's own."""
    source: str = settings["examples_from"]
    return None if source == settings["pool"] else source


def latest_result(studio: Studio, kind: str, pool: str) -> dict[str, Any] | None:
    """The summary of the pool's latest finished run of a kind, None when there is none.

    `finished` is added to it: when the run ended, ISO 8601 in UTC.
    """
    runs = studio.store.runs.latest(kind, studio.store.pools.get(pool).id)
    for run in runs:
        if run.state == "finished" and run.result:
            return run.result | {"finished": run.updated.isoformat(timespec="minutes")}
    return None


def interrupted(studio: Studio, kind: str, pool: str, job: Job | None) -> Run | None:
    """The pool's latest run of a kind if a killed process left it unfinished.

    Started again with the same settings, it takes from the store whatever was scored before.
    """
    if job is not None and not job.snapshot().over:
        return None
    runs = studio.store.runs.latest(kind, studio.store.pools.get(pool).id, limit=1)
    return runs[0] if runs and runs[0].state == "running" else None
