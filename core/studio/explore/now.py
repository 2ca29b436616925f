"""What of a view is known now, and the job that computes the rest."""

from dataclasses import dataclass

from ...background.job import JobSnapshot
from ...evaluation.results.own_answer import OwnAnswers
from ...reporting.results.query import Effect
from .effect import QueryCurve
from .own_answers import Written
from .triangle import PromptSizes, TriangleScores


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
