"""The scores of settings on evaluation examples, as a method gets them from a recorded run."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..selection.best_on_neighbours import ScoreTable
from ..text import normalised
from ..types import BoolArray, FloatArray, IntArray
from .context import Context
from .knobs import Knobs

ChooseBy = Callable[[Knobs, str, FloatArray, BoolArray], Context]
"""A pool's context by some knobs: for a query and its vector, without the excluded (mask (n,))."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredSettings:
    """The settings of a run with their scores on its examples.

    Attributes:
        run: The run's id.
        metric: The metric that the scores are of; in the table the higher one is the better.
        names: A name for each setting, as the run has it.
        knobs: The knobs of each setting.
        left_out: Settings of the run that no query can get, by name: they ask the language model,
            compare other embeddings, or their method is gone.
        queries: The queries of the examples.
        groups: Shape (e,): the number of each example's group. Examples of one group give each
            other away: their normalised query is the same, or a correct answer that is no label.
        table: The scores, the examples' embeddings and weights.
        choose: Chooses from the pool whose view was given.
    """

    run: int
    metric: str
    names: tuple[str, ...]
    knobs: tuple[Knobs, ...]
    left_out: tuple[str, ...]
    queries: tuple[str, ...]
    groups: IntArray
    table: ScoreTable
    choose: ChooseBy

    def not_of(self, query: str) -> BoolArray:
        """Mask (e,) of the examples that may be neighbours of a query: none of its own group."""
        folded = normalised(query)
        own = [place for place, each in enumerate(self.queries) if normalised(each) == folded]
        return ~np.isin(self.groups, self.groups[own])


def no_scores(view: object, run: int) -> ScoredSettings:
    """Where a pool's view comes without the runs of its workspace.

    Raises:
        InvalidInput: Always.
    """
    raise InvalidInput(
        "The method 'neighbours' chooses by the scores of a run, and none is at hand here; use it "
        "in a workspace where the pool was compared or calibrated."
    )
