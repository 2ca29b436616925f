"""The model's own answers to evaluation examples: alone, and after the contexts of some knobs."""

from collections.abc import Iterator, Sequence

from ...demonstration.demonstration import EvaluationExample
from ...embedding import Encoder
from ...generation import Generation
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import LivePool
from ...store import Store
from ...watcher import Watcher
from ..plan.engine import Engine
from ..results.run_figures import SkippedExample
from ..scoring.example_scores import Setting
from ..scoring.own_answers import answers_after, generating
from .running import ExampleTask, RunOptions

_AS_CHOSEN = 0


def answering_task(
    view: LivePool,
    engine: Engine,
    examples: Sequence[EvaluationExample],
    encoder: Encoder,
    knobs: Knobs,
    options: RunOptions,
) -> ExampleTask[int]:
    """What is asked: each example alone, and after the context that the knobs choose.

    The arguments are those of `worth`.

    Raises:
        InvalidInput: No examples, a limit below 1, an engine that does not generate, or the method
            needs quality bias that is not scored.
    """
    generating(engine)  # refuses one that only scores before anything is computed
    setting = Setting(view, engine, knobs.order, generate=True)
    return ExampleTask.prepare(setting, encoder, examples, {_AS_CHOSEN: knobs}, options)


def own_answers(
    task: ExampleTask[int], store: Store, watcher: Watcher
) -> Iterator[tuple[EvaluationExample, list[tuple[int, Generation]] | SkippedExample]]:
    """Each example with the model's greedy answers, or why it was passed over.

    An answer comes with the number of demonstrations before it: 0 alone, and as many as the
    context has, after the very prompt that Compare scores and generates answers with; only the
    first where the context is empty. What was generated before is not generated again.

    Raises:
        Cancelled: The watcher asked to stop; what was generated is kept.
    """
    engine = task.setting.engine
    done = 0
    for together in task.plans(store, watcher):
        asked: dict[str, list[tuple[int, str]]] = {}
        for example, plan in together:
            if not isinstance(plan, SkippedExample):
                context, prompt = plan.used[_AS_CHOSEN]
                alone = engine.template.prompt([], example.query)
                asked[example.query] = [(0, alone), (len(context), prompt)][: 1 + (prompt != alone)]
        prompts = [prompt for pairs in asked.values() for _, prompt in pairs]
        written = answers_after(engine, prompts, watcher)
        for example, plan in together:
            done += 1
            watcher.on_progress(done, len(task.examples))
            if isinstance(plan, SkippedExample):
                yield example, plan
            else:
                yield example, [(shown, written[text]) for shown, text in asked[example.query]]
