"""One kind of result of a visitor: what is known now, and the job that computes the rest."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...background import Job, Urgency, Worker
from ...background.job import JobSnapshot
from ...evaluation.results.own_answer import OwnAnswers
from ...reporting.results.query import Effect
from .effect import QueryCurve, Written
from .triangle import PromptSizes, TriangleScores

T = TypeVar("T")


class Latest(Generic[T]):
    """The value of the latest key."""

    def __init__(self) -> None:
        self._kept: tuple[Hashable, T] | None = None

    @property
    def key(self) -> Hashable:
        """The latest key; None before the first."""
        return None if self._kept is None else self._kept[0]

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of the key, made unless it is the latest one."""
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, make())
        return self._kept[1]

    def replace(self, key: Hashable, value: T) -> T:
        """The value, kept under the key instead of what was there."""
        self._kept = (key, value)
        return value


class Slot(Generic[T]):
    """A result that the model's worker computes, for one visitor; the latest key's wins.

    A job that failed or was cancelled stays, so that nothing starts by itself against the
    visitor's will, until `stop`.

    Args:
        worker: What runs the job.
        name: Of the slot in the worker, which no other visitor has.
        label: What the job does, for people.
        urgency: Of the job.
        pause: Seconds that the job waits before it begins.
    """

    def __init__(
        self, worker: Worker, name: str, label: str, urgency: Urgency, pause: float
    ) -> None:
        self._worker = worker
        self._name = name
        self._label = label
        self._urgency = urgency
        self._pause = pause
        self._latest: tuple[Hashable, Job] | None = None

    def result(
        self, key: Hashable, known: T | None, work: Callable[[Job], T] | None
    ) -> tuple[T | None, JobSnapshot | None]:
        """What is known, else what the job has found so far, and the job.

        Args:
            key: What the result depends on.
            known: The result where the store has it: then no job is needed.
            work: What computes it; None where it cannot be computed.
        """
        if known is not None or work is None:
            self.stop()
            return known, None
        job = self.job(key, work).snapshot()
        return job.result or job.partial, job

    def job(self, key: Hashable, work: Callable[[Job], Any], label: str = "") -> Job:
        """The job of that key, begun unless it is the latest; the label is the slot's if empty."""
        known, job = self._latest or (None, None)
        # One that the worker has forgotten begins again.
        if job is None or known != key or self._worker.latest(self._name) is not job:
            job = self._worker.submit(
                self._name,
                label or self._label,
                lambda job: work(self._after_pause(job)),
                urgency=self._urgency,
            )
            self._latest = (key, job)
        return job

    def _after_pause(self, job: Job) -> Job:
        """The job, once it has waited; one that is overtaken meanwhile ends here.

        Raises:
            Cancelled: The job was cancelled in the pause.
        """
        job.pause(self._pause)
        job.watcher().checkpoint("A newer request replaced this one.")
        return job

    def cancel(self) -> None:
        """Stop the job; it stays, with what it has found."""
        if self._latest is not None:
            self._latest[1].cancel()

    def stop(self) -> None:
        """Stop the job and let go of it."""
        if self._latest is not None:
            self._latest = None
            self._worker.forget(self._name)


@dataclass(frozen=True, kw_only=True)
class _Now:
    """`job` is None where nothing is being computed."""

    job: JobSnapshot | None

    @property
    def complete(self) -> bool:
        """Whether nothing more will come."""
        return self.job is None or self.job.over


@dataclass(frozen=True, kw_only=True)
class CurveNow(_Now):
    """A query's curve so far."""

    curve: QueryCurve


@dataclass(frozen=True, kw_only=True)
class AnswersNow(_Now):
    """The model's own answers if they are known, else what is written so far."""

    answers: OwnAnswers | None
    written: Written


@dataclass(frozen=True, kw_only=True)
class EffectNow(_Now):
    """The effect of the context if it is known."""

    effect: Effect | None


@dataclass(frozen=True, kw_only=True)
class TriangleNow(_Now):
    """The effects of a triangle's contexts so far.

    With `offered` the rest is scored once `LatestResults.score_cells` is called: a server's model
    is not asked hundreds of questions that nobody requested.
    """

    scores: TriangleScores
    sizes: PromptSizes
    offered: bool = False
