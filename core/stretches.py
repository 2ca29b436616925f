"""Stretches of a lambda, and what is the same all along one of them."""

from dataclasses import dataclass
from typing import Generic, TypeVar

TIE = 1e-6
"""Nearer than this to a breakpoint of a lambda, either side of it may be chosen."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a lambda: `low` <= lambda < `high`; the last one of a path includes its end, 1.

    The stretches of a path lie end to end, ascending, from 0 to 1.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """How much of the lambda it takes."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The lambda in its middle."""
        return (self.low + self.high) / 2

    def surely_contains(self, at: float) -> bool:
        """Whether a lambda lies within it, and nothing beside it ties."""
        return self.low + TIE < at < self.high - TIE

    def may_contain(self, at: float) -> bool:
        """Whether a lambda lies within it, or so near that it ties with what lies beside it."""
        return self.low - TIE <= at <= self.high + TIE


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Piece(Stretch, Generic[Value]):
    """A stretch of a lambda with its value: a context, an outcome, ids, ..."""

    value: Value
