"""Compare: which method serves this pool and this language model best?"""

from dataclasses import dataclass, replace

from ...background import Job, Watcher
from ...errors import InvalidInput
from ...evaluation.results.comparison import Comparison, ComparisonSettings
from ...evaluation.runs.evaluate import EvaluationOptions, ScoredComparison, evaluate
from ...retrieval.knobs import KNOBS, LAMBDAS, Knobs
from ..session.studio import Setup, Studio
from .running import PoolRuns, Say, examples_in, prepare

RUNS = PoolRuns("evaluate", Comparison.from_json, ComparisonSettings.from_json)


@dataclass(frozen=True)
class CompareRequest:
    """Methods to compare and on what; `limit` None takes all evaluation examples.

    `examples` names another pool whose queries are the evaluation examples; `references` are the
    methods that the others are compared with, the first method when none is named. With
    `leave_out_leaks` no context gives a correct answer of its example under another query.
    """

    setup: Setup
    methods: tuple[str, ...]
    examples: str | None = None
    knobs: Knobs = Knobs()
    limit: int | None = None
    references: tuple[str, ...] = ()
    leave_out_leaks: bool = False

    def contexts(self) -> dict[str, Knobs]:
        """Each method's name with the knobs, which all of them share.

        Raises:
            InvalidInput: An unknown or repeated method, or a knob out of its range.
        """
        if len(set(self.methods)) != len(self.methods):
            raise InvalidInput(
                f"A method is named twice in {', '.join(self.methods)}; name each method once."
            )
        return {name: replace(self.knobs, method=name) for name in self.methods}


def resumed(setup: Setup, settings: ComparisonSettings) -> CompareRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    methods = {name: settings.knobs_of(each) for name, each in settings.methods.items()}
    turned = {
        knob.name: getattr(knobs, knob.name)
        for knobs in methods.values()
        for knob in knobs.info.parameters
    }
    shared = replace(next(iter(methods.values())), method=Knobs().method)
    defaults = {name: KNOBS[name].default for name in LAMBDAS}
    return CompareRequest(
        replace(setup, template=settings.template),
        tuple(methods),
        examples=settings.other_pool,
        knobs=replace(shared, **(defaults | turned)),
        limit=settings.limit,
        leave_out_leaks=settings.leave_out_leaks,
    )


def contexts_at_most(studio: Studio, request: CompareRequest) -> int:
    """How many contexts the model may have to judge; those that several methods share count once.

    Every example is scored without context as well.
    """
    examples = examples_in(studio, request.examples or request.setup.pool, request.limit)
    return examples * (len(set(request.methods) - {"none"}) + 1)


def cost(studio: Studio, request: CompareRequest) -> str:
    """The same in words."""
    return f"At most {contexts_at_most(studio, request):,} contexts"


def run(studio: Studio, request: CompareRequest, watcher: Watcher, say: Say) -> ScoredComparison:
    """Evaluate the methods; resumable, and nothing is scored twice.

    Raises:
        InvalidInput: An unknown method, pool or model, or no examples.
        Cancelled: The watcher asked to stop; what was scored is kept.
    """
    contexts = request.contexts()
    needs_bias = any(context.needs_bias for context in contexts.values())
    ready = prepare(
        studio,
        request.setup,
        request.examples,
        needs_bias=needs_bias,
        watcher=watcher,
        say=say,
    )
    options = EvaluationOptions(
        limit=request.limit,
        seed=request.knobs.seed,
        examples_from=request.examples,
        references=request.references,
        caution=ready.caution,
        leave_out_leaks=request.leave_out_leaks,
    )
    return evaluate(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(request.setup.encoder),
        contexts,
        options=options,
        watcher=watcher,
    )


def start(studio: Studio, request: CompareRequest) -> Job:
    """Run in the background; partial and final results are `ScoredComparison`."""
    return RUNS.start(
        studio,
        request.setup.pool,
        f"Comparing {len(request.methods)} methods on {request.setup.pool}",
        lambda watcher: run(studio, request, watcher, lambda line: None),
    )
