"""The language model's own wrong answers to a pool's queries, suggested as incorrect answers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...curation.suggestion import (
    AnsweredQuery,
    Suggestion,
    SuggestionOutcome,
    WrittenAnswer,
    answered_queries,
    own_mistakes,
)
from ...demonstration.demonstration import EvaluationExample, Status
from ...evaluation.results.run_figures import ContextSettings, SkippedExample
from ...evaluation.runs.answering import answering_task, own_answers
from ...evaluation.runs.running import RunOptions
from ...generation import Generation
from ...recorded import Recorded
from ...retrieval.choosing import find_method
from ...retrieval.knobs import Knobs
from ...retrieval.methods.neighbours import with_run
from ...text import same_text
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .running import RunKind, examples_in, prepare, result_by


@dataclass(frozen=True, kw_only=True)
class MistakesRequest:
    """Whose queries are asked, the knobs that choose their contexts, and how many."""

    setup: Setup
    knobs: Knobs
    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True, kw_only=True)
class Mistakes(Recorded):
    """What the model answered wrongly.

    Attributes:
        total: How many queries are to be asked.
        asked: How many were, those that were passed over included.
        skipped: Those that were passed over.
        outcomes: How many of the distinct answers are what.
        suggestions: The wrong ones, the likeliest first.
        model: The model's name.
    """

    total: int
    asked: int
    skipped: tuple[SkippedExample, ...]
    outcomes: Mapping[SuggestionOutcome, int]
    suggestions: tuple[Suggestion, ...]
    model: str


def texts_at_most(studio: Studio, request: MistakesRequest) -> int:
    """How many answers the model may have to write: to each query alone, and with its context."""
    knobs = request.knobs
    prompts = 2 if find_method(knobs.method).chooses and knobs.k > 0 else 1
    return prompts * examples_in(studio, request.setup.pool, request.options.limit)


def resumed(setup: Setup, settings: ContextSettings) -> MistakesRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    return MistakesRequest(
        setup=replace(setup, template=settings.template),
        knobs=settings.knobs_of(settings.request),
        options=RunOptions(limit=settings.limit, seed=settings.seed),
    )


def ask(studio: Studio, request: MistakesRequest, watcher: Watcher) -> Mistakes:
    """Let the model answer a sample of the pool's queries; the watcher gets a `Mistakes` so far.

    Resumable: nothing is generated twice. A run that is stopped keeps what came out so far.

    Raises:
        InvalidInput: A knob out of its range, an unknown pool or model, or no queries.
        Cancelled: The watcher requested a stop; what was written is kept.
    """
    setup = request.setup
    ready = prepare(studio, setup, None, [request.knobs], watcher)
    pool = studio.store.pools.get(setup.pool)
    rows = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    queries = {same_text(each.query): each for each in answered_queries(rows)}
    task = answering_task(
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(setup.encoder),
        with_run(ready.view, request.knobs),
        request.options,
    )
    found = _Answers(len(task.examples), ready.engine.name)
    runs = studio.store.runs
    with runs.recording(RUNS.name, pool.id, task.context_settings.to_json()) as run_id:
        try:
            for example, written in own_answers(task, studio.store, watcher):
                found.add(queries.get(same_text(example.query)), example, written)
                watcher.on_partial(found.so_far())
        finally:
            if (so_far := found.so_far()).asked:
                runs.save_result(run_id, so_far.to_json())
    return found.so_far()


class _Answers:
    """What has come out so far."""

    def __init__(self, total: int, model: str) -> None:
        self._total = total
        self._model = model
        self._asked = 0
        self._skipped: list[SkippedExample] = []
        self._outcomes: Counter[SuggestionOutcome] = Counter()
        self._suggestions: list[Suggestion] = []

    def add(
        self,
        asked: AnsweredQuery | None,
        example: EvaluationExample,
        written: list[tuple[int, Generation]] | SkippedExample,
    ) -> None:
        """What the model wrote to one example; `asked` is None where it was deleted meanwhile."""
        self._asked += 1
        if isinstance(written, SkippedExample):
            self._skipped.append(written)
        elif asked is not None:
            answers = [WrittenAnswer(shown, text) for shown, text in written]
            suggestions, outcomes = own_mistakes(asked, answers)
            self._suggestions += suggestions
            self._outcomes.update(outcomes)

    def so_far(self) -> Mistakes:
        """The suggestions in their order, and the counts."""
        return Mistakes(
            total=self._total,
            asked=self._asked,
            skipped=tuple(self._skipped),
            outcomes=dict(self._outcomes),
            suggestions=tuple(sorted(self._suggestions, key=_likeliest_first)),
            model=self._model,
        )


def _likeliest_first(suggestion: Suggestion) -> tuple[bool, float]:
    log_prob = suggestion.log_prob
    return (True, 0.0) if log_prob is None else (False, -log_prob)


RUNS = RunKind(
    name="mistakes",
    label=lambda request: f"Asking the queries of {request.setup.pool}",
    run=ask,
    settings=ContextSettings.from_json,
    resumed=resumed,
    result=result_by(Mistakes.from_json),
)
"""The model's own mistakes; partial and final results of a job are `Mistakes`."""
