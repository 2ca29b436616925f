"""Prompts, and contexts shortened until prompt and answers fit the model's window."""

from collections.abc import Callable

from ...retrieval.context import Context
from ...retrieval.knobs import PromptOrder
from ...retrieval.pool_view import PoolView
from .engine import PromptTemplate


def places_in_prompt(context: Context, order: PromptOrder) -> list[int]:
    """Places 0..k-1 of the context in the order of the prompt."""
    if order is PromptOrder.AS_CHOSEN:
        return list(range(len(context)))
    return context.in_prompt_order()


def prompt_of(
    view: PoolView,
    context: Context,
    query: str,
    template: PromptTemplate,
    order: PromptOrder = PromptOrder.MOST_RELEVANT_LAST,
) -> str:
    """The final string sent to the model: the context, then the query."""
    indices = context.indices[places_in_prompt(context, order)].tolist()
    return template.prompt([(view.queries[i], view.answers[i]) for i in indices], query)


def fitted(
    view: PoolView,
    context: Context,
    query: str,
    template: PromptTemplate,
    fits: Callable[[str], bool],
    order: PromptOrder = PromptOrder.MOST_RELEVANT_LAST,
) -> tuple[Context, str] | None:
    """The context that fits the window, and its prompt; None when even the empty one does not.

    The least relevant demonstrations are left out one by one until the prompt fits with the
    longest of the answers: one shortened context serves all of them, so that they can be
    compared. `Context.left_out` counts what was removed.

    Args:
        view: The pool that the context was chosen from.
        context: The chosen demonstrations.
        query: The query at the end of the prompt.
        template: How context and query become a prompt.
        fits: Whether a prompt is within the window together with the longest of all answers,
            correct and incorrect: `lambda prompt: engine.fits(prompt, answers)`.
        order: The order of the demonstrations in the prompt.
    """
    while True:
        prompt = prompt_of(view, context, query, template, order)
        if fits(prompt):
            return context, prompt
        if not len(context):
            return None
        context = context.without_least_relevant()
