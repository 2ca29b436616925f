"""Do two models put the same settings in the same order? Rank correlations with intervals.

DPO measures a context against the same model without one, in nats of its own tokens, so the figures
of two models are never compared. The order in which each puts the settings is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval
from ...metrics.bounds.intervals import ALPHA, ROUNDING
from ...metrics.bounds.quantiles import LEAST
from ...metrics.metric import MetricInfo
from ...metrics.pairs import mid_ranks, spearman
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...recorded import Recorded, read
from ..plan.comparison_rows import ComparisonRow, setting_of
from .outcomes import RequestResult

LEAST_ROWS = 3
"""The fewest settings whose order another can agree with."""


@dataclass(frozen=True)
class OrderedRow(Recorded):
    """One setting under both models: its names there, and its ranks, 1 for the best mean.

    Equal means share the mean of their ranks.
    """

    names: tuple[str, str]
    ranks: tuple[float, float]


@dataclass(frozen=True)
class SettingOrder(Recorded):
    """How similarly two models order the settings that both have, in one metric.

    Attributes:
        models: The names of both.
        metric: The metric whose means are ranked.
        correlation: Spearman's rank correlation in [-1, 1], 1 for the same order; undefined for
            fewer than `LEAST_ROWS` settings or where a model has them all equal. Its `n` are the
            examples that both models have, and its interval is over them, for this one number of
            examples: it does not extend to other settings.
        rows: The settings, in the order of the first model's rows.
    """

    models: tuple[str, str]
    metric: str
    correlation: Interval
    rows: tuple[OrderedRow, ...]

    @property
    def best(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the settings of the best rank under either model; none without ranks."""
        first, second = (self._best_of(side) for side in (0, 1))
        return first, second

    def _best_of(self, side: int) -> tuple[str, ...]:
        least = min((row.ranks[side] for row in self.rows), default=0.0)
        return tuple(row.names[side] for row in self.rows if row.ranks[side] == least)


@dataclass(frozen=True)
class Orders:
    """The orders of every pair of models in every metric with a better direction.

    Empty with one model only.
    """

    each: tuple[SettingOrder, ...] = ()

    def __iter__(self) -> Iterator[SettingOrder]:
        """Pair by pair, and metric by metric within it."""
        return iter(self.each)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.each)

    def of(self, metric: str) -> tuple[SettingOrder, ...]:
        """Those of one metric, pair by pair."""
        return tuple(order for order in self.each if order.metric == metric)

    @classmethod
    def from_json(cls, rows: Sequence[Mapping[str, Any]]) -> Self:
        """The orders that `to_json` wrote."""
        return cls(read(tuple[SettingOrder, ...], rows))

    def to_json(self) -> list[dict[str, Any]]:
        """The same for JSON."""
        return list(map(SettingOrder.to_json, self.each))


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


def _pair(first: OfOneModel, second: OfOneModel) -> list[SettingOrder]:
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
            found.append(SettingOrder(models, name, _correlation(metric, means, sums), rows))
    return found


def _in_common(first: OfOneModel, second: OfOneModel) -> tuple[_Side, _Side]:
    """The rows and examples that both have, in the first's order."""
    theirs = {
        setting_of(ComparisonRow("", each.request)): name for name, each in second.rows.items()
    }
    rows = [
        (name, theirs[setting])
        for name, each in first.rows.items()
        if (setting := setting_of(ComparisonRow("", each.request))) in theirs
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
