"""What one visitor of Explore has computed and has running: the latest view wins."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

from ...background import Job, Urgency
from ...background.job import JobSnapshot
from ...errors import Cancelled
from ...reporting.results.path import Step
from ...reporting.results.query import Effect
from ..session.studio import Studio
from .effect import QueryCurve, diversity_curve, effect_of, known_effect, query_curve
from .exploration import ExploreRequest, usable_request
from .path import path_of, steps_of
from .stored_curve import stored_curve

T = TypeVar("T")
PAUSE = 0.15
"""Seconds that the model's work waits: the context is drawn first, and a slider on its way does
not have each of its stations scored."""


@dataclass(frozen=True)
class CurveNow:
    """A query's curve as far as it is there; `job` is None where nothing is to be scored."""

    curve: QueryCurve
    job: JobSnapshot | None

    @property
    def complete(self) -> bool:
        """Whether nothing more will come."""
        return self.job is None or self.job.over


@dataclass(frozen=True)
class EffectNow:
    """The effect of the context if it is there, else the job that computes it."""

    effect: Effect | None
    job: JobSnapshot | None

    @property
    def complete(self) -> bool:
        """Whether nothing more will come."""
        return self.job is None or self.job.over


class LatestResults:
    """One visitor's view of Explore, for the thread that draws it; nothing here waits.

    What does not change with lambda_d (the curve, the path) is computed once and kept until
    something else changes; the model's work runs on the studio's worker, the curve in breaks of
    longer work and the answers in breaks of the curve. A job that failed or was cancelled stays,
    so that nothing starts by itself against the visitor's will, until `try_again`.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._session = uuid4().hex
        self._kept: dict[str, tuple[Hashable, Any]] = {}

    def curve(self, request: ExploreRequest) -> CurveNow:
        """DPO and diversity over lambda_d, at once where all of it was scored before.

        Else it starts the scoring when answers and model are there.

        Raises:
            InvalidInput: As for `explore`.
        """
        key = self._key(request)
        shape: QueryCurve = self._once("shape", key, lambda: diversity_curve(self._studio, request))
        known = self._once("stored", key, lambda: stored_curve(self._studio, request))
        if known is not None or not self._can_score(request):
            self._stop("curve")
            return CurveNow(known or shape, None)
        job = self._job(
            "curve", key, "DPO over lambda_d", lambda job: query_curve(self._studio, request, job)
        )
        now = job.snapshot()
        return CurveNow(now.result or now.partial or shape, now)

    def effect(self, request: ExploreRequest, prompt: str) -> EffectNow:
        """The answers' log-probabilities with and without the context that makes the prompt."""
        key = (request.setup, prompt, request.query, request.example)
        known = self._known_effect(key, request, prompt) if request.answers else None
        if known is not None or not self._can_score(request):
            self._stop("effect")
            return EffectNow(known, None)
        job = self._job(
            "effect",
            key,
            "Scoring the answers",
            lambda job: effect_of(self._studio, request, prompt),
        )
        now = job.snapshot()
        return EffectNow(now.result, now)

    def _known_effect(self, key: Hashable, request: ExploreRequest, prompt: str) -> Effect | None:
        """The effect if the store has it; a run of the page asks twice and reads it once."""
        key = key, self._studio.model_fingerprint(request.setup.model)
        if self._kept.get("known", (None,))[0] != key:
            found = known_effect(self._studio, request, prompt)
            if found is None:
                return None
            self._kept["known"] = (key, found)
        effect: Effect = self._kept["known"][1]
        return effect

    def steps(self, request: ExploreRequest, over: str = "lambda_d") -> tuple[Step, ...]:
        """The pieces of the query's path over one lambda.

        Empty where the method has no path over that lambda, where the quality bias holds lambda_b
        at 1, and where the context is chosen among candidates.
        """
        if not request.knobs.info.has_path(over) or request.knobs.index is not None:
            return ()
        view = self._studio.view(request.setup)
        usable, _ = usable_request(view, request)
        if over == "lambda_b" and (view.unscored or request.setup.model_name is None):
            return ()
        key = self._key(usable, over)
        return self._once(
            f"steps {over}", key, lambda: steps_of(view, path_of(self._studio, usable, over))
        )

    def cancel_curve(self) -> None:
        """Stop the scoring of the curve; what was scored stays on the screen and in the store."""
        if "curve" in self._kept:
            self._kept["curve"][1].cancel()

    def try_again(self) -> None:
        """Let what failed or was cancelled start again; what was scored is not scored twice."""
        self._stop("curve")
        self._stop("effect")

    def close(self) -> None:
        """Stop what runs and let all results go, as when the visitor leaves."""
        self.try_again()
        self._kept.clear()

    def _can_score(self, request: ExploreRequest) -> bool:
        model = self._studio.loaded_model(request.setup.model)
        return bool(request.answers) and model is not None

    def _key(self, request: ExploreRequest, over: str = "lambda_d") -> Hashable:
        """Everything that decides a curve or path over a lambda: all but that one, and the pool."""
        view = self._studio.view(request.setup)
        usable, _ = usable_request(view, request)
        fingerprint = self._studio.model_fingerprint(request.setup.model)
        # The ids as well: a pool that was deleted and imported again can have its old version.
        pool = (view.version, view.encoder, view.ids.tobytes())
        return usable.with_knobs(**{over: 0.0}), pool, fingerprint

    def _once(self, name: str, key: Hashable, make: Callable[[], T]) -> T:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = self._kept[name] = (key, make())
        value: T = kept[1]
        return value

    def _job(self, name: str, key: Hashable, label: str, work: Callable[[Job], Any]) -> Job:
        urgency = Urgency.URGENT if name == "effect" else Urgency.SHOWN
        return self._once(
            name,
            key,
            lambda: self._studio.model_worker.submit(
                self._slot(name),
                label,
                lambda job: work(_after_pause(job)),
                urgency=urgency,
            ),
        )

    def _stop(self, name: str) -> None:
        if self._kept.pop(name, None) is not None:
            self._studio.model_worker.forget(self._slot(name))

    def _slot(self, name: str) -> str:
        return f"{name}:{self._session}"


def _after_pause(job: Job) -> Job:
    """The job, once it has waited; one that is overtaken meanwhile ends here.

    Raises:
        Cancelled: The job was cancelled in the pause.
    """
    until = time.monotonic() + PAUSE
    while time.monotonic() < until:
        if job.cancelled():
            raise Cancelled("A newer view came first.")
        time.sleep(PAUSE / 10)
    return job
