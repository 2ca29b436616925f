"""What evaluation and calibration share: options, the loop over examples, the recorded run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, TypeVar

from ...demonstration.demonstration import EvaluationExample
from ...embedding import Encoder
from ...errors import Cancelled, InvalidInput, QueryTooLong
from ...interval import Stretch
from ...retrieval.choosing import choose_context, find_method, settled
from ...retrieval.context import Context
from ...retrieval.doubts import doubts_of
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs, SettledKnobs
from ...retrieval.lambda_path import context_path
from ...retrieval.method import bias_for
from ...retrieval.pool_view import LivePool
from ...settings import SEED
from ...store import Store
from ...types import BoolArray, FloatArray
from ...watcher import EMBEDDING, EXAMPLES, Watcher
from ..plan.examples import sample
from ..results.outcomes import ScoredRun
from ..results.run_figures import (
    ContextSettings,
    End,
    RecordedRequest,
    RunSettings,
    SkippedExample,
    SkipReason,
)
from ..scoring.example_scores import (
    ExampleOutcomes,
    ExamplePlan,
    Key,
    Setting,
    plan_example,
    score_plans,
    with_model,
)
from ..scoring.quality_bias import QualityAsNeeded
from ..scoring.task_states import check_states, prompts_to_read, read_pool
from .tally import Chosen, LeakFree, ScoredTask, Tally

Result = TypeVar("Result", bound=ScoredRun)

SAME_QUERY = "same normalised query"
OR_LEAK = f"{SAME_QUERY}, much the same query, or a correct answer of the example under another one"
"""What a run's settings record under `leave_out`."""
FIRST_LOOK = 30
"""Examples of a first look: enough for a first picture, and a few requests of each score soon."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How the examples are drawn, and what else applies to all of them.

    `limit` None takes all examples; they always come in the seed's random order, so that what
    has arrived is a fair sample at every moment. `examples_from` names the pool that the examples
    are from when it is not the pool that is retrieved from, `caution` a reservation about the
    figures; both are only recorded. With `leave_out_leaks` an example's context has no leak
    (`LivePool.leaks`); without it a context that leaks is also scored with its leaks left out.
    `quality` scores the quality bias of the view that is missing; None where none is.
    """

    limit: int | None = None
    seed: int = SEED
    examples_from: str | None = None
    caution: str = ""
    leave_out_leaks: bool = False
    quality: QualityAsNeeded | None = None


