"""What each demonstration is worth to the model: the figures of a run."""

from dataclasses import dataclass

from ...interval import Interval, Sign
from ...recorded import Recorded, same
from ...settings import Embed
from .run_figures import RecordedRequest, RunFigures, RunSettings


@dataclass(frozen=True, slots=True)
class DemonstrationWorth(Recorded):
    """What the contexts of a demonstration owe to it.

    `worth` is the metric over the examples whose context has it, less the metric over the same
    examples with the context that is chosen when it is excluded. Above 0 it helps; at 0 the next
    one would do as well; below 0 it harms. Its interval is this demonstration's alone: of many
    such intervals one in twenty misses. It is the mean of `worth.n` examples: its contexts.
    """

    KEYS = {
        "id": "id", "worth": "worth.mean", "low": "worth.low", "high": "worth.high",
        "contexts": "worth.n", "needed": "worth.needed",
    }  # fmt: skip
    id: int
    worth: Interval


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

    KEYS = same("demonstrations", "metric", "unused") | RunFigures.KEYS
    metric: str
    demonstrations: tuple[DemonstrationWorth, ...]
    unused: int
    settings: WorthSettings

    def of_sign(self, sign: Sign) -> int:
        """How many demonstrations have a worth of that sign."""
        return sum(each.worth.sign is sign for each in self.demonstrations)
