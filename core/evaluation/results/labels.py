"""What a comparison says of labels: consistency beside chance, and the right answers it brings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ...interval import Interval
from .verdict import Sorting, sorting_of

CONSISTENCY = "label_consistency"
"""The metric of the registry."""


@dataclass(frozen=True)
class Consistent:
    """The queries of which exactly `count` demonstrations in the context have the query's label.

    `accuracy` is MC1 over those of them that have incorrect answers, `accuracy.n` of them, with an
    interval of its own; undefined where there are none.

    Source: PGRA, figure 2.
    """

    count: int
    queries: int
    accuracy: Interval

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        return cls(row["count"], row["queries"], Interval.from_json(row["accuracy"]))

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "count": self.count,
            "queries": self.queries,
            "accuracy": self.accuracy.to_json(),
        }


@dataclass(frozen=True)
class LabelsOfRow:
    """The labels of one row's contexts.

    `by_consistent` counts the queries by how many demonstrations have the query's label, from 0 to
    k. `link` is Spearman's rank correlation of the label consistency with the right answers, in
    [-1, 1], over the queries that have both, with the interval of this one row.
    """

    by_consistent: tuple[Consistent, ...]
    link: Interval

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        found = tuple(map(Consistent.from_json, row["by_consistent"]))
        return cls(found, Interval.from_json(row["link"]))

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "by_consistent": [each.to_json() for each in self.by_consistent],
            "link": self.link.to_json(),
        }


@dataclass(frozen=True)
class Sorted:
    """A row that sorts by task states, against the row that ranks as its first stage does.

    `first_stage` is that row's name and `ranked_by` its method. `difference` is the label
    consistency of `row` less that of `first_stage`, bounded together with all differences among
    the rows.
    """

    row: str
    first_stage: str
    ranked_by: str
    difference: Interval

    @property
    def verdict(self) -> Sorting:
        """Whether the states sort better than what fetched the candidates."""
        return sorting_of(self.difference)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        difference = Interval.from_json(row["difference"])
        return cls(row["row"], row["first_stage"], row["ranked_by"], difference)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, with the verdict in words."""
        difference = self.difference.to_json()
        return vars(self) | {"difference": difference, "verdict": str(self.verdict)}


@dataclass(frozen=True)
class LabelFigures:
    """What a comparison says of labels, in a pool that has a task.

    Attributes:
        task: The name of the pool's task.
        examples: How many of the examples have a label.
        chance: The label consistency of contexts drawn blindly from all other queries: the mean
            share of the query's label, in [0, 1]; None without an example that has one.
        all_offered: Whether every example has all other labels as incorrect answers, so that MC1
            is the accuracy of choosing the label.
        rows: By row that shows demonstrations, how consistent its contexts are.
        sorted: The rows that sort by task states, where a row is there that ranks as their first
            stage does.
    """

    task: str
    examples: int
    chance: float | None
    all_offered: bool
    rows: Mapping[str, LabelsOfRow] = field(default_factory=dict)
    sorted: Sequence[Sorted] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        return cls(
            task=row["task"],
            examples=row["examples"],
            chance=row["chance"],
            all_offered=row["all_offered"],
            rows={name: LabelsOfRow.from_json(each) for name, each in row["rows"].items()},
            sorted=tuple(map(Sorted.from_json, row["sorted"])),
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return vars(self) | {
            "rows": {name: each.to_json() for name, each in self.rows.items()},
            "sorted": [each.to_json() for each in self.sorted],
        }
