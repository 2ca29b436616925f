"""Methods x examples x metrics: which way of choosing the context suits the model best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ...demonstration.demonstration import EvaluationExample
from ...embedding import Encoder
from ...errors import InvalidInput
from ...interval import UNDEFINED, Interval
from ...metrics.bounds.sequential import Look
from ...metrics.bounds.simultaneous import Family
from ...metrics.registry import metrics_of
from ...retrieval.knobs import Knobs, PromptOrder, SettledKnobs
from ...retrieval.pool_view import LivePool
from ...settings import Embed
from ...store import Store
from ...watcher import NOBODY, Watcher
from ..plan.comparison_rows import ComparisonRow
from ..plan.engine import Engine
from ..plan.examples import PoolLabels
from ..results.comparison import (
    Comparison,
    ComparisonSettings,
    Front,
    MethodFigures,
    RecordedRow,
    distinct_names,
)
from ..results.label_figures import CONSISTENCY, label_figures
from ..results.orders import OfOneModel, orders_among
from ..results.outcomes import RequestResult, ScoredRun, dpo_by_kind, together
from ..results.pairs import BY_EMBEDDINGS, sums_and_answers, wins_by_pair
from ..results.run_figures import RecordedRequest
from ..results.verdict import Basis
from ..scoring.example_scores import Setting
from ..scoring.own_answers import generating
from ..scoring.quality_bias import QualityAsNeeded
from .running import ExampleTask, RunOptions
from .tally import ScoredTask, seen_before


@dataclass(frozen=True)
class EvaluationOptions(RunOptions):
    """As `RunOptions`; `references` name the methods that the others are compared with.

    None named takes the first method. With `generate` the model also answers each example itself,
    once after every method's context: the most probable token at each step. Of a comparison over
    several models, `earlier` are the results of the models before this one, which the result
    carries, and `rows` those of all models, which are recorded so that a run that was cut off can
    go on with them.
    """

    references: tuple[str, ...] = ()
    generate: bool = False
    earlier: "tuple[ScoredComparison, ...]" = ()
    rows: tuple[ComparisonRow, ...] = ()


@dataclass(frozen=True)
class MethodFamily:
    """Methods against each other in one metric; all statements are simultaneously valid.

    `embeds` has the text by which each chooses, where the metric is one of embeddings.
    """

    methods: tuple[str, ...]
    family: Family
    embeds: tuple[Embed, ...] = ()

    @classmethod
    def of(
        cls,
        results: Mapping[str, RequestResult],
        requests: Mapping[str, RecordedRequest],
        metric: str,
        look: Look,
    ) -> Self:
        """The comparison by the examples of that look.

        Args:
            results: The methods' outcomes over the same examples.
            requests: The recorded request of each method.
            metric: A metric of the registry.
            look: Which examples it is based on, and at which level.
        """
        return cls(
            tuple(results),
            together(list(results.values()), metric, look),
            tuple(requests[name].embed for name in results) if metric in BY_EMBEDDINGS else (),
        )

    @property
    def best(self) -> tuple[str, ...]:
        """The methods that no other clearly beats; one of them is the best."""
        return tuple(
            name for name, best in zip(self.methods, self.family.best, strict=True) if best
        )

    def difference(self, method: str, reference: str) -> Interval:
        """The method's metric minus the reference's; undefined where their scales differ."""
        pair = self.methods.index(method), self.methods.index(reference)
        if self.embeds and self.embeds[pair[0]] is not self.embeds[pair[1]]:
            return UNDEFINED
        return self.family.interval(*pair)

    def front(self) -> Front:
        """The methods in the lead, in the form of results."""
        return Front(self.best, self.family.n, self.family.needed)


def differences(
    compared: Mapping[str, MethodFamily], method: str, reference: str
) -> dict[str, Interval]:
    """The method minus the reference in each of the metrics."""
    return {metric: each.difference(method, reference) for metric, each in compared.items()}


@dataclass(frozen=True, kw_only=True)
class ScoredComparison(ScoredRun):
    """The methods' outcomes over the same evaluation examples.

    The first of the `references` is the one that `difference` takes when none is named. `headline`
    is the metric to lead with, by all examples that are to be scored. `labels` are the pool's, None
    where it has no task. `generate` says whether the model also answered each example itself.
    `earlier` are the same of the models that were compared before. A first look is without the
    methods that need the quality of the whole pool.
    """

    methods: dict[str, RequestResult]
    references: tuple[str, ...]
    headline: str
    labels: PoolLabels | None = None
    generate: bool = False
    earlier: "tuple[ScoredComparison, ...]" = ()
    first_look: bool = False

    @property
    def reference(self) -> str:
        """The first of the references."""
        return self.references[0]

    @property
    def requests(self) -> dict[str, RecordedRequest]:
        """The recorded request of each method."""
        return {name: RecordedRequest.of(each.request) for name, each in self.methods.items()}

    def together(self, metric: str) -> MethodFamily:
        """All differences among the methods in a metric, bounded together."""
        return MethodFamily.of(self.methods, self.requests, metric, self.figures.look)

    def difference(self, method: str, metric: str, reference: str | None = None) -> Interval:
        """The method's metric minus the reference's, bounded together with all other pairs."""
        return self.together(metric).difference(method, reference or self.reference)

    def by_kind(self, method: str) -> dict[str, Interval]:
        """The method's DPO per triple by kind of incorrect answer; empty where none has a kind."""
        scores = [outcome.scores for outcome in self.methods[method].outcomes]
        return dpo_by_kind(self.examples, scores)

    def summary(self) -> Comparison:
        """The figures without the examples' own outcomes, with those of the earlier models.

        The orders come only at the end: their intervals are valid at one number of examples, not at
        every look on the way.
        """
        if not self.earlier:
            return self._alone
        if self.figures.end is None:
            return replace(self._alone, earlier=tuple(each._alone for each in self.earlier))
        models = (*self.earlier, self)
        names = distinct_names([each.figures.settings for each in models])
        return replace(
            self._alone,
            earlier=tuple(each._alone for each in self.earlier),
            orders=orders_among(
                [
                    OfOneModel(name, each.methods, each.examples)
                    for name, each in zip(names, models, strict=True)
                ]
            ),
        )

    @cached_property
    def _alone(self) -> Comparison:
        """The figures of this model, computed once: they are read again with each later model."""
        compared = {metric: self.together(metric) for metric in self._metrics}
        figures = {name: self._method_figures(name, compared) for name in self.methods}
        requests = self.requests
        sums = sums_and_answers(
            self.methods,
            requests,
            self.references,
            self.headline,
            every_look=not self.figures.look.fixed,
        )
        return Comparison(
            **vars(self.figures),
            methods={name: replace(each, sums=sums[name]) for name, each in figures.items()},
            reference=self.reference,
            fronts={metric: each.front() for metric, each in compared.items()},
            metric=self.headline,
            pairs=wins_by_pair(self.methods, requests),
            labels=label_figures(
                self.labels,
                self.examples,
                self.methods,
                self.figures.look,
                compared[CONSISTENCY].difference,
            ),
        )

    @property
    def _metrics(self) -> list[str]:
        return metrics_of(generated=self.generate)

    def _method_figures(self, name: str, compared: Mapping[str, MethodFamily]) -> MethodFigures:
        result, watched = self.methods[name], not self.figures.look.fixed
        return MethodFigures(
            request=RecordedRequest.of(result.request),
            metrics={metric: result.metric(metric, every_look=watched) for metric in self._metrics},
            shortened=result.shortened,
            left_out=result.left_out,
            leaks=result.leaks,
            leakage=result.leakage(self.headline, every_look=watched),
            by_kind=self.by_kind(name),
            differences={
                reference: differences(compared, name, reference)
                for reference in self.references
                if reference != name
            },
            doubts=result.doubts,
            generated=result.answer_counts,
        )


