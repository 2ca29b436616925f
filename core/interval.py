"""A figure with its 95 % interval, as numbers, text and JSON; stretches of a lambda."""

import math
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Generic, Self, TypeVar

from .recorded import Recorded
from .text import three_decimals


def defined(value: float) -> float | None:
    """The value as results have it: None where it is undefined or infinite."""
    return float(value) if math.isfinite(value) else None


def without_nan(value: Any) -> Any:
    """A value for JSON, which has no NaN: undefined numbers as null, numpy's values as plain."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(part) for part in value]
    if isinstance(value, float):
        return defined(value)
    return value


NOWHERE = 1e-6
"""A sum of unit rows shorter than this has no direction: where float32 rows cancel, rounding leaves
as much."""


class Sign(Enum):
    """The sign of a figure, as far as its interval shows it."""

    POSITIVE = auto()
    """The whole interval is above zero."""
    NEGATIVE = auto()
    """The whole interval is below zero."""
    UNCLEAR = auto()
    """Zero is in the interval."""
    UNBOUNDED = auto()
    """There is no interval, however many examples there are."""
    TOO_FEW = auto()
    """There are too few examples for an interval."""
    UNDEFINED = auto()
    """There is no figure."""


CLEAR = (Sign.POSITIVE, Sign.NEGATIVE)


@dataclass(frozen=True, slots=True)
class Interval(Recorded):
    """A mean with its 95 % interval; what is undefined or infinite is None, never NaN.

    It is the mean of `n` evaluation examples. Where they are too few for an interval, `needed` is
    about how many it takes. Both are 0 where that is not recorded.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int = 0
    needed: int = 0

    def __post_init__(self) -> None:
        for name in ("mean", "low", "high"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else defined(value))

    def without_ends(self, needed: int) -> Self:
        """The mean alone, and about how many examples an interval takes."""
        return replace(self, low=None, high=None, needed=needed)

    @property
    def sign(self) -> Sign:
        """On which side of zero it is."""
        if self.mean is None:
            return Sign.UNDEFINED
        if self.needed:
            return Sign.TOO_FEW
        if self.low is None or self.high is None:
            return Sign.UNBOUNDED
        if self.low > 0.0:
            return Sign.POSITIVE
        return Sign.NEGATIVE if self.high < 0.0 else Sign.UNCLEAR

    @property
    def numbers(self) -> tuple[float | None, float | None, float | None]:
        """The mean and the two ends, for three cells of a table."""
        return (self.mean, self.low, self.high)

    @property
    def ends(self) -> str:
        """The interval alone, with three decimals; a dash where there is none."""
        if self.low is None or self.high is None:
            return "-"
        return f"[{three_decimals(self.low)}, {three_decimals(self.high)}]"

    def __str__(self) -> str:
        """Mean and interval with three decimals; a dash where undefined."""
        if self.mean is None:
            return "-"
        mean = three_decimals(self.mean)
        return mean if self.ends == "-" else f"{mean} {self.ends}"


UNDEFINED = Interval(None, None, None)


TIE = 1e-6
"""Nearer than this to a breakpoint of a lambda, either side of it may be chosen."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a lambda: `low` <= lambda < `high`; the last one of a path includes its end, 1.

    The stretches of a path cover [0, 1] in ascending order, without gaps.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """Its width, `high` - `low`."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """Its midpoint."""
        return (self.low + self.high) / 2

    def surely_contains(self, at: float) -> bool:
        """Whether a lambda is within it and too far from its ends to tie with a neighbour."""
        return self.low + TIE < at < self.high - TIE

    def may_contain(self, at: float) -> bool:
        """Whether a lambda is within it, or so near that it may tie with a neighbour."""
        return self.low - TIE <= at <= self.high + TIE


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Piece(Stretch, Generic[Value]):
    """A stretch of a lambda with its value: a context, an outcome, ids, ..."""

    value: Value
