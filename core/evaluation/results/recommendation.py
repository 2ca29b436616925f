"""Which knobs to use, what they gain over the paper's defaults, and whether that is settled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...interval import Interval, defined
from ...metrics.bounds.intervals import ALPHA, metric_interval, no_effect, paired_interval
from ...metrics.bounds.quantiles import Vector
from ...metrics.bounds.sequential import FIRST_LOOK, Look, alpha_for_every_look, leader
from ...metrics.bounds.simultaneous import Family, family
from ...metrics.metric import MetricInfo
from ...metrics.registry import METRICS
from ...retrieval.knobs import Knobs
from ...types import IntArray
from .calibration import Advice
from .cells import CellKnobs
from .outcomes import RequestResult

FOLDS = 5
OF_THE_SPREAD = 0.05
"""The margin of indifference, unless given, as a share of the largest difference of cells."""
OF_THE_EFFECT = 0.02
"""It is at least this share of the effect of the best cell's contexts, or of 1 for shares."""


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Which cells serve as well as any, and what to use: the paper's defaults where they do.

    A cell is `behind` when some other is better beyond chance, all differences of all cells taken
    together, and its mean is further behind the best one's than the margin. `gain` is what choosing
    the best cell gains over the defaults and `best_value` the metric it reaches, both measured on
    examples that did not choose it. `gap` bounds by how much another cell may be better than the
    best one, with 95 % for all looks together, infinite before the first; within `margin` the
    choice is settled. `sharpen` is about how many examples it would take to bound the defaults'
    difference from the best within the margin. `needed` is how many it takes for any conclusion,
    0 when there are enough. `without_leaks` is None where no context leaks.
    """

    best: Knobs
    defaults: Knobs
    behind: tuple[bool, ...]
    defaults_behind: bool
    differences: tuple[Interval, ...]
    gain: Interval
    best_value: Interval
    gap: float
    margin: float
    sharpen: int
    needed: int
    without_leaks: "GainWithoutLeaks | None" = None

    @property
    def clear(self) -> bool:
        """Whether the defaults are behind."""
        return self.defaults_behind

    @property
    def settled(self) -> bool:
        """Whether no other cell is better than the best by more than the margin."""
        return self.gap <= self.margin

    @property
    def request(self) -> Knobs:
        """What to use."""
        return self.best if self.clear else self.defaults

    def advice(self) -> Advice:
        """The same in the form of results; an infinite gap is None."""
        return Advice(
            knobs=_knobs(self.request),
            clear=self.clear,
            defaults=_knobs(self.defaults),
            gain=self.gain,
            best_value=self.best_value,
            gap=defined(self.gap),
            margin=self.margin,
            settled=self.settled,
            sharpen=self.sharpen,
            needed=self.needed,
            gain_without_leaks=None if self.without_leaks is None else self.without_leaks.gain,
            best_without_leaks=(
                None if self.without_leaks is None else _knobs(self.without_leaks.best)
            ),
        )


@dataclass(frozen=True)
class GainWithoutLeaks:
    """What remains with leaks left out: the gain of the same choice, and the best cell then."""

    gain: Interval
    best: Knobs


def recommend(
    cells: Sequence[RequestResult],
    defaults: RequestResult,
    metric: str,
    look: Look,
    margin: float | None = None,
) -> Recommendation | None:
    """The recommendation from the cells' outcomes so far; None while no example has a figure.

    Args:
        cells: The candidates, over the same examples.
        defaults: The outcomes of the paper's defaults over the same examples.
        metric: What they are compared by.
        look: Which of the examples differences are tested on, and at which level.
        margin: The margin of indifference, in the metric's unit, >= 0; None fits it to the effect.
    """
    info = METRICS[metric]
    sign = 1.0 if info.higher_is_better else -1.0
    scores = [[outcome.scores for outcome in each.outcomes] for each in (*cells, defaults)]
    denominators = info.denominators(scores[-1])
    if not denominators.any():
        return None
    values = sign * np.array([info.numerators(each) for each in scores])  # (c + 1, n)
    idle = no_effect(info, scores[-1])
    best = _best(values[:-1], cells)
    means = values.sum(axis=1) / denominators.sum()  # (c + 1,)
    if margin is None:
        margin = fitted_margin(means[:-1], None if idle is None else sign * idle)
    bounds = _bounds(info, values, denominators, look, None if idle is None else sign * idle)
    behind = bounds.better.any(axis=0) & (means[best] - means > margin)
    alpha = ALPHA if look.fixed else alpha_for_every_look(values.shape[1])
    chosen, columns = _cross_fitted(values, cells), np.arange(values.shape[1])
    enough = look.fixed or values.shape[1] >= FIRST_LOOK

    def gain(of: Vector) -> Interval:
        pair = np.stack([of[chosen, columns], of[-1]])
        found = paired_interval(pair, denominators, alpha, share=info.spread == "share", idle=idle)
        return found if enough else found.without_ends(FIRST_LOOK)

    reached = metric_interval(info, sign * values[chosen, columns], denominators, alpha, idle=idle)
    without = _without_leaks((*cells, defaults), info, sign)
    return Recommendation(
        best=cells[best].request,
        defaults=defaults.request,
        behind=tuple(behind[:-1].tolist()),
        defaults_behind=bool(behind[-1]),
        differences=tuple(bounds.interval(best, cell) for cell in range(len(cells))),
        gain=gain(values),
        best_value=reached if enough else reached.without_ends(FIRST_LOOK),
        gap=leader(values[:-1], denominators, best).gap,
        margin=margin,
        sharpen=_sharpen(bounds.interval(best, len(cells)), margin),
        needed=bounds.needed,
        without_leaks=None
        if without is None
        else GainWithoutLeaks(gain(without), cells[_best(without[:-1], cells)].request),
    )


def fitted_margin(means: Vector, idle: float | None) -> float:
    """A margin of indifference that fits the cells' differences and the effect of contexts.

    Args:
        means: The cells' metric, shape (c,), larger is better.
        idle: The metric without any context; None for shares.
    """
    effect = 1.0 if idle is None else abs(float(means.max()) - idle)
    return max(OF_THE_SPREAD * float(np.ptp(means)), OF_THE_EFFECT * effect)


def plainness(cell: RequestResult) -> tuple[float, float, int]:
    """Larger for plainer knobs, which win among equals: closer to relevance only, fewer."""
    return cell.lambda_d, cell.lambda_b, -cell.k


def _best(values: Vector, cells: Sequence[RequestResult]) -> int:
    """The row with the largest sum, which is that with the best metric; ties by `plainness`."""
    sums = values.sum(axis=1).tolist()
    return max(range(len(cells)), key=lambda row: (sums[row], plainness(cells[row])))


def _bounds(
    info: MetricInfo, values: Vector, denominators: Vector, look: Look, idle: float | None
) -> Family:
    """All differences of the cells and the defaults, at that look."""
    seen = slice(look.n or None)
    share, alpha = info.spread == "share", 0.0 if info.spread == "unbounded" else look.alpha
    found = family(values[:, seen], denominators[seen], share=share, idle=idle, alpha=alpha)
    return found if look.n or alpha == 0 else found.unbounded(FIRST_LOOK)


def _without_leaks(
    results: Sequence[RequestResult], info: MetricInfo, sign: float
) -> Vector | None:
    """The metric's numerators with leaks left out, (c + 1, n); None where no context leaks."""
    found = [each.without_leaks for each in results]
    if not any(found):
        return None
    scores = [
        [outcome.scores for outcome in (other or result).outcomes]
        for other, result in zip(found, results, strict=True)
    ]
    return sign * np.array([info.numerators(each) for each in scores])


