"""Figures as a summary holds them, and how the metrics behind them are called.

A summary is what `Calibration.summary()` or `Evaluation.summary()` returned, of the whole run or of
its examples so far, fresh or read back from the store.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..metrics.registry import METRICS

NO_EFFECT = -0.6931
"""DPO per triple where the context changes nothing: log sigmoid(0)."""

NO_FIGURE = "No figures yet"


def three_decimals(value: float, *, sign: str = "") -> str:
    """The number with three decimals, zero without a sign; where unreadable in powers of ten.

    `sign` "+" writes the sign of zero and of positive numbers too.
    """
    return format(value, f"{sign}z.3f" if abs(value) < 1e5 else f"{sign}.1e")


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % interval; None where undefined."""

    mean: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Estimate":
        """The estimate of an interval's row in a summary."""
        return cls(row["mean"], row["low"], row["high"])

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.low is not None and self.low > 0.0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below zero."""
        return self.high is not None and self.high < 0.0

    def __str__(self) -> str:
        """Mean and interval with three decimals; a dash where undefined."""
        if self.mean is None:
            return "-"
        if self.low is None or self.high is None:
            return three_decimals(self.mean)
        return (
            f"{three_decimals(self.mean)} [{three_decimals(self.low)}, {three_decimals(self.high)}]"
        )


@dataclass(frozen=True)
class MetricFacts:
    """How a metric is called and read; `higher_is_better` None where neither end is better."""

    name: str
    label: str
    unit: str
    explanation: str
    higher_is_better: bool | None

    @property
    def axis(self) -> str:
        """The name of an axis that shows it."""
        return f"{self.label} ({self.unit})"


DIVERSITY = MetricFacts(
    "diversity",
    "Sameness",
    "mean cosine of pairs, lower is more diverse",
    "How alike the demonstrations of a context are: the mean cosine over its pairs, 1 when all ask "
    "the same, near 0 when they have nothing in common.",
    None,
)


def metric_facts(name: str) -> MetricFacts:
    """The facts of a metric of the registry, or of `diversity`."""
    if name == DIVERSITY.name:
        return DIVERSITY
    info = METRICS[name]
    return MetricFacts(name, info.label, info.unit, info.explanation, info.higher_is_better)


def is_partial(summary: Mapping[str, Any]) -> bool:
    """Whether examples are still to come: the run goes on."""
    return summary.get("end") is None and examples_done(summary) < summary["total"]


def examples_done(summary: Mapping[str, Any]) -> int:
    """How many examples are behind the figures, those that could not be used included."""
    return int(summary["examples"] + summary["skipped"])
