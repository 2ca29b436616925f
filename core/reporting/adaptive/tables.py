"""Tables of what each setting did and who got it, and of the sets that were tried."""

from ...evaluation.adaptive.crossvalidation import ChoicePerQuery
from ...evaluation.adaptive.fixed_sets import FixedSets
from ...metrics.registry import METRICS
from ..tables.table import Column, Table

SETTINGS_TITLE = "The settings, and for how many examples each was chosen"
SETS_TITLE = "The sets, the best on the examples that chose first"
_ENDS = (Column("low", 3), Column("high", 3))


def settings_table(found: ChoicePerQuery) -> Table:
    """A row for each setting: its metric over all examples, and how often it was chosen.

    By its neighbours, as the one setting for all in the other folds, and by the oracle.
    """
    counts = map(Column, ("by neighbours", "one for all", "own best"))
    columns = (Column("setting"), Column(METRICS[found.metric].label, 3), *_ENDS, *counts)
    rows = tuple(
        (each.name, *each.value.numbers, each.chosen, each.overall, each.best)
        for each in found.settings
    )
    return Table(columns, rows)


def sets_table(found: FixedSets) -> Table:
    """A row for each set: its rank, its mean on the choosing examples outside it, its ids."""
    metric = Column(METRICS[found.metric].label, 3)
    columns = (Column("rank"), metric, *_ENDS, *map(Column, ("examples", "demonstrations")))
    rows = tuple(
        (rank, *each.value.numbers, each.value.n, ", ".join(map(str, each.ids)))
        for rank, each in enumerate(found.sets, 1)
    )
    return Table(columns, rows)
