"""Stretches of a lambda, and values that are constant on one of them."""

from dataclasses import dataclass
from typing import Generic, TypeVar

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
