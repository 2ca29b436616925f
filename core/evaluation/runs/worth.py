"""What each demonstration is worth: its contexts as they are, and as they are without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...embedding import Encoder
from ...errors import Cancelled, InvalidInput
from ...interval import Interval, Sign
from ...metrics.bounds.intervals import paired_difference
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...recorded import Recorded, same
from ...retrieval.choosing import choose_context, find_method
from ...retrieval.context import Context
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import LivePool
from ...store import Store
from ...types import BoolArray, FloatArray
from ...watcher import NOBODY, Watcher
from ..plan.engine import Engine
from ..results.outcomes import ScoredRun
from ..results.run_figures import ContextSettings, End, RunFigures
from ..results.verdict import Basis
from ..scoring.example_scores import ExampleOutcomes, Setting
from .running import ExampleTask, RunOptions
from .tally import Chosen, Tally


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
class Worth(RunFigures):
    """What each demonstration is worth that is in a context, the least first.

    `metric` is what it is worth in; `unused` counts the included demonstrations that are in no
    context of an example.
    """

    KEYS = same("demonstrations", "metric", "unused") | RunFigures.KEYS
    metric: str
    demonstrations: tuple[DemonstrationWorth, ...]
    unused: int
    settings: ContextSettings

    def of_sign(self, sign: Sign) -> int:
        """How many demonstrations have a worth of that sign."""
        return sum(each.worth.sign is sign for each in self.demonstrations)


KIND = "worth"
AS_CHOSEN = 0
"""The key of the context as it is; that of one without a demonstration is its id, which is >= 1."""


@dataclass(frozen=True, kw_only=True)
class ScoredWorth(ScoredRun):
    """Each example's outcomes: with its context, and without each demonstration of it."""

    outcomes: tuple[ExampleOutcomes[Chosen[int]], ...]
    metric: str
    included: int
    settings: ContextSettings

    def summary(self) -> Worth:
        """What each demonstration is worth by the examples so far."""
        with_it: dict[int, list[AnswerScores]] = {}
        without: dict[int, list[AnswerScores]] = {}
        for outcome in self.outcomes:
            chosen = outcome.by_key[AS_CHOSEN]
            for id in chosen.ids:  # those that had room
                with_it.setdefault(id, []).append(chosen.scores)
                without.setdefault(id, []).append(outcome.by_key[id].scores)
        metric = METRICS[self.metric]
        found = [
            DemonstrationWorth(id, paired_difference(metric, with_it[id], without[id]))
            for id in sorted(with_it)
        ]
        return Worth(
            **{**vars(self.figures), "settings": self.settings},
            metric=self.metric,
            demonstrations=tuple(sorted(found, key=_least_first)),
            unused=self.included - len(found),
        )


def _least_first(one: DemonstrationWorth) -> tuple[bool, float]:
    """Orders by worth; what has none comes last."""
    mean = one.worth.mean
    return (True, 0.0) if mean is None else (False, mean)


class _WithAndWithout(ExampleTask[int]):
    """A run that also scores each example's context without each of its demonstrations."""

    def contexts(
        self, example: EvaluationExample, vector: FloatArray, leaks: BoolArray, watcher: Watcher
    ) -> dict[Chosen[int], Context]:
        """The context as it is chosen, and what is chosen where one of it is excluded."""
        view, knobs = self.setting.view, self.requests[AS_CHOSEN]
        closed = leaks if self.leave_out_leaks else np.zeros(len(view), dtype=bool)

        def chosen_without(excluded: BoolArray) -> Context:
            watcher.checkpoint()
            return choose_context(
                view, example.query, vector, knobs, leave_out=True, also_excluded=excluded
            )

        whole = chosen_without(closed)
        found: dict[Chosen[int], Context] = {AS_CHOSEN: whole}
        for index, id in zip(whole.indices.tolist(), whole.ids.tolist(), strict=True):
            excluded = closed.copy()
            excluded[index] = True
            found[id] = chosen_without(excluded)
        return found


def worth(
    store: Store,
    view: LivePool,
    engine: Engine,
    examples: Sequence[EvaluationExample],
    encoder: Encoder,
    knobs: Knobs,
    *,
    options: RunOptions | None = None,
    watcher: Watcher = NOBODY,
) -> ScoredWorth:
    """Score every example under its context, and under what is chosen without each part of it.

    Resumable: every pair of prompt and answer that was scored before, by this run or any other,
    is taken from the store. The watcher gets a `ScoredWorth` over the examples so far after each.

    The arguments are those of `evaluate`, with the knobs that every context is chosen with.

    Raises:
        InvalidInput: No examples, a limit below 1, a method that chooses nothing, or one that
            needs quality bias that is not scored.
        Cancelled: The watcher asked to stop; what was scored is kept.
    """
    if not find_method(knobs.method).chooses:
        raise InvalidInput(
            f"The method {knobs.method!r} chooses no demonstrations, so none has a worth; choose "
            "another method."
        )
    options = options or RunOptions()
    setting = Setting(view, engine, knobs.order)
    task = _WithAndWithout.prepare(setting, encoder, examples, {AS_CHOSEN: knobs}, options)
    settings = task.context_settings
    pool = store.pools.get(settings.pool).id
    with store.runs.recording(KIND, pool, settings.to_json()) as run_id:
        found = None
        try:
            for found in _scored(task, settings, store, run_id, watcher):
                watcher.on_progress(found.figures.done, found.figures.total)
                watcher.on_partial(found)
        except (Cancelled, KeyboardInterrupt):
            if found is not None:
                store.runs.save_result(run_id, found.ended(End.STOPPED).summary().to_json())
            raise
        assert found is not None  # there is an example
        found = found.ended(End.ALL)
        store.runs.save_result(run_id, found.summary().to_json())
    return found


def _scored(
    task: ExampleTask[int], settings: ContextSettings, store: Store, run_id: int, watcher: Watcher
) -> Iterator[ScoredWorth]:
    """The result after each example."""
    metric = Basis.of(task.examples).headline
    tally = Tally(task.setting.engine, task.requests, settings, len(task.examples))
    outcomes: tuple[ExampleOutcomes[Chosen[int]], ...] = ()
    for example, scored in task.outcomes(store, watcher):
        store.runs.append(run_id, tally.add(example, scored))
        if isinstance(scored, ExampleOutcomes):
            outcomes = (*outcomes, scored)
        so_far = tally.scored(run_id)
        yield ScoredWorth(
            examples=so_far.examples,
            figures=so_far.figures,
            outcomes=outcomes,
            metric=metric,
            included=len(task.setting.view),
            settings=settings,
        )
