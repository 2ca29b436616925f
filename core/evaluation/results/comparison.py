"""A comparison's figures: every method's metrics, and what holds of all methods together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ...retrieval.context import Doubt
from .estimate import UNDEFINED, Estimate
from .leaks import Leaks
from .run_figures import (
    RecordedRequest,
    RunFigures,
    RunSettings,
    fields_from_json,
    figures_from_json,
)

BY_KIND = "dpo_per_triple_by_kind"
"""In a method's row: the kinds of incorrect answers with an interval each."""


@dataclass(frozen=True)
class MethodFigures:
    """One method's metrics, `diversity` among them, over the comparison's examples.

    `by_kind` is DPO per triple by kind of incorrect answer, `differences` by reference what the
    method's metrics are less the reference's. Older runs count no `leaks`. `doubts` counts the
    contexts that each doubt is about.
    """

    request: RecordedRequest
    metrics: Mapping[str, Estimate]
    shortened: int
    left_out: int
    leaks: Leaks | None = None
    by_kind: Mapping[str, Estimate] = field(default_factory=dict)
    differences: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    doubts: Mapping[Doubt, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, row: Mapping[str, Any], reference: str) -> Self:
        """The figures that `to_json` wrote."""
        leaks, n, needed = row.get("leaks"), row.get("n", {}), row.get("needed", {})
        differences = row.get("differences")
        if differences is None:  # older runs had one reference
            differences = {reference: row["difference"]} if "difference" in row else {}
        return cls(
            request=RecordedRequest.from_json(row["request"]),
            metrics={
                name: Estimate(row[name], low, high, n.get(name, 0), needed.get(name, 0))
                for name, (low, high) in row["intervals"].items()
            },
            shortened=row["shortened"],
            left_out=row["left_out"],
            leaks=None if leaks is None else Leaks.from_json(leaks),
            by_kind=_estimates_from_json(row.get(BY_KIND, {})),
            differences={name: _estimates_from_json(each) for name, each in differences.items()},
            doubts={Doubt(name): count for name, count in row.get("doubts", {}).items()},
        )

    def to_json(self, reference: str) -> dict[str, Any]:
        """The same for JSON, with the differences from the reference once more."""
        row: dict[str, Any] = {name: each.mean for name, each in self.metrics.items()}
        row |= {
            "intervals": {name: [each.low, each.high] for name, each in self.metrics.items()},
            "n": {name: each.n for name, each in self.metrics.items()},
            "needed": {name: each.needed for name, each in self.metrics.items()},
            "shortened": self.shortened,
            "left_out": self.left_out,
        }
        if self.leaks is not None:
            row["leaks"] = self.leaks.to_json()
        if self.doubts:
            row["doubts"] = {str(doubt): count for doubt, count in self.doubts.items()}
        row["request"] = self.request.to_json()
        row[BY_KIND] = _estimates_to_json(self.by_kind)
        row["differences"] = {
            name: _estimates_to_json(each) for name, each in self.differences.items()
        }
        if reference in self.differences:
            row["difference"] = _estimates_to_json(self.differences[reference])
        return row


@dataclass(frozen=True)
class Front:
    """The methods that none is clearly better than in a metric: one of them is the best.

    `best` is where a larger value is better. By so many `examples`; `needed` is how many it takes
    to say so, 0 where there are enough.
    """

    best: tuple[str, ...]
    examples: int
    needed: int

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The front that `to_json` wrote."""
        return cls(tuple(row["best"]), row["examples"], row["needed"])

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return vars(self) | {"best": list(self.best)}


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(RunSettings):
    """As `RunSettings`, with what each method was asked."""

    methods: Mapping[str, RecordedRequest] = field(default_factory=dict)
    seen_before: bool = False

    @property
    def planned_end(self) -> bool:
        """Whether nothing that was seen of the figures could ask for more."""
        return not self.seen_before

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen, by every method."""
        return any(each.one_per_query for each in self.methods.values())

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The settings that `to_json` wrote."""
        requests = row.get("methods", {})
        methods = {name: RecordedRequest.from_json(each) for name, each in requests.items()}
        return cls(**fields_from_json(cls, row) | {"methods": methods})

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return super().to_json() | {
            "methods": {name: each.to_json() for name, each in self.methods.items()},
            "seen_before": self.seen_before,
        }


@dataclass(frozen=True, kw_only=True)
class Comparison(RunFigures):
    """The methods' figures over the same evaluation examples.

    `fronts` says by metric which methods are in the lead; older runs do not. `headline` is the
    metric that leads by all examples that were to be scored, None in older runs.
    """

    methods: Mapping[str, MethodFigures]
    reference: str
    fronts: Mapping[str, Front]
    settings: ComparisonSettings
    headline: str | None = None

    @property
    def metric(self) -> str:
        """The metric that leads; in older runs by the examples that were scored."""
        return self.headline or self.basis.headline

    def value(self, method: str, metric: str) -> Estimate:
        """A method's metric; undefined where the run did not measure it."""
        return self.methods[method].metrics.get(metric, UNDEFINED)

    def difference(self, method: str, metric: str) -> Estimate | None:
        """The method's metric minus the reference's, paired; None for the reference itself."""
        return self.methods[method].differences.get(self.reference, {}).get(metric)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of incorrect answers that there is DPO of; older runs have none."""
        first = next(iter(self.methods.values()), None)
        return () if first is None else tuple(first.by_kind)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The comparison that `to_json` wrote."""
        reference = row["reference"]
        settings = ComparisonSettings.from_json(row["settings"])
        return cls(
            **vars(figures_from_json(row, settings)),
            methods={
                name: MethodFigures.from_json(each, reference)
                for name, each in row["methods"].items()
            },
            reference=reference,
            fronts={name: Front.from_json(each) for name, each in row.get("together", {}).items()},
            headline=row.get("headline"),
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON; what is undefined is None."""
        headline = {} if self.headline is None else {"headline": self.headline}
        return {
            "methods": {name: each.to_json(self.reference) for name, each in self.methods.items()},
            "reference": self.reference,
            "together": {name: each.to_json() for name, each in self.fronts.items()},
            **headline,
            **super().to_json(),
        }


def _estimates_from_json(rows: Mapping[str, Any]) -> dict[str, Estimate]:
    return {name: Estimate.from_json(row) for name, row in rows.items()}


def _estimates_to_json(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: each.to_json() for name, each in estimates.items()}
