"""A figure with its interval as results hold it: None where it is undefined."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...types import Interval


def number(value: float) -> float | None:
    """The value as results hold it: None where it is undefined or infinite."""
    return float(value) if math.isfinite(value) else None


def three_decimals(value: float, *, sign: str = "") -> str:
    """The number with three decimals, zero without a sign; where unreadable in powers of ten.

    `sign` "+" writes the sign of zero and of positive numbers too.
    """
    return format(value, f"{sign}z.3f" if abs(value) < 1e5 else f"{sign}.1e")


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % interval; None where undefined.

    `n` evaluation examples stand behind it. Where they are too few for an interval, `needed` says
    about how many it takes. Both are 0 where that is not recorded.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int = 0
    needed: int = 0

    @classmethod
    def of(cls, interval: Interval) -> Self:
        """The interval with None for what is undefined or infinite."""
        ends = number(interval.mean), number(interval.low), number(interval.high)
        return cls(*ends, interval.n, interval.needed)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The estimate that `to_json` wrote."""
        return cls(row["mean"], row["low"], row["high"], row.get("n", 0), row.get("needed", 0))

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return dict(vars(self))

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


UNDEFINED = Estimate(None, None, None)
