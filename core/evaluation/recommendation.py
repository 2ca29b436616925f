"""Which knobs to use, what they gain over the paper's defaults, and whether that is settled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics.registry import METRICS
from ..metrics.sequential import Leader, leader, ratio_interval
from ..retrieval.context import ContextRequest
from ..types import Interval
from .outcomes import RequestResult, interval_row, number

FOLDS = 5
MARGIN = 0.05
"""Margin of indifference, in the metric's unit: what is no more than this apart is as good."""


@dataclass(frozen=True)
class Recommendation:
    """The knobs to use: the best cell's where it is clearly better than the defaults, else those.

    `gain` is what choosing the best cell brings over the defaults, measured on examples that did
    not choose it; its interval holds wherever a run is stopped. `gap` is by how much another cell
    may be better than the best one at most, with 95 % for all looks together, infinite before the
    first; within `margin` the choice is settled.
    """

    best: ContextRequest
    defaults: ContextRequest
    gain: Interval
    gap: float
    margin: float

    @property
    def clear(self) -> bool:
        """Whether the gain is beyond chance, and more than the margin."""
        return self.gain.low > 0 and self.gain.mean > self.margin

    @property
    def settled(self) -> bool:
        """Whether no other cell is better than the best by more than the margin."""
        return self.gap <= self.margin

    @property
    def request(self) -> ContextRequest:
        """What to use."""
        return self.best if self.clear else self.defaults

    def row(self) -> dict[str, Any]:
        """For JSON; a gap that is infinite is None."""
        return {
            **_knobs(self.request),
            "clear": self.clear,
            "defaults": _knobs(self.defaults),
            "gain": interval_row(self.gain),
            "gap": number(self.gap),
            "margin": self.margin,
            "settled": self.settled,
        }


def recommend(
    cells: Sequence[RequestResult], defaults: RequestResult, metric: str, margin: float
) -> Recommendation | None:
    """The recommendation from the cells' outcomes so far; None while no example has a figure.

    Args:
        cells: The candidates, over the same examples.
        defaults: The outcomes of the paper's defaults over the same examples.
        metric: What they are compared by.
        margin: The margin of indifference, in the metric's unit, >= 0.
    """
    info = METRICS[metric]
    sign = 1.0 if info.higher_is_better else -1.0
    scores = [[outcome.scores for outcome in each.outcomes] for each in (*cells, defaults)]
    denominators = info.denominators(scores[-1])
    if not denominators.any():
        return None
    values = sign * np.array([info.numerators(each) for each in scores])  # (c + 1, n)
    best = _best(values[:-1], cells)
    ahead: Leader = leader(values[:-1], denominators, best)
    gain = _cross_fitted_gain(values, denominators, cells)
    return Recommendation(cells[best].request, defaults.request, gain, ahead.gap, margin)


def plainness(cell: RequestResult) -> tuple[float, float, int]:
    """Larger for plainer knobs, which win among equals: closer to relevance only, fewer."""
    return cell.lambda_d, cell.lambda_b, -cell.k


def _best(values: NDArray[np.float64], cells: Sequence[RequestResult]) -> int:
    """The row with the largest sum, which is that with the best metric; ties as `plainness`."""
    sums = values.sum(axis=1).tolist()
    return max(range(len(cells)), key=lambda row: (sums[row], plainness(cells[row])))


def _cross_fitted_gain(
    values: NDArray[np.float64], denominators: NDArray[np.float64], cells: Sequence[RequestResult]
) -> Interval:
    """The best cell's metric less the defaults', each example judged by the choice of the others.

    Every fifth example makes a fold; the other folds choose the cell that is measured on it. So
    the choice's luck is not counted as gain. What is estimated is the gain of choosing on four
    fifths of the examples, a little less than that of choosing on all.

    Args:
        values: A row a cell and the defaults' last, shape (c + 1, n), one column an example.
        denominators: What each example counts for, shape (n,).
        cells: The cells of the rows.
    """
    n = values.shape[1]
    if n < 2 * FOLDS:
        return Interval(math.nan, math.nan, math.nan, n)
    gains = np.empty(n)
    folds = np.arange(n) % FOLDS
    for fold in range(FOLDS):
        held_out = folds == fold
        chosen = _best(values[:-1, ~held_out], cells)
        gains[held_out] = values[chosen, held_out] - values[-1, held_out]
    return ratio_interval(gains, denominators)


def _knobs(request: ContextRequest) -> dict[str, float | int]:
    lambda_d, lambda_b = request.lambdas
    return {"k": request.k, "lambda_b": lambda_b, "lambda_d": lambda_d}
