"""A comparison's figures: every method's metrics, and those of all methods together."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from ...interval import UNDEFINED, Interval
from ...metrics.bounds.intervals import ALPHA
from ...metrics.bounds.sequential import FIRST_LOOK, alpha_for_every_look
from ...metrics.pairs import Wins
from ...recorded import Recorded, read, write
from ...retrieval.context import Doubt
from .cells import DELTA, DPO
from .label_figures import LabelFigures
from .orders import Orders
from .own_answer import AnswerCounts
from .pairs import (
    PairWins,
    SumAndAnswers,
    pairs_from_json,
    pairs_to_json,
)
from .run_figures import Leaks, PoolEdits, RecordedRequest, RunFigures, RunSettings
from .verdict import Basis, Verdict, verdict_of

BY_KIND = "dpo_per_triple_by_kind"
"""In a method's row: the kinds of incorrect answers with an interval each."""
SUMS = "sum_against_answers"
"""In a method's row: by reference, whether a better sum goes with better answers."""
_GENERATED = "exact_match"
"""A metric that every example has for which the model generated an answer."""


@dataclass(frozen=True, kw_only=True)
class MethodFigures:
    """One method's metrics, `diversity` among them, over the comparison's examples.

    `by_kind` is DPO per triple by kind of incorrect answer, `differences` by reference the method's
    metrics minus the reference's. `leakage` is the headline metric minus the same with leaks left
    out, None where no context leaks. `doubts` counts the contexts that each doubt is about. `sums`
    has by reference whether a larger cosine of the sum goes with better answers. `generated` counts
    what the model itself answered, None where it was not asked to.
    """

    request: RecordedRequest
    metrics: Mapping[str, Interval]
    shortened: int
    left_out: int
    leaks: Leaks
    leakage: Interval | None
    by_kind: Mapping[str, Interval]
    differences: Mapping[str, Mapping[str, Interval]]
    doubts: Mapping[Doubt, int] = field(default_factory=dict)
    sums: Mapping[str, SumAndAnswers] = field(default_factory=dict)
    generated: AnswerCounts | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Whether its contexts help or harm; None where the figures do not show it."""
        return verdict_of(self.metrics[DPO], self.metrics[DELTA])

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The figures that `to_json` wrote."""
        n, needed = row["n"], row["needed"]
        return cls(
            request=RecordedRequest.from_json(row["request"]),
            metrics={
                name: Interval(row[name], low, high, n[name], needed[name])
                for name, (low, high) in row["intervals"].items()
            },
            shortened=row["shortened"],
            left_out=row["left_out"],
            leaks=Leaks.from_json(row["leaks"]),
            leakage=read(Interval | None, row.get("leakage")),
            by_kind=read(dict[str, Interval], row[BY_KIND]),
            differences=read(dict[str, dict[str, Interval]], row["differences"]),
            doubts=read(dict[Doubt, int], row.get("doubts", {})),
            sums=read(dict[str, SumAndAnswers], row.get(SUMS, {})),
            generated=read(AnswerCounts | None, row.get("generated")),
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
            "leaks": self.leaks.to_json(),
        }
        if self.leakage is not None:
            row["leakage"] = write(self.leakage)
        if self.doubts:
            row["doubts"] = write(self.doubts)
        row["request"] = self.request.to_json()
        row |= {BY_KIND: write(self.by_kind), "differences": write(self.differences)}
        if reference in self.differences:
            row["difference"] = row["differences"][reference]
        if self.sums:
            row[SUMS] = write(self.sums)
        if self.generated is not None:
            row["generated"] = self.generated.to_json()
        return row


@dataclass(frozen=True)
class Front(Recorded):
    """The methods in the lead in a metric, which no other clearly beats: one of them is the best.

    `best` names them, larger values taken as better. `examples` is the number of examples they were
    compared on, `needed` how many it takes for that conclusion, 0 where there are enough.
    """

    best: tuple[str, ...]
    examples: int
    needed: int


