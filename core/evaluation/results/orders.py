"""Whether what is best for one model is best for another: the order of the same settings.

DPO measures a context against the same model without one, in nats of its own tokens, so the figures
of two models are never compared. The order in which each puts the settings is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...interval import Interval
from ...recorded import Recorded, read

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
class Order(Recorded):
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

    each: tuple[Order, ...] = ()

    def __iter__(self) -> Iterator[Order]:
        """Pair by pair, and metric by metric within it."""
        return iter(self.each)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.each)

    def of(self, metric: str) -> tuple[Order, ...]:
        """Those of one metric, pair by pair."""
        return tuple(order for order in self.each if order.metric == metric)

    @classmethod
    def from_json(cls, rows: Sequence[Mapping[str, Any]]) -> Self:
        """The orders that `to_json` wrote."""
        return cls(read(tuple[Order, ...], rows))

    def to_json(self) -> list[dict[str, Any]]:
        """The same for JSON."""
        return list(map(Order.to_json, self.each))
