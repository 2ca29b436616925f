"""A run's engine for the methods that choose by the language model's answers."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from ...background.watcher import Watcher
from ...retrieval.context import Context
from ...retrieval.pool_view import AskModel, PoolView
from ...types import AnswerRequest, FloatArray
from ..plan.engine import StatesEngine
from ..plan.fitting import fitted
from .example_scores import Setting
from .kept_states import KeptStates
from .task_states import StateReader

UNWATCHED = Watcher()


def asking(setting: Setting, watcher: Watcher = UNWATCHED) -> AskModel:
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
            [AnswerRequest(prompt, texts) for prompt in prompts],
            on_progress=watcher.on_progress,
            cancelled=watcher.cancelled,
        )
        scores[:, scored] = [[each.total for each in row] for row in found]
        return scores

    return ask


def with_model(
    setting: Setting,
    kept: KeptStates | None = None,
    *,
    watcher: Watcher = UNWATCHED,
) -> PoolView:
    """The setting's view for methods that ask its engine about contexts, or for task states.

    Args:
        setting: The pool and the engine.
        kept: Where the pools whose states were read are kept; None keeps all that the view reads.
        watcher: Called with the pairs that are scored when the engine is asked about contexts.
    """
    engine = setting.engine
    reader = StateReader(engine, kept) if isinstance(engine, StatesEngine) else None
    return setting.view.with_model(asking(setting, watcher), reader)
