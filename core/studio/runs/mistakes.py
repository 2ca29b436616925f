"""The language model's own wrong answers to a pool's queries, suggested as incorrect answers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...background import Job
from ...curation.suggestion import (
    AnsweredQuery,
    Suggestion,
    SuggestionOutcome,
    WrittenAnswer,
    answered_queries,
    own_mistakes,
)
from ...demonstration.demonstration import EvaluationExample, Status
from ...evaluation.results.run_figures import SkippedExample
from ...evaluation.runs.answering import own_answers
from ...evaluation.runs.running import RunOptions
from ...generation import Generation
from ...retrieval.choosing import find_method
from ...retrieval.knobs import Knobs
from ...retrieval.methods.neighbours import with_run
from ...text import same_text
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .running import Report, examples_in, prepare


@dataclass(frozen=True)
class MistakesRequest:
    """Whose queries are asked, the knobs that choose their contexts, and how many."""

    setup: Setup
    knobs: Knobs
    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True, kw_only=True)
class Mistakes:
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


def ask(studio: Studio, request: MistakesRequest, watcher: Watcher, report: Report) -> Mistakes:
    """Let the model answer a sample of the pool's queries; the watcher gets a `Mistakes` so far.

    Raises:
        InvalidInput: A knob out of its range, an unknown pool or model, or no queries.
        Cancelled: The watcher requested a stop; what was written is kept.
    """
    setup, options = request.setup, request.options
    ready = prepare(studio, setup, None, [request.knobs], watcher, report)
    pool = studio.store.pools.get(setup.pool)
    rows = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    queries = {same_text(each.query): each for each in answered_queries(rows)}
    found = _Found(min(options.limit or len(ready.examples), len(ready.examples)))
    answered = own_answers(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(setup.encoder),
        with_run(ready.view, request.knobs),
        options=options,
        watcher=watcher,
    )
    for example, written in answered:
        found.add(queries.get(same_text(example.query)), example, written)
        watcher.on_partial(found.so_far(ready.engine.name))
    return found.so_far(ready.engine.name)


def start(studio: Studio, request: MistakesRequest) -> Job:
    """Ask in the background; partial and final results are `Mistakes`."""
    pool = request.setup.pool
    return studio.model_worker.submit(
        _slot(studio, pool),
        f"Asking the queries of {pool}",
        lambda job: ask(studio, request, job.watcher(), lambda line: None),
    )


def latest(studio: Studio, pool: str) -> Job | None:
    """The pool's latest job since the server started, finished or not."""
    return studio.model_worker.latest(_slot(studio, pool))


def _slot(studio: Studio, pool: str) -> str:
    return f"mistakes:{studio.store.pools.get(pool).id}"


class _Found:
    """What has come out so far."""

    def __init__(self, total: int) -> None:
        self._total = total
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

    def so_far(self, model: str) -> Mistakes:
        """The suggestions in their order, and the counts."""
        return Mistakes(
            total=self._total,
            asked=self._asked,
            skipped=tuple(self._skipped),
            outcomes=dict(self._outcomes),
            suggestions=tuple(sorted(self._suggestions, key=_likeliest_first)),
            model=model,
        )


def _likeliest_first(suggestion: Suggestion) -> tuple[bool, float]:
    log_prob = suggestion.log_prob
    return (True, 0.0) if log_prob is None else (False, -log_prob)
