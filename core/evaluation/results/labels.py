"""Label figures of a comparison: consistency against chance, and its link with right answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...interval import Interval
from ...recorded import Recorded, same
from .verdict import Sorting, sorting_of

CONSISTENCY = "label_consistency"
"""The metric of the registry."""


@dataclass(frozen=True)
class Consistent(Recorded):
    """The queries of which exactly `count` demonstrations in the context have the query's label.

    `accuracy` is MC1 over those of them that have incorrect answers, `accuracy.n` of them, with an
    interval of its own; undefined where there are none.

    Source: PGRA, figure 2.
    """

    count: int
    queries: int
    accuracy: Interval


@dataclass(frozen=True)
class LabelsOfRow(Recorded):
    """The labels of one row's contexts.

    `by_consistent` counts the queries by how many demonstrations have the query's label, from 0 to
    k. `link` is Spearman's rank correlation of the label consistency with the right answers, in
    [-1, 1], over the queries that have both, with the interval of this one row.
    """

    by_consistent: tuple[Consistent, ...]
    link: Interval


@dataclass(frozen=True)
class Sorted(Recorded):
    """A row that sorts by task states, against the row that ranks as its first stage does.

    `first_stage` is that row's name and `ranked_by` its method. `difference` is the label
    consistency of `row` minus that of `first_stage`, bounded together with all differences among
    the rows.
    """

    KEYS = same("row", "first_stage", "ranked_by", "difference", "verdict")
    row: str
    first_stage: str
    ranked_by: str
    difference: Interval

    @property
    def verdict(self) -> Sorting:
        """Whether the states sort better than what fetched the candidates."""
        return sorting_of(self.difference)


@dataclass(frozen=True)
class LabelFigures(Recorded):
    """The label figures of a comparison, in a pool that has a task.

    Attributes:
        task: The name of the pool's task.
        examples: How many of the examples have a label.
        chance: The label consistency of contexts drawn blindly from all other queries: the mean
            share of the query's label, in [0, 1]; None without an example that has one.
        all_offered: Whether every example has all other labels as incorrect answers, so that MC1
            is the accuracy of choosing the label.
        rows: By row that shows demonstrations, how consistent its contexts are.
        sorted: The rows that sort by task states, where there is a row that ranks as their first
            stage does.
    """

    task: str
    examples: int
    chance: float | None
    all_offered: bool
    rows: Mapping[str, LabelsOfRow] = field(default_factory=dict)
    sorted: tuple[Sorted, ...] = ()