@dataclass(frozen=True)
class RecordedRow(Recorded):
    """A row of a comparison over several models; `model` None is the comparison's own."""

    name: str
    request: RecordedRequest
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(RunSettings):
    """As `RunSettings`, with the request of each method.

    `rows` are those of the whole comparison, including other models'; empty where none names one.
    With `generate` the model also answered each example itself.
    """

    OPTIONAL = ("rows", "generate")
    methods: Mapping[str, RecordedRequest]
    rows: tuple[RecordedRow, ...] = ()
    seen_before: bool
    generate: bool = False

    @property
    def planned_end(self) -> bool:
        """Whether no look at the figures could prolong the run."""
        return not self.seen_before

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen, by every method that chooses any."""
        choosing = [each for each in self.methods.values() if each.method != "none"]
        return bool(choosing) and all(each.one_per_query for each in choosing)


@dataclass(frozen=True, kw_only=True)
class Comparison(RunFigures):
    """The methods' figures over the same evaluation examples.

    `fronts` has by metric the methods in the lead. `metric` is the one that leads by all examples
    that were to be scored. `pairs` are the wins of each two of the rows in each metric. `labels`
    are the label figures, None in a pool without a task. Where rows named several models, these are
    the figures of the last one, `earlier` has those of the models before it, in their order and
    each without its own, and `orders` whether what is best for one model is best for another; none
    while the run goes on.
    """

    methods: Mapping[str, MethodFigures]
    reference: str
    fronts: Mapping[str, Front]
    settings: ComparisonSettings
    metric: str
    pairs: PairWins = field(default_factory=dict)
    labels: LabelFigures | None = None
    earlier: "tuple[Comparison, ...]" = ()
    orders: Orders = Orders()

    @property
    def models(self) -> "tuple[Comparison, ...]":
        """The comparison of every model, in their order; this one is the last."""
        return (*self.earlier, self)

    @property
    def basis(self) -> Basis:
        """How many examples have incorrect answers, a label or a generated answer.

        That is what each figure rests on.
        """
        labelled = 0 if self.labels is None else self.labels.examples
        generated = max((self.value(name, _GENERATED).n for name in self.methods), default=0)
        return replace(super().basis, labelled=labelled, generated=generated)

    @property
    def model_names(self) -> tuple[str, ...]:
        """The distinct names of the models, in their order."""
        return distinct_names([each.settings for each in self.models])

    def value(self, method: str, metric: str) -> Interval:
        """A method's metric; undefined where the run did not measure it."""
        return self.methods[method].metrics.get(metric, UNDEFINED)

    def difference(self, method: str, metric: str) -> Interval | None:
        """The method's metric minus the reference's, paired; None for the reference itself."""
        return self.methods[method].differences.get(self.reference, {}).get(metric)

    def wins(self, row: str, metric: str, other: str | None = None) -> Wins | None:
        """How often the row is above another one, the reference if None.

        None where the run did not record it, and where no example has a figure of both.
        """
        other = self.reference if other is None else other
        if (row, other) in self.pairs:
            return self.pairs[row, other].get(metric)
        found = self.pairs.get((other, row), {}).get(metric)
        return None if found is None else found.swapped

    def win_share(self, row: str, metric: str, other: str | None = None) -> Interval:
        """The share of examples on which the row is above, in [0, 1], with its exact interval.

        The interval is that of this one pair of rows; in a run that is watched it is valid at every
        look from the first on. Undefined where `wins` is None.
        """
        found = self.wins(row, metric, other)
        if found is None:
            return UNDEFINED
        low, high = (None, None) if self._alpha is None else found.interval(self._alpha)
        return Interval(found.win_rate, low, high, found.n, FIRST_LOOK if low is None else 0)

    @property
    def _alpha(self) -> float | None:
        """The level of one row's own interval; None before the first look."""
        if self.look.fixed:
            return ALPHA
        n = self.examples
        return alpha_for_every_look(n) if n >= FIRST_LOOK else None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of incorrect answers that have a DPO."""
        first = next(iter(self.methods.values()), None)
        return () if first is None else tuple(first.by_kind)

    def ended_at(self, moment: datetime | None) -> Self:
        """The same with the moment at which the recorded run ended, also for the other models."""
        earlier = tuple(each.ended_at(moment) for each in self.earlier)
        return replace(self, finished=moment, earlier=earlier)

    def edited(self, edits: Callable[[RunFigures], PoolEdits | None]) -> Self:
        """The same with what was edited since, also for the other models."""
        own, earlier = super().edited(edits), tuple(each.edited(edits) for each in self.earlier)
        return own if earlier == self.earlier else replace(own, earlier=earlier)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The comparison that `to_json` wrote."""
        settings = ComparisonSettings.from_json(row["settings"])
        return cls(
            **vars(RunFigures.from_json(row)) | {"settings": settings},
            methods={name: MethodFigures.from_json(each) for name, each in row["methods"].items()},
            reference=row["reference"],
            fronts=read(dict[str, Front], row["together"]),
            metric=row["headline"],
            pairs=pairs_from_json(row.get("pairs", [])),
            labels=read(LabelFigures | None, row.get("labels")),
            earlier=tuple(map(cls.from_json, row.get("earlier", ()))),
            orders=Orders.from_json(row.get("orders", ())),
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON; what is undefined is None."""
        pairs = {"pairs": pairs_to_json(self.pairs, self._alpha)} if self.pairs else {}
        labels = {} if self.labels is None else {"labels": self.labels.to_json()}
        return {
            "methods": {name: each.to_json(self.reference) for name, each in self.methods.items()},
            "reference": self.reference,
            "together": write(self.fronts),
            "headline": self.metric,
            **pairs,
            **labels,
            **super().to_json(),
            **self._several_models_to_json(),
        }

    def _several_models_to_json(self) -> dict[str, Any]:
        """The keys that only a comparison over several models has."""
        if not self.earlier:
            return {}
        alone = [replace(each, earlier=(), orders=Orders()).to_json() for each in self.earlier]
        return {"earlier": alone, "orders": self.orders.to_json()}


def distinct_names(settings: Sequence[RunSettings]) -> tuple[str, ...]:
    """The models' names; where several share one, each with the start of its fingerprint.

    A model that was given twice, under two spellings of its folder, is numbered from the second on.
    """
    shared = Counter(each.model for each in settings)
    given, names = Counter[str](), []
    for each in settings:
        name = (
            each.model if shared[each.model] == 1 else f"{each.model} {each.model_fingerprint[:8]}"
        )
        given[name] += 1
        names.append(name if given[name] == 1 else f"{name} ({given[name]})")
    return tuple(names)
