"""Sets of demonstrations that every query could be shown, and what the best of them is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...interval import Interval
from ...metrics.bounds.intervals import mean_interval, paired_interval
from ...recorded import Recorded
from ...types import FloatArray
from .crossvalidation import Worth, worth_of


@dataclass(frozen=True)
class FixedSet(Recorded):
    """A set of demonstrations with its mean score on the examples that are not in it.

    Attributes:
        ids: The demonstrations, in the order drawn.
        value: The mean over the examples, each of which counts once.
    """

    ids: tuple[int, ...]
    value: Interval


@dataclass(frozen=True)
class FixedSets(Recorded):
    """Random sets, the best of them by some examples, and its score on others.

    Attributes:
        pool: The pool that the sets are drawn from.
        model: The language model that scored them.
        metric: The metric of each example by itself.
        seed: Of the sets and of what is held out.
        sets: All of them, the best first, ties in the order drawn.
        choosing: How many examples the sets were drawn from and chosen on.
        held_out: How many examples had no part in the choice.
        set_aside: Examples of the pool that were not used, since another one gives them away, the
            metric is undefined for them or the model's window has no room for them.
        mean: The mean of all sets on the examples that chose.
        value: The best set on the held-out examples: an honest figure, where the one in `sets` is
            that of the best of many on the very examples that chose it.
        present: The ids that the pool's `fix` shows now.
        present_value: Those on the held-out examples.
        gain: The best set less the present one on the held-out examples, paired.
        worth: What the best set gains over the present one.
    """

    pool: str
    model: str
    metric: str
    seed: int
    sets: tuple[FixedSet, ...]
    choosing: int
    held_out: int
    set_aside: int
    mean: float
    value: Interval
    present: tuple[int, ...]
    present_value: Interval
    gain: Interval
    worth: Worth

    @property
    def best(self) -> FixedSet:
        """The set with the highest mean on the examples that chose."""
        return self.sets[0]

    @property
    def optimism(self) -> float | None:
        """How much better the best set looks where it was chosen than where it was not.

        None where either is undefined. The two are means over different examples.
        """
        if self.best.value.mean is None or self.value.mean is None:
            return None
        return self.best.value.mean - self.value.mean


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of two sets on examples that chose neither, shape (e,) each."""

    best: NDArray[np.float64]
    present: NDArray[np.float64]

    @classmethod
    def of(cls, best: Sequence[float], present: Sequence[float]) -> Self:
        """The scores as arrays."""
        return cls(np.array(best, dtype=np.float64), np.array(present, dtype=np.float64))

    @property
    def gain(self) -> Interval:
        """The best less the present one, paired over the examples."""
        return paired_interval(np.array([self.best, self.present]), np.ones(len(self.best)))

    @property
    def worth(self) -> Worth:
        """What the best gains."""
        return worth_of(self.gain, same=bool(np.array_equal(self.best, self.present)))


def ranked_sets(ids: Sequence[Sequence[int]], table: FloatArray) -> tuple[FixedSet, ...]:
    """The sets with their means, the best first, ties in their order.

    Args:
        ids: The demonstrations of each set.
        table: Shape (sets, examples), NaN where an example is in the set.
    """
    means = np.nanmean(table, axis=1)
    order = np.argsort(-means, kind="stable").tolist()
    return tuple(FixedSet(tuple(ids[place]), mean_interval(table[place])) for place in order)
