"""What runs share: making everything ready, running on the model's thread, live figures."""

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from ...background import Job, JobSnapshot, Watcher
from ...background.watcher import EMBEDDING, QUALITY
from ...demonstration.demonstration import EvaluationExample, Status
from ...engines import LocalEngine
from ...evaluation.plan.examples import examples_of
from ...evaluation.results.run_figures import RunFigures, RunSettings
from ...evaluation.scoring.quality_bias import QualityAsNeeded, score_quality
from ...language_model import check_scores
from ...retrieval.choosing import find_method, settled
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import LivePool
from ...settings import Embed
from ...store import Json, StoredResult
from ..session.models import caution
from ..session.studio import Setup, Studio

Report = Callable[[str], None]
PROBE = "."
"""A text that is read before all others: a model without hidden states is refused at once."""
FEW = 100
"""So many demonstrations are scored at once: a model of 135 million parameters takes 6 s."""
Result = TypeVar("Result", bound=RunFigures)
Request = TypeVar("Request", bound="RunRequest")
Settings = TypeVar("Settings", bound=RunSettings)


@dataclass(frozen=True)
class RunInputs:
    """What a run needs: the pool's view, the engine, the evaluation examples; a caution.

    `quality` scores the quality bias that is still missing; None where none is.
    """

    view: LivePool
    engine: LocalEngine
    examples: list[EvaluationExample]
    caution: str
    quality: QualityAsNeeded | None = None


def prepare(
    studio: Studio,
    setup: Setup,
    examples_from: str | None,
    requests: Collection[Knobs],
    watcher: Watcher,
    report: Report,
    *,
    as_needed: bool = False,
) -> RunInputs:
    """Embed what the requests need and score the quality that is missing, which is reported.

    With `as_needed` much of it is left to the run, which scores what its choices need, so that
    its first results need not wait for the whole pool.

    Raises:
        InvalidInput: An unknown pool, no usable language model, one that cannot score, or one that
            gives no hidden states where a request compares them.
        Cancelled: The watcher requested a stop; what was computed is kept.
    """
    pool = studio.store.pools.get(setup.pool)
    source = studio.store.pools.get(examples_from or setup.pool)
    engine = studio.engine(setup)
    check_scores(engine.name, engine.abilities)
    if any(find_method(each.method).reads is not None for each in requests):
        engine.states("", [PROBE], cancelled=watcher.cancelled)
    watcher.on_phase(EMBEDDING)
    embeds = list(dict.fromkeys((Embed.QUERY, *(each.embed for each in requests))))
    view = embedded(studio, setup, embeds, watcher)
    biased = any(settled(each).needs_bias for each in requests)
    quality = None
    if biased and as_needed and view.unscored > FEW:
        report(
            f"scoring the quality bias that choices need, of up to {view.unscored:,} demonstrations"
        )
        quality = QualityAsNeeded(studio.store, engine, view)
    elif biased and view.unscored:
        watcher.on_phase(QUALITY)
        report(f"scoring the quality bias of {view.unscored:,} demonstrations first")
        score_quality(
            studio.store,
            pool.id,
            engine,
            on_progress=watcher.on_progress,
            cancelled=watcher.cancelled,
        )
        view = embedded(studio, setup, embeds, watcher)
    examples = examples_of(studio.store.demonstrations.all(source.id, status=Status.INCLUDED))
    answers = [answer for example in examples for answer in example.answers]
    warning = caution(setup.model_name, view.answers) or caution(setup.model_name, answers)
    return RunInputs(view, engine, examples, warning, quality)


def embedded(studio: Studio, setup: Setup, embeds: Sequence[Embed], watcher: Watcher) -> LivePool:
    """The pool's view by the first of the embeddings, with the others of its version beside it.

    Raises:
        Cancelled: The watcher requested a stop; what was embedded is kept.
    """
    while True:
        view, *others = (
            studio.view(
                setup, embed=embed, on_progress=watcher.on_progress, cancelled=watcher.cancelled
            )
            for embed in embeds
        )
        # Someone may edit the pool meanwhile, and rows of two versions do not match.
        if all(other.version == view.version for other in others):
            break
    for other in others:
        view = view.beside(other)
    return view


LIMIT = 50
"""Evaluation examples that a page starts with; a larger number keeps what was scored."""


