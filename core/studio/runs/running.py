"""What runs share: making everything ready, running on the model's thread, live figures."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from ...background import Job, JobSnapshot
from ...demonstration.demonstration import EvaluationExample, Status
from ...engines import LocalEngine
from ...errors import InvalidInput
from ...evaluation.plan.examples import examples_of
from ...evaluation.results.run_figures import PoolEdits, RunFigures, RunSettings
from ...evaluation.scoring.quality_bias import QualityAsNeeded, score_quality
from ...language_model import check_scores
from ...retrieval.choosing import find_method, settled
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import LivePool
from ...settings import Embed
from ...store import Json, Pool, StoredRun
from ...watcher import EMBEDDING, QUALITY, Watcher
from ..session.models import caution
from ..session.studio import Setup, Studio

PROBE = "."
"""A text that is read before all others: a model without hidden states is refused at once."""
LISTED = 20
"""So many of a pool's runs are listed."""
FEW = 100
"""So many demonstrations are scored at once: a model of 135 million parameters takes 6 s."""
Result = TypeVar("Result")
Request = TypeVar("Request", bound="RunRequest")
Settings = TypeVar("Settings", bound="RecordedSettings")
Figures = TypeVar("Figures", bound=RunFigures)


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
    *,
    as_needed: bool = False,
) -> RunInputs:
    """Embed what the requests need and score the quality that is missing, which is noted.

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
        engine.states("", [PROBE], watcher=watcher.quietly())
    watcher.on_phase(EMBEDDING)
    embeds = list(dict.fromkeys((Embed.QUERY, *(each.embed for each in requests))))
    view = embedded(studio, setup, embeds, watcher)
    biased = any(settled(each).needs_bias for each in requests)
    quality = None
    if biased and as_needed and view.unscored > FEW:
        watcher.on_note(
            f"scoring the quality bias that choices need, of up to {view.unscored:,} demonstrations"
        )
        quality = QualityAsNeeded(studio.store, engine, view)
    elif biased and view.unscored:
        watcher.on_phase(QUALITY)
        watcher.on_note(f"scoring the quality bias of {view.unscored:,} demonstrations first")
        score_quality(studio.store, pool.id, engine, watcher=watcher)
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
        view, *others = (studio.view(setup, embed=embed, watcher=watcher) for embed in embeds)
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


class RunRequest(Protocol):
    """What every kind of request has."""

    @property
    def setup(self) -> Setup:
        """The pool and what works with it."""


class RecordedSettings(Protocol):
    """What the settings of every recorded run tell."""

    @property
    def size(self) -> int:
        """How many examples, queries or questions it goes through."""

    @property
    def model(self) -> str:
        """The language model's name."""


