"""What has come out of a run so far: the outcomes of each request, and the rows to record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias

from ...demonstration.demonstration import EvaluationExample
from ...retrieval.knobs import Knobs
from ...store import Json
from ...stretches import Piece, Stretch
from ..outcomes.outcomes import Outcome, RequestResult, ScoredRun
from ..outcomes.steps import OutcomePath, outcome_path
from ..plan.engine import Engine
from ..results.run_figures import RunFigures, RunSettings, look_at
from ..results.skipping import Skipped
from ..scoring.example_scores import ExampleOutcomes, Key
from .run_rows import ContextRow, skipped_to_json


@dataclass(frozen=True)
class WithoutLeaks(Generic[Key]):
    """In the place of a request whose context leaks: the same request, with leaks left out."""

    request: Key


Chosen: TypeAlias = Key | WithoutLeaks[Key] | Stretch
"""What a context was chosen by."""


@dataclass(frozen=True, kw_only=True)
class Scored(ScoredRun, Generic[Key]):
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
        self._skipped: list[Skipped] = []
        self._distinct = 0

    @property
    def done(self) -> int:
        """How many examples were scored or passed over."""
        return len(self._used) + len(self._skipped)

    def add(
        self, example: EvaluationExample, scored: ExampleOutcomes[Chosen[Key]] | Skipped
    ) -> Sequence[Mapping[str, Json]]:
        """Count the example in; the rows to record for it."""
        if isinstance(scored, Skipped):
            self._skipped.append(scored)
            return [skipped_to_json(scored)]
        self._used.append(example)
        own = (key for key in scored.by_key if not isinstance(key, WithoutLeaks))
        self._distinct += len({id(scored.by_key[key].scores) for key in own})
        for key, outcomes in self._outcomes.items():
            without = scored.by_key.get(WithoutLeaks(key))
            outcomes.append(replace(scored.by_key[key], without_leaks=without))
        pieces = [
            Piece(key.low, key.high, outcome)
            for key, outcome in scored.by_key.items()
            if isinstance(key, Stretch)
        ]
        self._paths.append(outcome_path(pieces))
        return [row.to_json() for row in _rows(example, scored)]

    def scored(self, run_id: int) -> Scored[Key]:
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
        return Scored(
            examples=tuple(self._used), figures=figures, results=results, paths=tuple(self._paths)
        )


def _rows(example: EvaluationExample, scored: ExampleOutcomes[Chosen[Key]]) -> list[ContextRow]:
    """A row for each distinct context, with the requests and the stretches that chose it."""
    chosen_by: dict[tuple[int, ...], list[Chosen[Key]]] = {}
    for key, outcome in scored.by_key.items():
        chosen_by.setdefault((outcome.left_out, *outcome.ids), []).append(key)
    return [
        ContextRow(
            example.query,
            requests=tuple(key for key in keys if not isinstance(key, Stretch | WithoutLeaks)),
            stretches=tuple(key for key in keys if isinstance(key, Stretch)),
            outcome=scored.by_key[keys[0]],
            example=None if place else example,
            without_leaks=tuple(key.request for key in keys if isinstance(key, WithoutLeaks)),
        )
        for place, keys in enumerate(chosen_by.values())
    ]