def examples_in(studio: Studio, pool: str, limit: int | None = None) -> int:
    """How many evaluation examples a pool offers, at most `limit`."""
    queries = studio.store.pools.summary(pool).queries
    return queries if limit is None else min(limit, queries)


@dataclass(frozen=True)
class PoolRuns(Generic[Result, Settings]):
    """The runs of one kind, at most one per pool at a time, in the background and recorded.

    A pool keeps its runs when it is renamed. `kind` is what the store records them as; `result_of`
    and `settings_of` read what it recorded.
    """

    kind: str
    result_of: Callable[[Mapping[str, Json]], Result]
    settings_of: Callable[[Mapping[str, Json]], Settings]

    def start(
        self, studio: Studio, pool: str, label: str, work: Callable[[Watcher], object]
    ) -> Job:
        """Run the work on the model's thread; the pool's older run of this kind is cancelled."""
        slot = self.slot(studio, pool)
        return studio.model_worker.submit(slot, label, lambda job: work(job.watcher()))

    def slot(self, studio: Studio, pool: str) -> str:
        """The worker's slot of the pool's run."""
        return f"{self.kind}:{studio.store.pools.get(pool).id}"

    def job(self, studio: Studio, pool: str) -> Job | None:
        """The pool's run since the server started, finished or not."""
        return studio.model_worker.latest(self.slot(studio, pool))

    def latest(self, studio: Studio, pool: str) -> Result | None:
        """The pool's latest result, also from before a restart, with when its run ended.

        A run that was stopped has the result over its examples so far.
        """
        stored = studio.store.runs.latest_result(self.kind, studio.store.pools.get(pool).id)
        return None if stored is None else _read(self.result_of, stored)

    def unfinished(self, studio: Studio, pool: str) -> Settings | None:
        """The settings of the pool's latest run if a killed process left it unfinished.

        Started again with them, it takes from the store whatever was scored before.
        """
        job = self.job(studio, pool)
        if job is not None and not job.snapshot().over:
            return None
        runs = studio.store.runs.latest(self.kind, studio.store.pools.get(pool).id, limit=1)
        cut_off = runs and runs[0].state == "running"
        return self.settings_of(runs[0].settings) if cut_off else None


class RunRequest(Protocol):
    """What every kind of request has."""

    @property
    def setup(self) -> Setup:
        """The pool and what works with it."""

    @property
    def examples(self) -> str | None:
        """The pool that the evaluation examples are from, None for the same."""


class RunService(Protocol[Request, Settings]):
    """What a page needs of one kind of run; the modules `calibrate` and `compare` provide it."""

    @property
    def RUNS(self) -> PoolRuns[Any, Settings]:
        """The runs of this kind."""

    def cost(self, studio: Studio, request: Request) -> str:
        """About what the request costs, in words."""

    def start(self, studio: Studio, request: Request) -> Job:
        """Run the request in the background."""

    def resumed(self, setup: Setup, settings: Settings) -> Request:
        """The request that a recorded run's settings came from, for this encoder and model."""


@lru_cache(maxsize=16)
def _read(result_of: Callable[[Mapping[str, Json]], Result], stored: StoredResult) -> Result:
    """The stored result: read once, as long as it does not change."""
    return result_of(json.loads(stored.text)).ended_at(stored.ended)


GAP = 1.0
"""Seconds between two summaries of a partial result, at least."""
SHARE = 4.0
"""A summary that took t seconds is not made again for SHARE * t seconds."""


class LiveSummary:
    """Summaries of partial results, made seldom enough to leave the machine to the model.

    A summary of many cells and many examples costs something; between two of them the earlier one
    is shown.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._job: int | None = None
        self._counted = ("", 0)  # the part, and its examples
        self._not_before = 0.0
        self._summary: RunFigures | None = None

    def of(self, now: JobSnapshot) -> RunFigures | None:
        """The summary of the job's examples so far; None before the first."""
        if self._job != now.id:
            self._job, self._counted, self._summary = now.id, ("", 0), None
            self._not_before = 0.0
        partial, started = now.partial, self._clock()
        if partial is None or started < self._not_before:
            return self._summary
        # Each model of a comparison counts from 0 again.
        counted = (now.part, partial.figures.done)
        if counted == self._counted:
            return self._summary
        self._summary, self._counted = partial.summary(), counted
        spent = self._clock() - started
        self._not_before = started + spent + max(GAP, SHARE * spent)
        return self._summary
