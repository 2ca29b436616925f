"""Examples under several contexts, each prompt scored once; the engine methods ask."""

import functools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...demonstration.demonstration import EvaluationExample
from ...generation import Generation
from ...metrics.scores import (
    NOTHING_GENERATED,
    NOTHING_MEASURED,
    WITHOUT_LABELS,
    AnswerScores,
    OfAnswer,
    OfContext,
    OfLabels,
)
from ...retrieval.context import Context
from ...retrieval.knobs import PromptOrder
from ...retrieval.pool_view import AskModel, LivePool
from ...types import AnswerRequest, BoolArray, FloatArray, LogProb
from ...watcher import NOBODY, Watcher
from ..plan.engine import Engine, StatesEngine, fitted
from ..plan.examples import PoolLabels
from ..results.outcomes import Outcome
from ..results.own_answer import own_answer
from ..results.run_figures import SkippedExample, SkipReason
from .own_answers import ANSWERS_AT_ONCE, answers_after, measured_answer
from .task_states import KeptStates, StateReader


@dataclass(frozen=True)
class Setting:
    """What stays the same from example to example: the pool, the engine, the prompt's order.

    With `generate` the model also answers each example itself, after every context.
    """

    view: LivePool
    engine: Engine
    order: PromptOrder
    generate: bool = False

    @functools.cached_property
    def labels(self) -> PoolLabels | None:
        """The labels of the pool's demonstrations; None where it has no task."""
        return PoolLabels.of(self.view)

    def examples_at_once(self, requests: int) -> int:
        """How many examples to score together, >= 1, each with so many requests.

        As many as the engine takes; where answers are generated, enough for several of them.
        """
        at_once = self.engine.examples_at_once
        return max(at_once, ANSWERS_AT_ONCE // requests) if self.generate else at_once


Key = TypeVar("Key", bound=Hashable)
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ExamplePlan(Generic[Key]):
    """The engine's requests for an example: its answers alone, then after each prompt.

    `used` are the contexts, shortened to fit the window, with their prompts. `leaks` masks the
    pool's demonstrations that give an answer away, shape (n,); None where nobody asks for it.
    """

    example: EvaluationExample
    used: Mapping[Key, tuple[Context, str]]
    requests: tuple[AnswerRequest, ...]
    leaks: BoolArray | None = None

    @property
    def prompts(self) -> list[str]:
        """The distinct prompts of the contexts; that without any only where a context is empty."""
        return list(dict.fromkeys(prompt for _, prompt in self.used.values()))


@dataclass(frozen=True)
class ExampleOutcomes(Generic[Key]):
    """An example's outcome under each context; the same prompt has one `AnswerScores`."""

    by_key: dict[Key, Outcome]


def score_example(
    setting: Setting, example: EvaluationExample, contexts: Mapping[Key, Context], watcher: Watcher
) -> ExampleOutcomes[Key] | SkippedExample:
    """The outcome of each context of one example, or why there is none."""
    (scored,) = score_plans(setting, [plan_example(setting, example, contexts, watcher)], watcher)
    return scored


def plan_example(
    setting: Setting,
    example: EvaluationExample,
    contexts: Mapping[Key, Context],
    watcher: Watcher,
    leaks: BoolArray | None = None,
) -> ExamplePlan[Key] | SkippedExample:
    """The distinct prompts that the contexts make, or why the example cannot be scored.

    An example is skipped when query and answers do not fit the window even alone, or when an
    answer has no tokens after one of the prompts.
    """
    engine, template = setting.engine, setting.engine.template
    texts = tuple(template.answer(text) for text in example.texts)
    fits = functools.cache(lambda prompt: engine.fits(prompt, texts))
    used = {}
    for key, context in contexts.items():
        watcher.checkpoint()
        fit = fitted(setting.view, context, example.query, template, fits, setting.order)
        if fit is None:
            return SkippedExample(example.query, SkipReason.TOO_LONG)
        used[key] = fit
    alone = template.prompt([], example.query)
    if not fits(alone):
        return SkippedExample(example.query, SkipReason.TOO_LONG)
    asked = [alone, *sorted({prompt for _, prompt in used.values()} - {alone})]
    for prompt in asked:
        for text in engine.without_tokens(prompt, texts):
            answer = text.removeprefix(template.answer(""))
            return SkippedExample(example.query, SkipReason.WITHOUT_TOKENS, answer)
    requests = tuple(AnswerRequest(prompt, texts) for prompt in asked)
    return ExamplePlan(example, used, requests, leaks)


def score_plans(
    setting: Setting, plans: Sequence[ExamplePlan[Key] | SkippedExample], watcher: Watcher
) -> list[ExampleOutcomes[Key] | SkippedExample]:
    """The outcome of each plan, in their order; the engine is asked once for all of them together.

    Where the setting generates, so are its answers. Between the engine's batches the watcher may
    let other work run.
    """
    usable = [plan for plan in plans if isinstance(plan, ExamplePlan)]
    asked = [request for plan in usable for request in plan.requests]
    rows = iter(setting.engine.log_probs(asked, watcher=watcher.quietly().breathing()))
    written = {}
    if setting.generate:
        prompts = [prompt for plan in usable for prompt in plan.prompts]
        written = answers_after(setting.engine, prompts, watcher)
    return [
        plan
        if isinstance(plan, SkippedExample)
        else _outcomes(setting, plan, {each.prompt: next(rows) for each in plan.requests}, written)
        for plan in plans
    ]


def _outcomes(
    setting: Setting,
    plan: ExamplePlan[Key],
    found: Mapping[str, Sequence[LogProb]],
    written: Mapping[str, Generation],
) -> ExampleOutcomes[Key]:
    """The outcome of each context; those that make the same prompt share one `AnswerScores`."""
    example, alone = plan.example, found[plan.requests[0].prompt]
    contexts = {prompt: context for context, prompt in plan.used.values()}
    labels = setting.labels
    scores = {
        prompt: answer_scores(
            example,
            found[prompt],
            alone,
            context.measured,
            WITHOUT_LABELS if labels is None else labels.measured(example, context),
            measured_answer(example, written[prompt]) if written else NOTHING_GENERATED,
        )
        for prompt, context in contexts.items()
    }
    answers = {
        prompt: own_answer(written[prompt], example.answers, example.incorrect)
        for prompt in (contexts if written else ())
    }
    outcomes = {
        key: Outcome.of(context, scores[prompt], plan.leaks, answers.get(prompt))
        for key, (context, prompt) in plan.used.items()
    }
    return ExampleOutcomes(outcomes)


def _totals(log_probs: Sequence[LogProb]) -> Vector:
    """Log-probability of every answer after a prompt, shape (a + b,), in nats."""
    return np.array([each.total for each in log_probs], dtype=np.float64)


def answer_scores(
    example: EvaluationExample,
    with_context: Sequence[LogProb],
    alone: Sequence[LogProb],
    measured: OfContext = NOTHING_MEASURED,
    labels: OfLabels = WITHOUT_LABELS,
    answer: OfAnswer = NOTHING_GENERATED,
) -> AnswerScores:
    """The input of the metrics: log-probabilities, measures of the context and of the answer.

    Args:
        example: The evaluation example.
        with_context: Of all its answers after the prompt, the correct ones first.
        alone: The same without a context.
        measured: The measures of the context.
        labels: The measures of its labels.
        answer: The measures of what the model itself answered after it.
    """
    split, there, before = len(example.answers), _totals(with_context), _totals(alone)
    return AnswerScores(
        correct=there[:split],
        incorrect=there[split:],
        correct_alone=before[:split],
        incorrect_alone=before[split:],
        best=example.best,
        correct_tokens=np.array([each.n_tokens for each in alone[:split]]),
        **measured,
        **labels,
        **answer,
    )


def asking(setting: Setting, watcher: Watcher = NOBODY) -> AskModel:
    """A function that asks the setting's engine; contexts are shortened to fit its window.

    The watcher is called with the pairs of prompt and answer that are scored, and may stop it.

    Answers that cannot be scored even after the query alone have -inf.
    """
    view, engine, order = setting.view, setting.engine, setting.order
    template = engine.template

    def ask(contexts: Sequence[Context], query: str, answers: Sequence[str]) -> FloatArray:
        alone = template.prompt([], query)
        every = [template.answer(answer) for answer in answers]
        nothing = set(engine.without_tokens(alone, every))
        scored = [text not in nothing and engine.fits(alone, (text,)) for text in every]
        texts = tuple(compress(every, scored))
        scores = np.full((len(contexts), len(every)), -np.inf)
        if not texts:
            return scores
        prompts = []
        for context in contexts:
            fit = fitted(
                view, context, query, template, lambda prompt: engine.fits(prompt, texts), order
            )
            prompts.append(alone if fit is None else fit[1])
        found = engine.log_probs(
            [AnswerRequest(prompt, texts) for prompt in prompts], watcher=watcher
        )
        scores[:, scored] = [[each.total for each in row] for row in found]
        return scores

    return ask


def with_model(
    setting: Setting, kept: KeptStates | None = None, *, watcher: Watcher = NOBODY
) -> LivePool:
    """The setting's view for methods that ask its engine about contexts, or for task states.

    Args:
        setting: The pool and the engine.
        kept: Where the pools whose states were read are kept; None keeps all that the view reads.
        watcher: Called with the pairs that are scored when the engine is asked about contexts.
    """
    engine = setting.engine
    reader = StateReader(engine, kept) if isinstance(engine, StatesEngine) else None
    return setting.view.with_services(ask=asking(setting, watcher), states=reader)
