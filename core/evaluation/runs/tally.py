"""What has come out of a run so far, the rows to record, and whether it looks again."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeAlias

from ...demonstration.demonstration import TEXTS, EvaluationExample, from_columns, to_columns
from ...interval import Piece, Stretch
from ...metrics.scores import OfAnswer
from ...retrieval.knobs import Knobs
from ...store import Json, Store
from ..plan.engine import Engine
from ..results.cells import OutcomePath, outcome_path
from ..results.outcomes import Outcome, RequestResult, ScoredRun
from ..results.own_answer import OwnAnswer
from ..results.run_figures import End, RunFigures, RunSettings, SkippedExample, look_at
from ..scoring.example_scores import ExampleOutcomes, Key


@dataclass(frozen=True, kw_only=True)
class ContextRow:
    """One context of an example: which requests and stretches of lambda_d chose it, its outcome.

    `without_leaks` are the requests whose context leaks, and which choose this one with leaks left
    out.
    The first row of an example has its texts as they were: the pool may change after the run.
    """

    query: str
    requests: tuple[Hashable, ...]
    stretches: tuple[Stretch, ...]
    outcome: Outcome
    example: EvaluationExample | None = None
    without_leaks: tuple[Hashable, ...] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The row that `to_json` wrote."""
        query, outcome = row["query"], Outcome.from_json(row)
        stretches = tuple(Stretch(*each) for each in row.get("stretches", ()))
        example = None
        if "answers" in row:
            # One of the columns of incorrect answers is renamed: the log-probabilities have its
            # own name.
            incorrect = from_columns({**row, TEXTS: row["incorrect_answers"]})
            answers = tuple(row["answers"])
            example = EvaluationExample(query, answers, incorrect, outcome.scores.best)
        without_leaks = tuple(row.get("without_leaks", ()))
        return cls(
            query=query,
            requests=tuple(row["requests"]),
            stretches=stretches,
            outcome=outcome,
            example=example,
            without_leaks=without_leaks,
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        row: dict[str, Any] = {"query": self.query, "requests": list(self.requests)}
        if self.stretches:
            row["stretches"] = [[each.low, each.high] for each in self.stretches]
        if self.without_leaks:
            row["without_leaks"] = list(self.without_leaks)
        row |= self.outcome.to_json()
        if self.example is not None:
            columns = to_columns(self.example.incorrect)
            row["answers"], row["incorrect_answers"] = self.example.answers, columns.pop(TEXTS)
            row |= columns
        return row


@dataclass(frozen=True)
class GeneratedAnswer:
    """What the model itself answered to an example after one request's context.

    `measured` is what the answer has in common with the correct ones.
    """

    request: str
    query: str
    answer: OwnAnswer
    measured: OfAnswer

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, in one level."""
        named = {"row": self.request, "query": self.query}
        return named | self.answer.to_json() | dict(self.measured)


def skipped_to_json(skipped: SkippedExample) -> dict[str, Any]:
    """The row of an example that was passed over."""
    return skipped.to_json() | {"skipped": True}


def recorded_contexts(store: Store, run: int) -> list[ContextRow]:
    """The rows of a run in the order of its examples, those that were passed over left out."""
    rows = store.runs.rows(run)
    return [ContextRow.from_json(row) for row in rows if not row.get("skipped")]


def recorded_answers(store: Store, run: int) -> list[GeneratedAnswer]:
    """The answers that a run's model generated, by example and request; none where it did not."""
    return [
        GeneratedAnswer(str(request), row.query, row.outcome.answer, row.outcome.scores.of_answer)
        for row in recorded_contexts(store, run)
        if row.outcome.answer is not None
        for request in row.requests
    ]


@dataclass(frozen=True)
class LeakFree(Generic[Key]):
    """In the place of a request whose context leaks: the same request, with leaks left out."""

    request: Key


Chosen: TypeAlias = Key | LeakFree[Key] | Stretch
"""What a context was chosen by."""


@dataclass(frozen=True, kw_only=True)
class ScoredTask(ScoredRun, Generic[Key]):
    """What has come out of a task so far.

    `results` has each request's outcomes; `paths` each example's outcomes over all of lambda_d,
    for the task's `line`.
    """

    results: dict[Key, RequestResult]
    paths: tuple[OutcomePath, ...]


class Tally(Generic[Key]):
    """Counts what comes out of a task.

    Args:
        engine: What scores the prompts.
        requests: The knobs of each request.
        settings: What the run records.
        total: How many examples there are.
    """

    def __init__(
        self, engine: Engine, requests: Mapping[Key, Knobs], settings: RunSettings, total: int
    ) -> None:
        self._engine, self._calls_before = engine, engine.calls
        self._requests, self._settings, self._total = requests, settings, total
        self._outcomes: dict[Key, list[Outcome]] = {key: [] for key in requests}
        self._paths: list[OutcomePath] = []
        self._used: list[EvaluationExample] = []
        self._skipped: list[SkippedExample] = []
        self._distinct = 0

    @property
    def done(self) -> int:
        """How many examples were scored or passed over."""
        return len(self._used) + len(self._skipped)

    def add(
        self, example: EvaluationExample, scored: ExampleOutcomes[Chosen[Key]] | SkippedExample
    ) -> Sequence[Mapping[str, Json]]:
        """Count the example in; the rows to record for it."""
        if isinstance(scored, SkippedExample):
            self._skipped.append(scored)
            return [skipped_to_json(scored)]
        self._used.append(example)
        own = (key for key in scored.by_key if not isinstance(key, LeakFree))
        self._distinct += len({id(scored.by_key[key].scores) for key in own})
        for key, outcomes in self._outcomes.items():
            without = scored.by_key.get(LeakFree(key))
            outcomes.append(replace(scored.by_key[key], without_leaks=without))
        pieces = [
            Piece(key.low, key.high, outcome)
            for key, outcome in scored.by_key.items()
            if isinstance(key, Stretch)
        ]
        self._paths.append(outcome_path(pieces))
        return [row.to_json() for row in _rows(example, scored)]

    def scored(self, run_id: int) -> ScoredTask[Key]:
        """The results so far."""
        figures = RunFigures(
            examples=len(self._used),
            without_incorrect=sum(not example.incorrect for example in self._used),
            skipped=tuple(self._skipped),
            total=self._total,
            end=None,
            look=look_at(len(self._used), self._settings),
            distinct_sets=self._distinct,
            language_model_calls=self._engine.calls - self._calls_before,
            run=run_id,
            settings=self._settings,
        )
        results = {
            key: RequestResult(request, tuple(self._outcomes[key]))
            for key, request in self._requests.items()
        }
        return ScoredTask(
            examples=tuple(self._used), figures=figures, results=results, paths=tuple(self._paths)
        )


def _rows(example: EvaluationExample, scored: ExampleOutcomes[Chosen[Key]]) -> list[ContextRow]:
    """A row for each distinct context, with the requests and the stretches that chose it."""
    chosen_by: dict[tuple[int, ...], list[Chosen[Key]]] = {}
    for key, outcome in scored.by_key.items():
        chosen_by.setdefault((outcome.left_out, *outcome.ids), []).append(key)
    return [
        ContextRow(
            query=example.query,
            requests=tuple(key for key in keys if not isinstance(key, Stretch | LeakFree)),
            stretches=tuple(key for key in keys if isinstance(key, Stretch)),
            outcome=scored.by_key[keys[0]],
            example=None if place else example,
            without_leaks=tuple(key.request for key in keys if isinstance(key, LeakFree)),
        )
        for place, keys in enumerate(chosen_by.values())
    ]


_SAME = (
    "pool",
    "pool_version",
    "encoder",
    "model_fingerprint",
    "template_fingerprint",
    "order",
    "examples_from",
    "seed",
)


def seen_before(store: Store, kind: str, settings: RunSettings) -> bool:
    """Whether an earlier run ended with the first of the same examples.

    Whoever then asks for more may do so because of what was seen, and a verdict at the new end is
    one of several looks.

    Args:
        store: Where the runs are.
        kind: The kind of run.
        settings: Of the run that is about to start.
    """
    pool = store.pools.get(settings.pool).id
    for run in store.runs.latest(kind, pool):
        ended = (run.result or {}).get("end") in (End.ALL, End.SETTLED)
        same = all(run.settings.get(name) == getattr(settings, name) for name in _SAME)
        examples = run.settings["examples"]
        if ended and same and isinstance(examples, int) and examples < settings.examples:
            return True
    return False