@dataclass(frozen=True, kw_only=True)
class RunKind(Generic[Request, Settings, Result]):
    """Long work of one kind: at most one run per pool at a time, in the background and recorded.

    A pool keeps its runs when it is renamed.

    Attributes:
        name: What the store records its runs as.
        label: What a request does, in words.
        run: Does the work; a job's partial results are those that it reports, and the result is
            what it returns.
        settings: Reads the settings of a recorded run.
        resumed: The request that such settings came from, for this encoder and model.
        result: Reads what a recorded run has to show.
    """

    name: str
    label: Callable[[Request], str]
    run: Callable[[Studio, Request, Watcher], object]
    settings: Callable[[Mapping[str, Json]], Settings]
    resumed: Callable[[Setup, Settings], Request]
    result: Callable[[Studio, StoredRun], Result]

    def start(self, studio: Studio, request: Request) -> Job:
        """Run it on the model's thread; the pool's older run of this kind is cancelled."""
        return studio.model_worker.submit(
            self.slot(studio, request.setup.pool),
            self.label(request),
            lambda job: self.run(studio, request, job.watcher()),
        )

    def job(self, studio: Studio, pool: str) -> Job | None:
        """The pool's run since the server started, finished or not."""
        return studio.model_worker.latest(self.slot(studio, pool))

    def latest(self, studio: Studio, pool: str) -> Result | None:
        """What the pool's latest run has to show, also from before a restart.

        A run that was stopped shows what came out so far. It is read once, as long as nothing is
        added: a page asks often. Figures have what was edited since (`RunFigures.edits`).
        """
        run = studio.store.runs.latest_to_show(self.name, studio.store.pools.get(pool).id)
        return None if run is None else self._read(studio, run.id, run.updated, lambda: run)

    def last(self, studio: Studio, pool: str) -> dict[int, datetime]:
        """The ids of the pool's last runs that are over, `LISTED` at most, the latest first.

        Each with when it ended.
        """
        return dict(
            studio.store.runs.with_results(self.name, studio.store.pools.get(pool).id, LISTED)
        )

    def earlier(self, studio: Studio, pool: str) -> list[Result]:
        """What the runs of `last` have to show; of several models compared only the whole of it."""
        parts, found = set[int](), list[Result]()
        for id, ended in self.last(studio, pool).items():
            result = self.opened(studio, id, ended)
            parts |= {each.run for each in getattr(result, "earlier", ())}
            found += [] if id in parts else [result]
        return found

    def opened(self, studio: Studio, run: int, ended: datetime) -> Result:
        """What the run of that id, which ended then, has to show."""
        return self._read(studio, run, ended, partial(studio.store.runs.get, run))

    def edits(self, studio: Studio, pool: str) -> PoolEdits | None:
        """What was edited since the pool's latest run, None for nothing."""
        run = studio.store.runs.latest_to_show(self.name, studio.store.pools.get(pool).id)
        settings = None if run is None else self.settings(run.settings)
        if run is None or not isinstance(settings, RunSettings):
            return None
        return edits_since(studio, run.id, settings.pool_version, settings.other_pool)

    def _read(
        self, studio: Studio, id: int, updated: datetime, run: Callable[[], StoredRun]
    ) -> Result:
        def read(kept: tuple[object, Any] | None) -> tuple[object, Any]:
            return kept if kept and kept[0] == updated else (updated, self.result(studio, run()))

        found: Result = studio.recorded.renew(id, read)[1]
        return found.edited(partial(_edits, studio)) if isinstance(found, RunFigures) else found

    def unfinished(self, studio: Studio, pool: str) -> Settings | None:
        """The settings of the pool's latest run if it was cut off.

        That is one that a killed process left, and one with a key that was stopped before this
        server started. Started again with them, it takes from the store whatever was computed.
        """
        job = self.job(studio, pool)
        if job is not None and not job.snapshot().over:
            return None
        runs = studio.store.runs.latest(self.name, studio.store.pools.get(pool).id, limit=1)
        if not runs:
            return None
        stopped = job is None and runs[0].key is not None and runs[0].state == "cancelled"
        cut_off = stopped or runs[0].state == "running"
        return self.settings(runs[0].settings) if cut_off else None

    def slot(self, studio: Studio, pool: str) -> str:
        """The worker's slot of the pool's run."""
        return f"{self.name}:{studio.store.pools.get(pool).id}"


def edits_since(
    studio: Studio, run: int, version: int, examples_from: str | None
) -> PoolEdits | None:
    """How many edits a run's pools have had since, None for none; what they change is not counted.

    Args:
        studio: Where they are.
        run: Its id.
        version: The version of the pool that it is about.
        examples_from: The other pool that its examples were from; None for the same.
    """
    history, (pool_id, started) = studio.store.history, studio.store.runs.begun(run)
    count = 0 if pool_id is None else history.edits_since(pool_id, version, started)
    if (other := find_pool(studio, examples_from)) is not None:
        count += history.edits_since(other.id, None, started)
    return PoolEdits(count) if count else None


def find_pool(studio: Studio, name: str | None) -> Pool | None:
    """The pool of that name; None without a name, and where it is gone."""
    with suppress(InvalidInput):
        return None if name is None else studio.store.pools.get(name)
    return None


def _edits(studio: Studio, figures: RunFigures) -> PoolEdits | None:
    settings = figures.settings
    return edits_since(studio, figures.run, settings.pool_version, settings.other_pool)


def result_by(
    read: Callable[[Mapping[str, Json]], Result],
) -> Callable[[Studio, StoredRun], Result]:
    """Reads the result that a run recorded."""
    return lambda studio, run: read(run.result or {})


def figures_by(
    read: Callable[[Mapping[str, Json]], Figures],
) -> Callable[[Studio, StoredRun], Figures]:
    """Reads the figures that a run recorded as its result, with when it ended."""
    return lambda studio, run: read(run.result or {}).ended_at(run.updated)


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
