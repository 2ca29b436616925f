"""Types that all parts share: arrays, the unit of scoring."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


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
