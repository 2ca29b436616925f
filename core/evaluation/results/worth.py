"""What each demonstration is worth to the model: the figures of a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...interval import Interval, Sign
from ...settings import Embed
from .run_figures import RecordedRequest, RunFigures, RunSettings, figures_from_json


@dataclass(frozen=True, slots=True)
class DemonstrationWorth:
    """What the contexts of a demonstration owe to it.

    `worth` is the metric over the examples whose context has it, less the metric over the same
    examples with the context that is chosen when it is excluded. Above 0 it helps; at 0 the next
    one would do as well; below 0 it harms. Its interval is this demonstration's alone: of many
    such intervals one in twenty misses. It is the mean of `worth.n` examples: its contexts.
    """

    id: int
    worth: Interval

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        found = Interval(row["worth"], row["low"], row["high"], row["contexts"], row["needed"])
        return cls(row["id"], found)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, in the metric's unit; undefined is None.

        `needed` is about how many contexts an interval takes, 0 where there is one.
        """
        found = self.worth
        return {
            "id": self.id,
            "worth": found.mean,
            "low": found.low,
            "high": found.high,
            "contexts": found.n,
            "needed": found.needed,
        }


@dataclass(frozen=True, kw_only=True)
class WorthSettings(RunSettings):
    """As `RunSettings`, with the knobs that the contexts are chosen with."""

    request: RecordedRequest

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen."""
        return self.request.one_per_query

    @property
    def candidates(self) -> int:
        """The number of most relevant demonstrations to choose from; 0 is the whole pool."""
        return self.request.candidates

    @property
    def embed(self) -> Embed:
        """The text of a demonstration by which every context was chosen."""
        return self.request.embed


@dataclass(frozen=True, kw_only=True)
class Worth(RunFigures):
    """What each demonstration is worth that is in a context, the least first.

    `metric` is what it is worth in; `unused` counts the included demonstrations that are in no
    context of an example.
    """

    metric: str
    demonstrations: tuple[DemonstrationWorth, ...]
    unused: int
    settings: WorthSettings

    def of_sign(self, sign: Sign) -> int:
        """How many demonstrations have a worth of that sign."""
        return sum(each.worth.sign is sign for each in self.demonstrations)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The figures that `to_json` wrote."""
        settings = WorthSettings.from_json(row["settings"])
        return cls(
            **vars(figures_from_json(row, settings)),
            metric=row["metric"],
            demonstrations=tuple(map(DemonstrationWorth.from_json, row["demonstrations"])),
            unused=row["unused"],
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "demonstrations": [each.to_json() for each in self.demonstrations],
            "metric": self.metric,
            "unused": self.unused,
            **super().to_json(),
        }
