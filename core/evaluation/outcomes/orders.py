"""Do two models put the same settings in the same order? Rank correlations with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval
from ...metrics.bounds.intervals import ALPHA, ROUNDING
from ...metrics.bounds.skewed import LEAST
from ...metrics.pairs.rank_correlation import mid_ranks, spearman
from ...metrics.registry import METRICS, MetricInfo
from ...metrics.scores import AnswerScores
from ..plan.models import setting_of
from ..plan.rows import Row
from ..results.orders import LEAST_ROWS, Order, OrderedRow, Orders
from .outcomes import RequestResult

RESAMPLES = 2_000
"""Bootstrap samples of the examples."""
AT_ONCE = 4_000_000
"""Counts of resampled examples in memory at a time, at most."""
MOST_UNDEFINED = 0.05
"""Where a larger share of the resamples has no order at all, there is no interval."""

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class OfOneModel:
    """A model's outcomes: each row's over the examples on which it could be scored."""

    model: str
    rows: Mapping[str, RequestResult]
    examples: Sequence[EvaluationExample]


def orders_among(models: Sequence[OfOneModel]) -> Orders:
    """The orders of every pair of models, in every metric with a better direction.

    Rows match where their settings are the same except for the model, examples where their queries
    are; means are over the examples that both models have. A metric without any figure has no
    order.
    """
    return Orders(
        tuple(order for first, second in combinations(models, 2) for order in _pair(first, second))
    )


def rank_correlations(a: Vector, b: Vector) -> Vector:
    """Spearman's correlation of two orders of the same m rows, shape (..., m) to (...).

    Values no further apart than rounding are equal. NaN for fewer than `LEAST_ROWS` rows, where all
    values of one side are equal, and where one is not finite.

    Source: Spearman 1904; with ties, Pearson's correlation of the mid-ranks.
    """
    if a.shape[-1] < LEAST_ROWS:
        return np.full(a.shape[:-1], np.nan)
    known = (np.isfinite(a) & np.isfinite(b)).all(axis=-1)
    return np.asarray(np.where(known, spearman(a, b, ROUNDING), np.nan), dtype=np.float64)


@dataclass(frozen=True)
class _Side:
    """One model's rows over the common examples: names, and the metrics' sums (m, n)."""

    names: tuple[str, ...]
    scores: tuple[tuple[AnswerScores, ...], ...]

    def sums(self, metric: MetricInfo) -> tuple[Vector, Vector]:
        """Numerators and denominators, each (m, n)."""
        numerators = np.array([metric.numerators(each) for each in self.scores])
        denominators = np.array([metric.denominators(each) for each in self.scores])
        return numerators, denominators


def _pair(first: OfOneModel, second: OfOneModel) -> list[Order]:
    a, b = _in_common(first, second)
    models = (first.model, second.model)
    if not a.names:
        return []
    found = []
    for name, metric in METRICS.items():
        if metric.higher_is_better is None:
            continue
        sums = a.sums(metric), b.sums(metric)
        means = [_sign(metric) * _means(*each) for each in sums]
        if all(np.isfinite(each).all() for each in means):
            ranks = zip(*(mid_ranks(-each, ROUNDING).tolist() for each in means), strict=True)
            rows = tuple(map(OrderedRow, zip(a.names, b.names, strict=True), ranks))
            found.append(Order(models, name, _correlation(metric, means, sums), rows))
    return found


def _in_common(first: OfOneModel, second: OfOneModel) -> tuple[_Side, _Side]:
    """The rows and examples that both have, in the first's order."""
    theirs = {setting_of(Row("", each.request)): name for name, each in second.rows.items()}
    rows = [
        (name, theirs[setting])
        for name, each in first.rows.items()
        if (setting := setting_of(Row("", each.request))) in theirs
    ]
    place = {example.query: at for at, example in enumerate(second.examples)}
    examples = [
        (at, place[example.query])
        for at, example in enumerate(first.examples)
        if example.query in place
    ]

    def side(model: OfOneModel, which: int) -> _Side:
        names = tuple(row[which] for row in rows)
        return _Side(
            names,
            tuple(
                tuple(model.rows[name].outcomes[at[which]].scores for at in examples)
                for name in names
            ),
        )

    return side(first, 0), side(second, 1)


def _sign(metric: MetricInfo) -> float:
    return 1.0 if metric.higher_is_better else -1.0


def _means(numerators: Vector, denominators: Vector) -> Vector:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerators.sum(axis=-1) / denominators.sum(axis=-1))


def _correlation(
    metric: MetricInfo,
    means: Sequence[Vector],
    sums: tuple[tuple[Vector, Vector], tuple[Vector, Vector]],
) -> Interval:
    """The correlation of the means with its percentile interval over resampled examples.

    The same examples are drawn for both models. Resampling adds noise to both orders, so the
    percentiles are below a correlation near 1: the interval is widened to include it.
    """
    mean = float(rank_correlations(means[0], means[1]))
    n = int((sums[0][1] > 0).any(axis=0).sum())
    if not np.isfinite(mean):
        return Interval(None, None, None, n)
    if metric.spread == "unbounded":  # one example may dominate every mean
        return Interval(mean, None, None, n)
    if n < LEAST:
        return Interval(mean, None, None, n, LEAST)
    drawn = _resampled(sums)
    known = drawn[np.isfinite(drawn)]
    if len(known) < (1.0 - MOST_UNDEFINED) * len(drawn):
        return Interval(mean, None, None, n)
    low, high = np.quantile(known, [ALPHA / 2, 1.0 - ALPHA / 2]).tolist()
    return Interval(mean, min(low, mean), max(high, mean), n)


def _resampled(sums: tuple[tuple[Vector, Vector], tuple[Vector, Vector]]) -> Vector:
    """The rank correlation in each resample of the examples, shape (RESAMPLES,)."""
    n = sums[0][0].shape[1]
    random, found, left = np.random.default_rng(0), [], RESAMPLES
    while left:
        size = min(left, max(1, AT_ONCE // n))
        counts = random.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            a, b = (
                (counts @ numerators.T) / (counts @ denominators.T)
                for numerators, denominators in sums
            )
        found.append(rank_correlations(a, b))
        left -= size
    return np.concatenate(found)
