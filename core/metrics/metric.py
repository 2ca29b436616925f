"""What a reader needs to know about a metric, beside how it is computed."""

import math
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Literal

from .scores import PerExample

RAGSYS = "RAGSys, section 4"


class Counted(Enum):
    """Which examples a metric is defined for: by their answers, by their label, or by the run."""

    ALL = auto()
    WITH_INCORRECT = auto()
    WITHOUT_INCORRECT = auto()
    LABELLED = auto()
    GENERATED = auto()


class Group(StrEnum):
    """What a metric is of."""

    PROBABILITIES = "Answers' probabilities"
    GENERATED = "Generated answers"
    CONTEXT = "Context"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricInfo:
    """A metric: the sum of `numerators` over that of `denominators`, one of each per example.

    A denominator of 0 means that the metric is undefined for the example, which is left out.
    `spread` is the kind of interval it has: a `share` is in [0, 1] example by example,
    numerator over denominator, the outcomes of a `mean` may be skewed, and what is `unbounded` has
    none: one example may decide it.
    `without_effect` are the numerators where the context changes nothing, for the means. No value
    is above `highest`. `higher_is_better` is None where neither end is better: such a metric is
    shown, and nothing is chosen by it; `ends` then describe a lower and a higher value. `counts`
    is which examples it counts.
    """

    name: str
    label: str
    explanation: str
    unit: str
    higher_is_better: bool | None
    source: str
    numerators: PerExample
    denominators: PerExample
    spread: Literal["mean", "share", "unbounded"] = "mean"
    without_effect: PerExample | None = None
    highest: float = math.inf
    ends: tuple[str, str] | None = None
    counts: Counted = Counted.ALL
    group: Group = Group.PROBABILITIES

    @property
    def axis(self) -> str:
        """The name of an axis that shows it."""
        return f"{self.label} ({self.unit})"
