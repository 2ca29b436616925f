"""What a method needs from a language model to compare texts by a task."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...types import BoolArray, FloatArray, IsCancelled, OnProgress
from .prompt import TaskPrompt


@dataclass(frozen=True, eq=False)
class PoolStates:
    """The task states of a pool's texts, in their order.

    `states` (n, width) is float32; the rows of texts that do not fit the model's window are NaN.
    `exemplars` is how many of the prompt's exemplars precede most texts: the first ones are
    dropped until nearly every text fits. `shortened` counts the texts preceded by still fewer.
    `skipped` are the positions of those that do not even fit alone.
    """

    states: FloatArray
    exemplars: int
    shortened: int = 0
    skipped: tuple[int, ...] = ()

    @property
    def read(self) -> BoolArray:
        """Mask (n,) of the texts that have a state."""
        mask = np.ones(len(self.states), dtype=bool)
        mask[list(self.skipped)] = False
        return mask

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the states that were read, shape (width,): what they all have in common.

        Zeros if none was read. Computing it takes the whole pool; every query needs it.
        """
        read = self.states[self.read] if self.skipped else self.states
        if not len(read):
            return np.zeros(self.states.shape[1], dtype=np.float64)
        mean: NDArray[np.float64] = read.mean(axis=0, dtype=np.float64)
        return mean


class ReadStates(Protocol):
    """The task states that a method can get from a language model."""

    def of_pool(
        self,
        prompt: TaskPrompt,
        texts: Sequence[str],
        *,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> PoolStates:
        """The states of the pool's texts after the prompt.

        Raises:
            InvalidInput: The model gives no states.
            Cancelled: `cancelled` answered True; what was read is kept.
        """
        ...

    def before_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> int:
        """How many of the last exemplars precede the query: as many as precede the pool's texts.

        There are fewer if the model's window has no room for so many before this query.

        Raises:
            QueryTooLong: It does not fit the model's window even alone.
        """
        ...

    def of_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> FloatArray:
        """The query's state, shape (width,), after the exemplars that `before_query` counts.

        Raises:
            QueryTooLong: It does not fit the model's window even alone.
        """
        ...
