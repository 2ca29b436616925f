"""Which metric a run leads with, and whether contexts help a model or harm it.

Log sigmoid is concave, so a mean of it above -0.693 implies a mean delta above 0, while one below
implies nothing: deltas of +6 and -4 have a mean of +1, and their log sigmoids one of -2.01. A
verdict of harm therefore needs delta to agree. What a mean below does imply is that some triples
lose: by as many nats as it is below -0.693, on average over all triples, or more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Self

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval, Sign
from ...metrics.bounds.intervals import ROUNDING
from ...metrics.bounds.quantiles import LEAST
from ...metrics.metric import Counted
from ...metrics.preference import NO_EFFECT
from ...metrics.registry import METRICS

SHOWN = 0.005
"""Nats: for one query, what two decimals do not show is no effect."""


class Verdict(StrEnum):
    """What the contexts do to the preference for correct answers."""

    HELPS = "helps"
    """DPO per triple is clearly above -0.693, which implies a delta above 0."""
    HARMS = "harms"
    """DPO per triple is clearly below -0.693, and delta clearly below 0."""
    SOME_LOSE_MUCH = "some queries lose much"
    """DPO per triple is clearly below -0.693, and delta is around 0 or above."""
    NO_CLEAR_EFFECT = "no clear effect"
    """DPO per triple is not clearly different from -0.693."""
    TOO_FEW = "too few"
    """There are too few examples for an interval that is needed."""


def verdict_of(dpo: Interval, delta: Interval) -> Verdict | None:
    """The verdict of many examples, by the intervals of their figures.

    None where there is no figure. Where DPO per triple is -0.693 on every example, as with contexts
    that change nothing, it has no interval however many there are, and that is no clear effect.

    Args:
        dpo: DPO per triple, nats.
        delta: Delta of the same examples, nats.

    Source: Jensen's inequality, for RAGSys, section 4.
    """
    if dpo.mean is None:
        return None
    if dpo.low is None or dpo.high is None:
        none = not dpo.needed and abs(dpo.mean - NO_EFFECT) <= ROUNDING
        return Verdict.NO_CLEAR_EFFECT if none else Verdict.TOO_FEW
    if dpo.low > NO_EFFECT:
        return Verdict.HELPS
    if dpo.high >= NO_EFFECT:
        return Verdict.NO_CLEAR_EFFECT
    if delta.sign is Sign.NEGATIVE:
        return Verdict.HARMS
    if delta.mean is not None and delta.mean < 0.0 and delta.high is None:
        return Verdict.TOO_FEW
    return Verdict.SOME_LOSE_MUCH


def verdict_of_one_query(dpo: float | None, delta: float | None) -> Verdict | None:
    """The same rule over the triples of one query, whose figures are no sample of anything.

    So they have no interval but `SHOWN`. None without incorrect answers.

    Args:
        dpo: DPO per triple, nats.
        delta: The mean delta of the same triples, nats.
    """
    if dpo is None or delta is None:
        return None
    return verdict_of(_as_shown(dpo), _as_shown(delta))


def _as_shown(value: float) -> Interval:
    return Interval(value, value - SHOWN, value + SHOWN)


class Sorting(StrEnum):
    """Whether a model's task states sort texts better than what fetched the candidates."""

    BETTER = "better"
    """Label consistency is clearly above that of the first stage."""
    NOT_CLEARLY_BETTER = "not clearly better"
    """Its mean is above that of the first stage, but not clearly."""
    NO_BETTER = "no better"
    """Its mean is that of the first stage, or below, but not clearly below."""
    WORSE = "worse"
    """Label consistency is clearly below that of the first stage."""
    TOO_FEW = "too few"
    """There are too few examples for an interval."""


def sorting_of(difference: Interval, *, by_mean: bool = False) -> Sorting:
    """The verdict by a row's label consistency minus that of its first stage.

    Two rows that never differ have no interval however many examples there are, and neither is
    better.

    Args:
        difference: The difference of the two means.
        by_mean: Whether a mean without an interval decides all the same: below 0 it is worse, above
            0 not clearly better. Else too few examples for an interval are too few for a verdict.

    Source: PGRA, section 4.3.
    """
    if difference.mean is None or (difference.needed and not by_mean):
        return Sorting.TOO_FEW
    if difference.sign is Sign.POSITIVE:
        return Sorting.BETTER
    if difference.sign is Sign.NEGATIVE:
        return Sorting.WORSE
    if by_mean and difference.low is None and difference.mean < 0.0:
        return Sorting.WORSE
    return Sorting.NOT_CLEARLY_BETTER if difference.mean > 0.0 else Sorting.NO_BETTER


PER_TRIPLE, CORRECT_ONLY = "dpo_per_triple", "dpo_correct_only"
ENOUGH = LEAST
"""Examples with incorrect answers that DPO per triple needs for an interval."""


class HaveIncorrect(Enum):
    """How many of a run's examples have incorrect answers, as far as that decides what leads."""

    ALL = auto()
    SOME = auto()
    TOO_FEW = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Basis:
    """How many of a run's examples have incorrect answers, and how many have none.

    `labelled` have a label of the pool's task, 0 where it has no task; `generated` were answered by
    the model itself, 0 where it was not asked to.
    """

    with_incorrect: int
    without_incorrect: int
    labelled: int = 0
    generated: int = 0

    @classmethod
    def of(cls, examples: Sequence[EvaluationExample]) -> Self:
        """The count over these examples."""
        having = sum(bool(example.incorrect) for example in examples)
        return cls(having, len(examples) - having)

    @property
    def examples(self) -> int:
        """All of them."""
        return self.with_incorrect + self.without_incorrect

    @property
    def have_incorrect(self) -> HaveIncorrect:
        """Too few means fewer than DPO per triple needs where the others are enough to lead."""
        if not self.without_incorrect:
            return HaveIncorrect.ALL
        if not self.with_incorrect:
            return HaveIncorrect.NONE
        if self.with_incorrect < ENOUGH <= self.without_incorrect:
            return HaveIncorrect.TOO_FEW
        return HaveIncorrect.SOME

    @property
    def headline(self) -> str:
        """The metric to lead with: DPO per triple where enough examples can have it."""
        leads = self.have_incorrect in (HaveIncorrect.ALL, HaveIncorrect.SOME)
        return PER_TRIPLE if leads else CORRECT_ONLY

    def counted(self, metric: str) -> int:
        """How many of the examples the metric counts."""
        return {
            Counted.ALL: self.examples,
            Counted.WITH_INCORRECT: self.with_incorrect,
            Counted.WITHOUT_INCORRECT: self.without_incorrect,
            Counted.LABELLED: self.labelled,
            Counted.GENERATED: self.generated,
        }[METRICS[metric].counts]
