"""Evaluation examples under several contexts: planned, scored together, each prompt once."""

import functools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...background.watcher import Watcher
from ...demonstration.demonstration import EvaluationExample
from ...metrics.scores import NOTHING_MEASURED, WITHOUT_LABELS, AnswerScores, OfContext, OfLabels
from ...retrieval.context import Context
from ...retrieval.knobs import PromptOrder
from ...retrieval.pool_view import PoolView
from ...types import AnswerRequest, LogProb
from ..outcomes.outcomes import Outcome
from ..plan.engine import Engine
from ..plan.fitting import fitted
from ..plan.labels import PoolLabels
from ..results.skipping import Skipped, SkipReason


@dataclass(frozen=True)
class Setting:
    """What stays the same from example to example: the pool, the engine, the prompt's order."""

    view: PoolView
    engine: Engine
    order: PromptOrder

    @functools.cached_property
    def labels(self) -> PoolLabels | None:
        """The labels of the pool's demonstrations; None where it has no task."""
        return PoolLabels.of(self.view)


Key = TypeVar("Key", bound=Hashable)
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ExamplePlan(Generic[Key]):
    """The engine's requests for an example: its answers alone, then after each prompt.

    `used` are the contexts, shortened to fit the window, with their prompts.
    """

    example: EvaluationExample
    used: Mapping[Key, tuple[Context, str]]
    requests: tuple[AnswerRequest, ...]


@dataclass(frozen=True)
class ExampleOutcomes(Generic[Key]):
    """An example's outcome under each context, and how many distinct prompts these made."""

    by_key: dict[Key, Outcome]
    distinct: int


def score_example(
    setting: Setting,
    example: EvaluationExample,
    contexts: Mapping[Key, Context],
    watcher: Watcher,
) -> ExampleOutcomes[Key] | Skipped:
    """The outcome of each context of one example, or why there is none."""
    (scored,) = score_plans(setting, [plan_example(setting, example, contexts, watcher)], watcher)
    return scored


def plan_example(
    setting: Setting,
    example: EvaluationExample,
    contexts: Mapping[Key, Context],
    watcher: Watcher,
) -> ExamplePlan[Key] | Skipped:
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
            return Skipped(example.query, SkipReason.TOO_LONG)
        used[key] = fit
    alone = template.prompt([], example.query)
    if not fits(alone):
        return Skipped(example.query, SkipReason.TOO_LONG)
    asked = [alone, *sorted({prompt for _, prompt in used.values()} - {alone})]
    for prompt in asked:
        for text in engine.without_tokens(prompt, texts):
            answer = text.removeprefix(template.answer(""))
            return Skipped(example.query, SkipReason.WITHOUT_TOKENS, answer)
    return ExamplePlan(example, used, tuple(AnswerRequest(prompt, texts) for prompt in asked))


def score_plans(
    setting: Setting, plans: Sequence[ExamplePlan[Key] | Skipped], watcher: Watcher
) -> list[ExampleOutcomes[Key] | Skipped]:
    """The outcome of each plan, in their order; the engine is asked once for all of them together.

    Between the engine's batches the watcher may let other work run.
    """
    asked = [r for plan in plans if isinstance(plan, ExamplePlan) for r in plan.requests]
    rows = iter(
        setting.engine.log_probs(
            asked,
            on_progress=lambda done, total: watcher.breathe(),
            cancelled=watcher.cancelled,
        )
    )
    return [
        plan
        if isinstance(plan, Skipped)
        else _outcomes(setting, plan, {each.prompt: next(rows) for each in plan.requests})
        for plan in plans
    ]


def _outcomes(
    setting: Setting, plan: ExamplePlan[Key], found: Mapping[str, Sequence[LogProb]]
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
        )
        for prompt, context in contexts.items()
    }
    leaks = setting.view.leaks(example.query, example.answers)
    outcomes = {
        key: Outcome.of(context, scores[prompt], leaks)
        for key, (context, prompt) in plan.used.items()
    }
    return ExampleOutcomes(outcomes, len(scores))


def _totals(log_probs: Sequence[LogProb]) -> Vector:
    """Log-probability of every answer after a prompt, shape (a + b,), in nats."""
    return np.array([each.total for each in log_probs], dtype=np.float64)


def answer_scores(
    example: EvaluationExample,
    with_context: Sequence[LogProb],
    alone: Sequence[LogProb],
    measured: OfContext = NOTHING_MEASURED,
    labels: OfLabels = WITHOUT_LABELS,
) -> AnswerScores:
    """The input of the metrics: an example's log-probabilities, and measures of its context.

    Args:
        example: The evaluation example.
        with_context: Of all its answers after the prompt, the correct ones first.
        alone: The same without a context.
        measured: The measures of the context.
        labels: The measures of its labels.
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
    )