def evaluate(
    store: Store,
    view: LivePool,
    engine: Engine,
    examples: Sequence[EvaluationExample],
    encoder: Encoder,
    requests: Mapping[str, Knobs],
    *,
    options: EvaluationOptions | None = None,
    watcher: Watcher = NOBODY,
) -> ScoredComparison:
    """Score every example under every request's context and under none.

    Resumable: every pair of prompt and answer that was scored before, by this run or any other,
    is taken from the store. The watcher gets a `ScoredComparison` over the examples so far after
    each.

    Args:
        store: Where the run is recorded.
        view: The pool that contexts are chosen from.
        engine: What scores the prompts.
        examples: The pool's own queries, each of which leaves its own demonstrations out, or
            another pool's.
        encoder: The one that `view` was embedded with.
        requests: A name, usually the method's, for each way of choosing the context.
        options: Limit, seed, reference methods, whether answers are generated too.
        watcher: Progress, partial results, cancelling.

    Raises:
        InvalidInput: No examples or methods, an unknown reference, a limit below 1, several orders
            of the prompt, a method needs quality bias that is not scored, or answers are to be
            generated and the engine generates none.
        Cancelled: The watcher asked to stop; what was scored is kept.

    Source: RAGSys, section 4.
    """
    options = options or EvaluationOptions()
    references = _references(requests, options)
    if options.generate:
        generating(engine)  # refuses one that does not, before the long work
    setting = Setting(view, engine, _order(requests), options.generate)
    task = ExampleTask.prepare(setting, encoder, examples, requests, options)
    settings = ComparisonSettings(
        **vars(task.settings),
        methods={name: RecordedRequest.of(each) for name, each in requests.items()},
        rows=tuple(
            RecordedRow(row.name, RecordedRequest.of(row.knobs), row.model) for row in options.rows
        ),
        seen_before=seen_before(store, "evaluate", task.settings),
        generate=options.generate,
    )
    headline = Basis.of(task.examples).headline

    def build(scored: ScoredTask[str]) -> ScoredComparison:
        return ScoredComparison(
            examples=scored.examples,
            figures=scored.figures,
            methods=scored.results,
            references=tuple(each for each in references if each in scored.results)
            or (next(iter(scored.results)),),
            headline=headline,
            labels=task.setting.labels,
            generate=options.generate,
            earlier=options.earlier,
            first_look=len(scored.results) < len(requests),
        )

    early = [name for name, knobs in task.requests.items() if not _waits(options.quality, knobs)]
    first = early if len(early) < len(requests) else ()
    return replace(task, settings=settings).run(store, "evaluate", build, watcher, first=first)


def _waits(quality: QualityAsNeeded | None, knobs: SettledKnobs) -> bool:
    """Whether the method has no context before the whole pool's quality is scored."""
    return quality is not None and quality.needs_all([knobs])


def _order(requests: Mapping[str, Knobs]) -> PromptOrder:
    orders = list(dict.fromkeys(request.order for request in requests.values()))
    if len(orders) > 1:
        raise InvalidInput(
            f"Prompts were asked for in the orders {' and '.join(orders)}; methods are compared in "
            "one and the same order."
        )
    return orders[0]


def _references(requests: Mapping[str, Knobs], options: EvaluationOptions) -> tuple[str, ...]:
    if not requests:
        raise InvalidInput("No method to evaluate was given; name at least one.")
    references = tuple(dict.fromkeys(options.references)) or (next(iter(requests)),)
    for reference in references:
        if reference not in requests:
            raise InvalidInput(
                f"The reference {reference!r} is not among the methods evaluated "
                f"({', '.join(requests)}); choose one of them."
            )
    return references
