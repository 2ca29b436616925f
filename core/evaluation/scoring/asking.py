"""A run's engine, as the methods ask it that choose by what the language model answers."""

from collections.abc import Sequence

import numpy as np

from ...retrieval.context import Context
from ...retrieval.pool_view import AskModel
from ...types import AnswerRequest, FloatArray
from ..plan.fitting import fitted
from .example_scores import Setting


def asking(setting: Setting) -> AskModel:
    """What asks the setting's engine; contexts are shortened until its window holds them.

    It raises InvalidInput where the query and an answer alone are longer than the window.
    """
    view, engine, order = setting.view, setting.engine, setting.order
    template = engine.template

    def ask(contexts: Sequence[Context], query: str, answers: Sequence[str]) -> FloatArray:
        texts = tuple(template.answer(answer) for answer in answers)
        prompts = []
        for context in contexts:
            fit = fitted(
                view, context, query, template, lambda prompt: engine.fits(prompt, texts), order
            )
            # Without room for any context the engine itself says what is too long.
            prompts.append(template.prompt([], query) if fit is None else fit[1])
        found = engine.log_probs([AnswerRequest(prompt, texts) for prompt in prompts])
        return np.array([[each.total for each in row] for row in found], dtype=np.float64)

    return ask
