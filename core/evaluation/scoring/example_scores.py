"""One evaluation example under several contexts, each distinct prompt scored once."""

import functools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...background.watcher import Watcher
from ...language_model import AnswerRequest
from ...metrics.scores import AnswerScores
from ...retrieval.context import Context
from ...retrieval.knobs import PromptOrder
from ...retrieval.pool_view import PoolView
from ...types import EvaluationExample, LogProb
from ..outcomes.outcomes import Outcome
from ..plan.fitting import fitted
from ..results.skipping import Skipped, SkipReason
from .scoring import CachedScorer


@dataclass(frozen=True)
class Setting:
    """What stays the same from example to example: the pool, the scorer, the prompt's order."""

    view: PoolView
    scorer: CachedScorer
    order: PromptOrder


Key = TypeVar("Key", bound=Hashable)
Vector = NDArray[np.float64]


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
    """The outcome of each context, or why there is none.

    An example is skipped when query and answers do not fit the window even alone, or when an
    answer has no tokens after one of the prompts.

    Contexts that make the same prompt share one `AnswerScores`. Between the scorer's chunks the
    watcher may let other work run.
    """
    model, template = setting.scorer.model, setting.scorer.template
    texts = tuple(template.answer(text) for text in example.texts)
    fits = functools.cache(lambda prompt: model.fits(prompt, texts))
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
    prompts = {prompt for _, prompt in used.values()}
    asked = [alone, *sorted(prompts - {alone})]
    if (answer := _without_tokens(setting.scorer, asked, texts)) is not None:
        return Skipped(example.query, SkipReason.WITHOUT_TOKENS, answer)
    totals = _totals(setting.scorer, asked, texts, watcher)
    scores = {prompt: _answer_scores(example, totals[prompt], totals[alone]) for prompt in prompts}
    leaks = setting.view.leaks(example.query, example.answers)
    outcomes = {
        key: Outcome.of(context, scores[prompt], leaks) for key, (context, prompt) in used.items()
    }
    return ExampleOutcomes(outcomes, len(prompts))


def _without_tokens(
    scorer: CachedScorer, prompts: Sequence[str], texts: tuple[str, ...]
) -> str | None:
    """The first answer that the model cannot be asked after one of the prompts, as it was given."""
    for prompt in prompts:
        for text in scorer.model.without_tokens(prompt, texts):
            return text.removeprefix(scorer.template.answer(""))
    return None


def _totals(
    scorer: CachedScorer, prompts: Sequence[str], texts: tuple[str, ...], watcher: Watcher
) -> dict[str, Vector]:
    """Log-probability of every answer after each prompt, shape (a + b,) each, in nats."""
    log_probs = scorer.log_probs(
        [AnswerRequest(prompt, texts) for prompt in prompts],
        on_progress=lambda done, total: watcher.breathe(),
        cancelled=watcher.cancelled,
    )
    return {prompt: _array(row) for prompt, row in zip(prompts, log_probs, strict=True)}


def _array(log_probs: Sequence[LogProb]) -> Vector:
    return np.array([each.total for each in log_probs], dtype=np.float64)


def _answer_scores(example: EvaluationExample, with_context: Vector, alone: Vector) -> AnswerScores:
    split = len(example.answers)
    return AnswerScores(
        correct=with_context[:split],
        incorrect=with_context[split:],
        correct_alone=alone[:split],
        incorrect_alone=alone[split:],
        best=example.best,
    )
