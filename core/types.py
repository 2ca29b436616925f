"""The words of the field as types: demonstrations, evaluation examples, scoring, progress."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) after every batch."""

IsCancelled: TypeAlias = Callable[[], bool]
"""Asked between batches; when it answers True the work raises `Cancelled`."""

TIE = 1e-6
"""Nearer than this to a breakpoint of a lambda, what holds on either side of it may be chosen."""

NOWHERE = 1e-6
"""A sum of unit rows shorter than this points nowhere: float32 rows that cancel leave as much."""


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

    def surely_holds(self, at: float) -> bool:
        """Whether it holds at a lambda, and nothing beside it ties."""
        return self.low + TIE < at < self.high - TIE

    def may_hold(self, at: float) -> bool:
        """Whether it holds at a lambda, or ties with what does."""
        return self.low - TIE <= at <= self.high + TIE


Held = TypeVar("Held")


@dataclass(frozen=True, slots=True)
class Piece(Stretch, Generic[Held]):
    """What one stretch of a lambda holds: a context, an outcome, ids, ..."""

    value: Held


class Status(StrEnum):
    """Whether a demonstration may be retrieved."""

    INCLUDED = "included"
    EXCLUDED = "excluded"


class IncorrectAnswer(NamedTuple):
    """A text that is no answer to its query; `kind` says in a word what it gets wrong, or is ""."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A demonstration that is not in a pool yet."""

    query: str
    answer: str
    incorrect: tuple[IncorrectAnswer, ...] = ()
    tags: tuple[str, ...] = ()
    best: bool = False
    status: Status = Status.INCLUDED
    note: str = ""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One pair (query, answer) of a pool, with its incorrect answers.

    `best` marks the answer that its query names as best; `revision` grows by one with every
    change, so that a late writer is told.
    """

    id: int
    query: str
    answer: str
    incorrect: tuple[IncorrectAnswer, ...]
    tags: tuple[str, ...]
    best: bool
    status: Status
    note: str
    revision: int


@dataclass(frozen=True, slots=True)
class EvaluationExample:
    """One query with all its correct and all its incorrect answers.

    `best` is the position of the best answer in `answers`.
    """

    query: str
    answers: tuple[str, ...]
    incorrect: tuple[IncorrectAnswer, ...]
    best: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of its answers, the correct ones first."""
        return (*self.answers, *(each.text for each in self.incorrect))


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; `n` evaluation examples stand behind it.

    The ends are NaN where there is no interval: there are too few examples, and `needed` says about
    how many it takes, or none can be given, and `needed` is 0.
    """

    mean: float
    low: float
    high: float
    n: int
    needed: int = 0


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """The unit of scoring: all answers of one prompt together, so that it is computed once.

    The answers are verbatim continuations of the prompt, their leading space included.
    """

    prompt: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogProb:
    """How probable a model finds an answer after its prompt.

    Attributes:
        total: Natural logarithm of the answer's probability, <= 0: the sum of `tokens`, in nats.
        n_tokens: How many tokens the answer has, >= 1.
        tokens: Natural logarithm of each token's probability given all before it, in nats.
    """

    total: float
    n_tokens: int
    tokens: tuple[float, ...]
