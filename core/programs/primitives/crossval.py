"""Trying random sets of demonstrations on the training examples that are not in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from ...errors import InvalidInput
from ...recorded import Recorded
from ...settings import SEED
from ...types import FloatArray
from ...watcher import NOBODY, Watcher
from ..example import Example

SETS = 100
"""How many sets are drawn: DSP, section 2.3."""

SIZE = 5
"""How many demonstrations each has, likewise."""


@dataclass(frozen=True, slots=True)
class CrossValidation(Recorded):
    """Sets of demonstrations with the score of each on every other training example.

    Attributes:
        sets: The positions of each set's demonstrations among the training examples, as drawn.
        scores: For each set one score a training example; None where it is in the set.
        best: The number of the set with the highest mean, the first among equals.
    """

    sets: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float | None, ...], ...]
    best: int

    @property
    def table(self) -> FloatArray:
        """The scores as an array, shape (sets, training examples), NaN where they are None."""
        rows = [[np.nan if score is None else score for score in row] for row in self.scores]
        return np.array(rows, dtype=np.float64)

    @property
    def means(self) -> FloatArray:
        """The mean score of each set over the examples that are not in it, shape (sets,)."""
        return np.array([_mean(row) for row in self.scores])

    def chosen(self, train: Sequence[Example]) -> tuple[Example, ...]:
        """The demonstrations of the best set."""
        return tuple(train[place] for place in self.sets[self.best])


def crossval(
    train: Sequence[Example],
    evaluate: Callable[[tuple[Example, ...], Example], float],
    *,
    n: int = SETS,
    k: int = SIZE,
    seed: int = SEED,
    watcher: Watcher = NOBODY,
) -> CrossValidation:
    """N random sets of k demonstrations, each scored on the len(train) - k other examples.

    Args:
        train: What sets are drawn from and scored on.
        evaluate: The score of a set of demonstrations on one example, finite, the higher the
            better.
        n: How many sets, >= 1; set i depends on the seed and i alone.
        k: How many demonstrations a set has, 0 to len(train) - 1: 0 scores doing without.
        seed: Of what is drawn.
        watcher: Gets the scores computed and their number after each set; asked before every score.

    Raises:
        InvalidInput: n is below 1, or k leaves no example to score on.
        ValueError: A score is not finite.
        Cancelled: The watcher asked to stop.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3.
    """
    if n < 1:
        raise InvalidInput(f"To cross-validate, n is {n}; it must be 1 or more.")
    if not 0 <= k < len(train):
        raise InvalidInput(
            f"To cross-validate, k is {k} of {len(train)} training examples; it must be 0 or more "
            "and leave at least one to score on."
        )
    sets, scores = [], []
    for number in range(n):
        drawn = np.random.default_rng([seed, number]).choice(len(train), size=k, replace=False)
        sets.append(tuple(map(int, drawn)))
        scores.append(_scored(train, sets[-1], evaluate, watcher))
        watcher.on_progress((number + 1) * (len(train) - k), n * (len(train) - k))
    best = max(range(n), key=lambda number: _mean(scores[number]))
    return CrossValidation(tuple(sets), tuple(scores), best)


def _mean(row: Sequence[float | None]) -> float:
    return fmean(score for score in row if score is not None)


def _scored(
    train: Sequence[Example],
    places: tuple[int, ...],
    evaluate: Callable[[tuple[Example, ...], Example], float],
    watcher: Watcher,
) -> tuple[float | None, ...]:
    demos = tuple(train[place] for place in places)
    row = list[float | None]()
    for place, example in enumerate(train):
        if place in places:
            row.append(None)
            continue
        watcher.checkpoint("The cross-validation was stopped.")
        score = float(evaluate(demos, example))
        if not np.isfinite(score):
            raise ValueError(f"the score of a set on example {place} is {score}")
        row.append(score)
    return tuple(row)