def _cross_fitted(values: Vector, cells: Sequence[RequestResult]) -> IntArray:
    """The cell of each example that the examples of the other folds choose, shape (n,).

    Every fifth example makes a fold, so that the luck of the choice is not counted as gain. What is
    measured is a choice by four fifths of the examples, a little worse than one by all.

    Args:
        values: A row a cell and the defaults' last, shape (c + 1, n), one column an example.
        cells: The cells of the rows.
    """
    found = np.empty(values.shape[1], dtype=np.int64)
    folds = np.arange(values.shape[1]) % FOLDS
    for fold in range(FOLDS):
        held_out = folds == fold
        found[held_out] = _best(values[:-1, ~held_out], cells)
    return found


def _sharpen(of_defaults: Interval, margin: float) -> int:
    """Widths shrink with the root of the number of examples; 0 where it cannot be estimated."""
    mean, low, high = of_defaults.mean, of_defaults.low, of_defaults.high
    if margin <= 0 or mean is None or low is None or high is None:
        return 0
    width = max(high - mean, mean - low)
    if width <= margin:
        return 0
    return math.ceil(of_defaults.n * (width / margin) ** 2)


def _knobs(request: Knobs) -> CellKnobs:
    return CellKnobs(request.k, request.lambda_b, request.lambda_d)
