"""Which metric a run leads with, and how many examples each of its figures is based on."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Self

from ...demonstration.demonstration import EvaluationExample
from ...metrics.bounds.skewed import LEAST
from ...metrics.registry import METRICS, Counted

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
