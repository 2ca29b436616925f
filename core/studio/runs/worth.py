"""Worth: what does each demonstration contribute to the contexts that it is in?"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...evaluation.results.run_figures import ContextSettings
from ...evaluation.runs.running import RunOptions
from ...evaluation.runs.worth import DemonstrationWorth, ScoredWorth, Worth, worth
from ...retrieval.choosing import find_method, settled
from ...retrieval.knobs import Knobs
from ...retrieval.methods.neighbours import with_run
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .duration import with_time
from .running import RunKind, examples_in, figures_by, prepare


def figures_of(studio: Studio, pool: str) -> Mapping[int, DemonstrationWorth]:
    """What each demonstration was worth in the latest run, by id; empty before there was one."""
    found = RUNS.latest(studio, pool)
    return {} if found is None else {each.id: each for each in found.demonstrations}


def worths(studio: Studio, pool: str) -> Mapping[int, float] | None:
    """The means of `figures_of`, of those that have one; None before there was a run."""
    found = RUNS.latest(studio, pool)
    if found is None:
        return None
    return {
        each.id: each.worth.mean for each in found.demonstrations if each.worth.mean is not None
    }


@dataclass(frozen=True, kw_only=True)
class WorthRequest:
    """Whose demonstrations, the knobs that choose contexts, and over which examples."""

    setup: Setup
    knobs: Knobs
    options: RunOptions = field(default_factory=RunOptions)

    @property
    def examples(self) -> str | None:
        """The pool that the evaluation examples are from, None for the same."""
        return self.options.examples_from


def resumed(setup: Setup, settings: ContextSettings) -> WorthRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    options = RunOptions(
        limit=settings.limit,
        seed=settings.seed,
        examples_from=settings.other_pool,
        leave_out_leaks=settings.leave_out_leaks,
    )
    knobs = settings.knobs_of(settings.request)
    return WorthRequest(
        setup=replace(setup, template=settings.template), knobs=knobs, options=options
    )


def contexts_at_most(studio: Studio, request: WorthRequest) -> int:
    """How many contexts the model may have to score.

    For each example its own, one without each demonstration of it, those that the method itself
    asks about to choose these, and none.
    """
    source = request.options.examples_from or request.setup.pool
    chosen = request.knobs.k + 1
    asks = find_method(request.knobs.method).asks
    by_choice = asks(settled(request.knobs)) if asks is not None else 0
    return examples_in(studio, source, request.options.limit) * (chosen * (1 + by_choice) + 1)


def cost(studio: Studio, request: WorthRequest) -> str:
    """`contexts_at_most` in words, with the time that they take once the model was timed."""
    contexts = contexts_at_most(studio, request)
    words = f"At most {contexts:,} contexts"
    return with_time(studio, request, contexts, [request.knobs], words)


def run(studio: Studio, request: WorthRequest, watcher: Watcher) -> ScoredWorth:
    """Judge every demonstration; resumable, and nothing is scored twice.

    Raises:
        InvalidInput: A knob out of its range, an unknown pool or model, or no examples.
        Cancelled: The watcher requested a stop; what was scored is kept.
    """
    options = request.options
    ready = prepare(studio, request.setup, options.examples_from, [request.knobs], watcher)
    return worth(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(request.setup.encoder),
        with_run(ready.view, request.knobs),
        options=replace(options, caution=ready.caution),
        watcher=watcher,
    )


RUNS = RunKind(
    name="worth",
    label=lambda request: f"Judging the demonstrations of {request.setup.pool}",
    run=run,
    settings=ContextSettings.from_json,
    resumed=resumed,
    result=figures_by(Worth.from_json),
)
"""What demonstrations are worth; partial and final results of a job are `ScoredWorth`."""
