"""Compare: which method serves this pool and this language model best?"""

from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidInput
from ..evaluation import Job, Watcher
from ..evaluation.evaluate import Evaluation, EvaluationOptions, evaluate
from ..retrieval.bias import BiasScale
from ..retrieval.context import ContextRequest
from ..settings import LAMBDA_B, LAMBDA_D, SEED, K
from .running import PoolRuns, Say, examples_in, other_pool, prepare
from .studio import Setup, Studio

RUNS = PoolRuns("evaluate")


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
    k: int = K
    lambda_d: float = LAMBDA_D
    lambda_b: float = LAMBDA_B
    limit: int | None = None
    seed: int = SEED
    bias_scale: BiasScale = BiasScale.RAW
    references: tuple[str, ...] = ()
    leave_out_leaks: bool = False

    def contexts(self) -> dict[str, ContextRequest]:
        """Each method's name with its context request.

        Raises:
            InvalidInput: An unknown or repeated method, or a knob out of its range.
        """
        if len(set(self.methods)) != len(self.methods):
            raise InvalidInput(
                f"A method is named twice in {', '.join(self.methods)}; name each method once."
            )
        return {
            name: ContextRequest(
                name, self.k, self.lambda_d, self.lambda_b, self.seed, self.bias_scale
            )
            for name in self.methods
        }


def resumed(setup: Setup, settings: dict[str, Any]) -> CompareRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    methods = settings["methods"]
    first = next(iter(methods.values()))
    free = methods.get("rel+div+bias", {})
    return CompareRequest(
        replace(setup, template=settings["template"]),
        tuple(methods),
        examples=other_pool(settings),
        k=first["k"],
        lambda_d=methods.get("rel+div", free).get("lambda_d", LAMBDA_D),
        lambda_b=methods.get("rel+bias", free).get("lambda_b", LAMBDA_B),
        limit=settings["limit"],
        seed=settings["seed"],
        bias_scale=BiasScale(first["bias_scale"]),
        leave_out_leaks=settings.get("leave_out_leaks", False),
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


def run(studio: Studio, request: CompareRequest, watcher: Watcher, say: Say) -> Evaluation:
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
        seed=request.seed,
        examples_from=request.examples,
        references=request.references,
        caution=ready.caution,
        leave_out_leaks=request.leave_out_leaks,
    )
    return evaluate(
        studio.store,
        ready.view,
        ready.scorer,
        ready.examples,
        studio.encoder(request.setup.encoder),
        contexts,
        options=options,
        watcher=watcher,
    )


def start(studio: Studio, request: CompareRequest) -> Job:
    """Run in the background; partial and final results are `Evaluation`."""
    return RUNS.start(
        studio,
        request.setup.pool,
        f"Comparing {len(request.methods)} methods on {request.setup.pool}",
        lambda watcher: run(studio, request, watcher, lambda line: None),
    )
