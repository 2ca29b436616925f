"""Which examples of a recorded run its pool would now give another context."""

from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ...demonstration.demonstration import EvaluationExample
from ...errors import InvalidInput
from ...retrieval.choosing import choose_context, find_method
from ...retrieval.knobs import Knobs, PromptOrder
from ...retrieval.methods.neighbours import METHOD as NEIGHBOURS
from ...retrieval.pool_view import LivePool
from ...text import same_text
from ...types import BoolArray, FloatArray
from ...watcher import NOBODY, Watcher
from ..results.calibration import CalibrationSettings
from ..results.comparison import ComparisonSettings
from ..results.run_figures import ContextSettings, PoolEdits, RecordedRequest, RunSettings
from .calibrate import DEFAULTS
from .tally import ContextRow
from .worth import AS_CHOSEN


def requests_of(settings: RunSettings) -> dict[Hashable, RecordedRequest]:
    """What a run chose its contexts with, by what its rows call it; empty for other runs."""
    if isinstance(settings, ComparisonSettings):
        return {name: request for name, request in settings.methods.items()}
    if isinstance(settings, CalibrationSettings):
        return {DEFAULTS: settings.defaults, **dict(enumerate(settings.cells))}
    return {AS_CHOSEN: settings.request} if isinstance(settings, ContextSettings) else {}


@dataclass(frozen=True, kw_only=True)
class PoolNow:
    """A run's pools as they are now.

    Attributes:
        examples: The evaluation examples that they have.
        changed: The ids of demonstrations that are gone, or have another query or answer than then.
        view: Is chosen from, by the run's encoder; None where contexts cannot be chosen.
        vectors: The unit vectors of the run's queries, as far as there is a view.
    """

    examples: Sequence[EvaluationExample]
    changed: Container[int]
    view: LivePool | None
    vectors: Mapping[str, FloatArray]


def edits_in_examples(
    rows: Sequence[ContextRow],
    settings: RunSettings,
    count: int,
    now: PoolNow,
    watcher: Watcher = NOBODY,
) -> PoolEdits:
    """How many of the run's examples the edits change, `count` of them.

    Args:
        rows: All contexts of the run.
        settings: What it was made with.
        count: How many edits there were.
        now: The pools as they are.
        watcher: Its request to stop is followed.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    by_query: dict[str, list[ContextRow]] = {}
    for row in rows:
        by_query.setdefault(row.query, []).append(row)
    present = {same_text(each.query): each for each in now.examples}
    requests = requests_of(settings)
    again = _ChosenAgain.of(settings, requests, now.view)
    differing = 0
    for query, own in by_query.items():
        watcher.breathe()
        chosen = [row for row in own if row.requests]
        if (
            present.get(same_text(query)) != own[0].example
            or any(id in now.changed for row in chosen for id in row.outcome.ids)
            or (again is not None and again.differs(chosen, present, now.vectors[query]))
        ):
            differing += 1
    all_chosen = again is not None and len(again.knobs) == len(requests)
    return PoolEdits(count, differing, len(by_query), at_least=not all_chosen)


@dataclass(frozen=True, kw_only=True)
class _ChosenAgain:
    """Chooses a run's contexts from the pool as it is; `knobs` of what can be chosen anew."""

    view: LivePool
    settings: RunSettings
    knobs: Mapping[Hashable, Knobs]

    @classmethod
    def of(
        cls,
        settings: RunSettings,
        requests: Mapping[Hashable, RecordedRequest],
        view: LivePool | None,
    ) -> "_ChosenAgain | None":
        """The same without what a model or other runs choose, or what misses quality bias."""
        if view is None:
            return None
        knobs = {}
        for key, request in requests.items():
            try:
                found = settings.knobs_of(request)
                method = find_method(found.method)
            except InvalidInput:  # the method is gone, or its knobs are others by now
                continue
            scored = not (method.settle(found).needs_bias and view.unscored)
            if scored and not method.needs_model and method is not NEIGHBOURS:
                knobs[key] = found
        return cls(view=view, settings=settings, knobs=knobs)

    def differs(
        self,
        rows: Sequence[ContextRow],
        examples: Mapping[str, EvaluationExample],
        vector: FloatArray,
    ) -> bool:
        """Whether any of an example's contexts would be another one."""
        query = rows[0].query
        leaks = None
        if self.settings.leave_out_leaks:
            leaks = self.view.leaks(query, examples[same_text(query)].answers, vector)
        return any(self._is_other(row, key, vector, leaks) for row in rows for key in row.requests)

    def _is_other(
        self, row: ContextRow, key: Hashable, vector: FloatArray, excluded: BoolArray | None
    ) -> bool:
        knobs = self.knobs.get(key)
        if knobs is None and isinstance(self.settings, ContextSettings):
            # The context without the demonstration of that id: what it is worth depends on it.
            knobs, without = self.knobs.get(AS_CHOSEN), self.view.ids == key
            excluded = without if excluded is None else excluded | without
        if knobs is None:
            return False
        context = choose_context(
            self.view, row.query, vector, knobs, leave_out=True, also_excluded=excluded
        )
        for _ in range(min(row.outcome.left_out, len(context))):
            context = context.without_least_relevant()
        ids, recorded = context.ids.tolist(), list(row.outcome.ids)
        as_chosen = self.settings.order == PromptOrder.AS_CHOSEN
        return ids != recorded if as_chosen else sorted(ids) != sorted(recorded)
