"""Figures over the held-out queries of several seeds, each query counted once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.interval import UNDEFINED, Interval, defined
from core.metrics.bounds.intervals import ALPHA, mean_interval, metric_interval, no_effect
from core.metrics.bounds.quantiles import clopper_pearson
from core.metrics.pairs import wins
from core.metrics.registry import METRICS
from core.metrics.scores import AnswerScores
from core.types import IntArray

Vector = NDArray[np.float64]

_ROUNDING = 1e-9
"""A sum of shares this near to a whole number counts as that number."""


@dataclass(frozen=True)
class Queries:
    """The queries held out by one seed after another, shape (p,): some of them more than once.

    Several seeds may hold out one query. Its figures are not independent draws, so each query
    counts once, with its mean over the seeds, and intervals are over the distinct queries.
    """

    texts: tuple[str, ...]

    @cached_property
    def places(self) -> list[IntArray]:
        """The positions of each distinct query, in order of first appearance."""
        found: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            found.setdefault(text, []).append(place)
        return [np.array(places, dtype=np.int64) for places in found.values()]

    def means(self, values: Vector) -> Vector:
        """The mean of each distinct query, shape (q,), where defined; NaN where nowhere.

        Args:
            values: One number a query and seed, shape (p,); NaN where it is undefined.
        """
        known = ~np.isnan(values)
        counts = np.array([known[at].sum() for at in self.places], dtype=np.float64)
        sums = np.array([values[at][known[at]].sum() for at in self.places])
        means = np.full(len(sums), np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means

    def estimate(self, values: Vector) -> Interval:
        """The mean over the distinct queries with its 95 % interval."""
        return mean_interval(self.means(values))

    def share(self, values: Vector) -> Interval:
        """The share of the distinct queries with its exact 95 % interval.

        Args:
            values: 1 or 0 a query and seed, shape (p,); NaN where it is undefined.
        """
        means = self.means(values)
        known = means[~np.isnan(means)]
        return _share_of_queries(known) if len(known) else UNDEFINED

    def mean(self, values: Vector) -> float | None:
        """The same as `estimate` without an interval; None where it is defined for no query."""
        means = self.means(values)
        return defined(float(np.nanmean(means))) if (~np.isnan(means)).any() else None

    def metric(self, name: str, scores: Sequence[AnswerScores | None]) -> Interval:
        """A metric of the registry over the distinct queries, with its 95 % interval.

        Args:
            name: The metric's name.
            scores: One a query and seed, None where the model cannot score it.
        """
        metric, scored = METRICS[name], [each for each in scores if each is not None]
        numerators, denominators = np.full((2, len(scores)), np.nan)
        has_scores = np.array([each is not None for each in scores], dtype=bool)
        numerators[has_scores], denominators[has_scores] = (
            metric.numerators(scored),
            metric.denominators(scored),
        )
        above, below = self.means(numerators), self.means(denominators)
        known = ~np.isnan(below)
        idle = no_effect(metric, scored)
        return metric_interval(metric, above[known], below[known], idle=idle)


@dataclass(frozen=True)
class Against:
    """One method's cosines of the sum against another's, on the same queries.

    `win`, `ties` and `losses` are shares of the distinct queries and sum to 1; the level of a tie
    is 1e-6. `gap` is the mean of the one less that of the other. `max_diff` is the most by which
    the one is above on any query of any seed, `max_diff_reverse` the most by which it is below.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4.1: win rate, Max-diff).
    """

    win: Interval
    ties: float
    losses: float
    max_diff: float | None
    max_diff_reverse: float | None
    gap: Interval

    @classmethod
    def of(cls, ours: Vector, theirs: Vector, queries: Queries) -> "Against":
        """The comparison of two methods' cosines, one a query and seed, shape (p,)."""
        shares = np.array([_shares(ours[at], theirs[at]) for at in queries.places])
        won, ties, losses = shares.T
        over_all = wins(ours, theirs)
        return cls(
            win=_share_of_queries(won),
            ties=float(ties.mean()),
            losses=float(losses.mean()),
            max_diff=over_all.max_diff,
            max_diff_reverse=over_all.max_diff_reverse,
            gap=queries.estimate(ours - theirs),
        )


def _share_of_queries(won: Vector) -> Interval:
    """The mean of the queries' own shares with its 95 % interval.

    Where each is 0 or 1 it is the exact interval of a share. A query that only some of its seeds
    win varies less than one that is won or lost, so the exact intervals of the two whole numbers
    around the sum are wide enough.

    Args:
        won: The share of each distinct query, shape (q,), in [0, 1].
    """
    n, total = len(won), float(won.sum())
    low, _ = clopper_pearson(math.floor(total + _ROUNDING), n, ALPHA)
    _, high = clopper_pearson(math.ceil(total - _ROUNDING), n, ALPHA)
    return Interval(total / n, low, high, n)


def _shares(ours: Vector, theirs: Vector) -> tuple[float, float, float]:
    """The shares of wins, ties and losses."""
    found = wins(ours, theirs)
    return found.wins / found.n, found.ties / found.n, found.losses / found.n
