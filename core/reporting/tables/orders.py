"""Tables of how several models rank the same settings."""

from ...evaluation.results.comparison import Comparison
from ...metrics.registry import METRICS
from ...text import listed
from .table import Column, Table

TITLE = "Do the models agree on the order of the settings?"
RANKS_TITLE = "Ranks of the settings, 1 for the best mean"


def orders_table(comparison: Comparison) -> Table:
    """A row for each pair of models and each metric: the rank correlation, and what is best.

    No rows for one model.
    """
    columns = (
        *map(Column, ("model", "other model", "metric")),
        Column("rank correlation", 2),
        Column("low", 2),
        Column("high", 2),
        *map(Column, ("settings", "examples", "best", "best for the other")),
    )
    rows = []
    for order in comparison.orders:
        best = (listed(each) if each else "" for each in order.best)
        found = order.correlation
        rows.append(
            (
                *order.models,
                METRICS[order.metric].label,
                *(*found.numbers, len(order.rows), found.n),
                *best,
            )
        )
    return Table(columns, tuple(rows))


def ranks_table(comparison: Comparison, metric: str | None = None) -> Table:
    """A row for each setting that two models have in common: its rank for each.

    `metric` None takes the one that leads. No rows for one model.
    """
    columns = map(Column, ("model", "setting", "other model", "its setting"))
    rows = tuple(
        (first, row.names[0], second, row.names[1], *row.ranks)
        for order in comparison.orders.of(metric or comparison.metric)
        for first, second in [order.models]
        for row in order.rows
    )
    return Table((*columns, Column("rank", 1), Column("rank for the other", 1)), rows)