@dataclass(frozen=True, kw_only=True)
class ExampleTask(Generic[Key]):
    """A run that is ready to start: examples in their order, and the requests for each.

    `line` is a request that is scored at every lambda_d, not only its own; None for no such line.
    `quality` scores the quality bias that choices depend on; None where all of it is scored.
    """

    setting: Setting
    encoder: Encoder
    examples: tuple[EvaluationExample, ...]
    requests: Mapping[Key, SettledKnobs]
    settings: RunSettings
    line: SettledKnobs | None = None
    leave_out_leaks: bool = False
    quality: QualityAsNeeded | None = None

    @classmethod
    def prepare(
        cls,
        setting: Setting,
        encoder: Encoder,
        examples: Sequence[EvaluationExample],
        requests: Mapping[Key, Knobs],
        options: RunOptions,
        line: SettledKnobs | None = None,
    ) -> "ExampleTask[Key]":
        """Check what can be checked before anything is computed or recorded.

        Raises:
            InvalidInput: No examples, a limit below 1, or a request that needs quality bias that
                is not scored, that names an index, or that compares task states where the engine
                gives none or the pool has no task.
        """
        pool = options.examples_from or setting.view.name
        used = {key: settled(request) for key, request in requests.items()}
        if not examples:
            raise InvalidInput(
                f"Pool {pool!r} has no queries to evaluate on; import demonstrations first, or "
                "take the examples from another pool."
            )
        for request in used.values():
            if request.index is not None:
                raise InvalidInput(
                    f"The index {request.index!r} was named; contexts are evaluated as they are "
                    "chosen from the whole pool, so name none."
                )
            if options.quality is None:
                bias_for(setting.view, request)
        if any(find_method(request.method).needs_model for request in used.values()):
            check_states(setting.engine, used.values())
            prompts_to_read(setting.view, used.values())  # refuses a pool without a task
            setting = replace(setting, view=with_model(setting))
        drawn = tuple(sample(examples, options.limit, options.seed))
        settings = run_settings(setting, encoder, pool, drawn, options)
        return cls(
            setting=setting,
            encoder=encoder,
            examples=drawn,
            requests=used,
            settings=settings,
            line=line,
            leave_out_leaks=options.leave_out_leaks,
            quality=options.quality,
        )

    @property
    def context_settings(self) -> ContextSettings:
        """The settings, where one request chooses all contexts."""
        (request,) = self.requests.values()
        return ContextSettings(**vars(self.settings), request=RecordedRequest.of(request))

    def run(
        self,
        store: Store,
        kind: str,
        build: Callable[[ScoredTask[Key]], Result],
        watcher: Watcher,
        enough: Callable[[Result], bool] = lambda result: False,
        first: Sequence[Key] = (),
    ) -> Result:
        """Score the examples one after another; the result over all of them.

        A run that is stopped keeps its result over the examples so far.

        Args:
            store: Where the run, a row for each distinct context and the result are recorded.
            kind: What the run is recorded as.
            build: Makes the result from what has come out so far.
            watcher: Gets progress, and what `build` makes, after each example.
            enough: Whether a result needs no more examples; called after each.
            first: Requests for which the first examples are scored before anything else, for an
                early picture; the watcher gets no result over fewer examples after it.

        Raises:
            Cancelled: The watcher asked to stop.
        """
        tally = Tally(self.setting.engine, self.requests, self.settings, len(self.examples))
        pool = store.pools.get(self.settings.pool).id
        with store.runs.recording(kind, pool, self.settings.to_json()) as run_id:
            result = early = build(tally.scored(run_id))
            try:
                for early in self._first_look(store, first, build, run_id, watcher):
                    watcher.on_partial(early)
                for example, scored in self.outcomes(store, watcher):
                    store.runs.append(run_id, tally.add(example, scored))
                    result = build(tally.scored(run_id))
                    watcher.on_progress(tally.done, len(self.examples))
                    if result.figures.done >= early.figures.done:
                        watcher.on_partial(result)
                    if enough(result):
                        break
            except (Cancelled, KeyboardInterrupt):
                if result.figures.done or early.figures.done:
                    most = result if result.figures.done >= early.figures.done else early
                    stopped = most.ended(End.STOPPED).summary()
                    store.runs.save_result(run_id, stopped.to_json())
                raise
            whole = result.figures.done == result.figures.total
            result = result.ended(End.ALL if whole else End.SETTLED)
            store.runs.save_result(run_id, result.summary().to_json())
        return result

    def _first_look(
        self,
        store: Store,
        first: Sequence[Key],
        build: Callable[[ScoredTask[Key]], Result],
        run_id: int,
        watcher: Watcher,
    ) -> Iterator[Result]:
        """Results of these requests over the first examples, one after each; none without requests.

        What is scored for it is in the store when the whole run asks for it.
        """
        if not first:
            return
        requests = {key: self.requests[key] for key in first}
        few = replace(self, examples=self.examples[:FIRST_LOOK], requests=requests, line=None)
        tally = Tally(self.setting.engine, requests, self.settings, len(self.examples))
        for example, scored in few.outcomes(store, watcher):
            tally.add(example, scored)
            watcher.on_progress(tally.done, len(few.examples))
            yield build(tally.scored(run_id))

    def outcomes(
        self, store: Store, watcher: Watcher
    ) -> Iterator[tuple[EvaluationExample, ExampleOutcomes[Chosen[Key]] | SkippedExample]]:
        """Each example with its outcomes, as they come, or why it was passed over."""
        for together in self.plans(store, watcher):
            scored = score_plans(self.setting, [plan for _, plan in together], watcher)
            yield from zip((example for example, _ in together), scored, strict=True)

    def plans(
        self, store: Store, watcher: Watcher
    ) -> Iterator[list[tuple[EvaluationExample, ExamplePlan[Chosen[Key]] | SkippedExample]]]:
        """Each example with its contexts and prompts, or why it is passed over; a few at a time."""
        queries = [example.query for example in self.examples]
        watcher.on_phase(EMBEDDING)
        vectors, _ = embed_texts(store, self.encoder, queries, watcher=watcher)
        exemplars = read_pool(self.setting.view, self.requests.values(), watcher)
        self._score_quality(watcher)
        watcher.on_phase(EXAMPLES)
        watcher.on_progress(0, len(self.examples))
        asked = zip(self.examples, vectors, strict=True)
        while together := tuple(islice(asked, self.setting.examples_at_once(len(self.requests)))):
            plans = list[tuple[EvaluationExample, ExamplePlan[Chosen[Key]] | SkippedExample]]()
            for example, vector in together:
                watcher.breathe()
                if self.setting.view.same_query(example.query)[exemplars].any():
                    plans.append((example, SkippedExample(example.query, SkipReason.EXEMPLAR)))
                else:
                    plans.append((example, self._plan(example, vector, watcher)))
            yield plans

    def _plan(
        self, example: EvaluationExample, vector: FloatArray, watcher: Watcher
    ) -> ExamplePlan[Chosen[Key]] | SkippedExample:
        leaks = self.setting.view.leaks(example.query, example.answers, vector)
        try:
            contexts = self.contexts(example, vector, leaks, watcher)
        except QueryTooLong:  # for a method that reads it after a task's question
            return SkippedExample(example.query, SkipReason.TOO_LONG)
        return plan_example(self.setting, example, contexts, watcher, leaks)

    def contexts(
        self, example: EvaluationExample, vector: FloatArray, leaks: BoolArray, watcher: Watcher
    ) -> dict[Chosen[Key], Context]:
        """The contexts of one example; at a tie a request may choose one that no stretch has."""

        def choose(view: LivePool) -> Mapping[Chosen[Key], Context]:
            return self._chosen(view, example, vector, leaks, watcher)

        view = self.setting.view
        if self.quality is None:
            chosen = dict(choose(view))
        else:
            chosen = dict(self.quality.settled(view, choose, watcher))
            view = self.quality.of(view)
        if self.line is None:  # a calibration's contexts are too many to check each
            excluded = view.same_query(example.query)
            excluded = excluded | leaks if self.leave_out_leaks else excluded
            of_query = view, example.query, vector
            for key, request in self.requests.items():
                doubts = doubts_of(*of_query, request, chosen[key], self.encoder, excluded=excluded)
                chosen[key] = replace(chosen[key], doubts=doubts.kinds)
        return chosen

    def _score_quality(self, watcher: Watcher) -> None:
        """Score the whole pool's quality where the first example would need nearly all of it."""
        if self.quality is None:
            return
        needs_line = self.line is not None and self.line.needs_bias
        if needs_line or self.quality.needs_all(self.requests.values()):
            self.quality.score_all(watcher)

    def _chosen(
        self,
        view: LivePool,
        example: EvaluationExample,
        vector: FloatArray,
        leaks: BoolArray,
        watcher: Watcher,
    ) -> Mapping[Chosen[Key], Context]:
        stretches = dict[Chosen[Key], Context]()
        of_query = view, example.query, vector
        closed = leaks if self.leave_out_leaks else None
        if self.line is not None:
            path = context_path(*of_query, self.line, leave_out=True, also_excluded=closed)
            for piece in path:
                stretches[Stretch(piece.low, piece.high)] = piece.value
        chosen: dict[Chosen[Key], Context] = {}
        for key, request in self.requests.items():
            watcher.checkpoint()
            context = self._on_line(request, stretches)
            if context is None:
                context = choose_context(*of_query, request, leave_out=True, also_excluded=closed)
            if leaks[context.indices].any():
                chosen[LeakFree(key)] = choose_context(
                    *of_query, request, leave_out=True, also_excluded=leaks
                )
            chosen[key] = context
        return chosen | stretches

    def _on_line(self, request: SettledKnobs, stretches: Mapping[Any, Context]) -> Context | None:
        """The line's context for a request that is on it, well within a stretch; else None."""
        if self.line is None or replace(request, lambda_d=self.line.lambda_d) != self.line:
            return None
        at = request.lambda_d
        within = (context for each, context in stretches.items() if each.surely_contains(at))
        return next(within, None)


def run_settings(
    setting: Setting,
    encoder: Encoder,
    examples_from: str,
    examples: Sequence[EvaluationExample],
    options: RunOptions,
) -> RunSettings:
    """Everything that the figures depend on besides the requests."""
    view, engine, template = setting.view, setting.engine, setting.engine.template
    return RunSettings(
        pool=view.name,
        pool_version=view.version,
        encoder=view.encoder,
        encoder_name=encoder.name,
        model=engine.name,
        model_fingerprint=engine.fingerprint,
        device=engine.device,
        dtype=engine.dtype,
        template=template.name,
        template_fingerprint=template.fingerprint,
        order=str(setting.order),
        examples_from=examples_from,
        examples=len(examples),
        limit=options.limit,
        seed=options.seed,
        leave_out=OR_LEAK if options.leave_out_leaks else SAME_QUERY,
        leave_out_leaks=options.leave_out_leaks,
        caution=options.caution,
    )
