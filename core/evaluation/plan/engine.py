"""The interface of whatever scores evaluation's prompts, and prompts that fit its window."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from ...generation import Generation, GenerationRequest
from ...retrieval.context import Context
from ...retrieval.knobs import PromptOrder
from ...retrieval.pool_view import PoolView
from ...types import AnswerRequest, FloatArray, LogProb
from ...watcher import NOBODY, Watcher


class PromptTemplate(Protocol):
    """How a context and a query become the prompt of an engine's model."""

    @property
    def name(self) -> str:
        """Its name in recorded runs."""

    @property
    def fingerprint(self) -> str:
        """Equal for templates that make equal prompts."""

    def prompt(self, pairs: Sequence[tuple[str, str]], query: str) -> str:
        """The prompt with these demonstrations, (query, answer) each, before the query."""

    @property
    def stop(self) -> tuple[str, ...]:
        """The texts that end a generated answer."""

    def answer(self, text: str) -> str:
        """The answer as it continues the prompt."""


class Engine(Protocol):
    """A language model with its template, wherever it runs: prompts to log-probabilities.

    What is known is not computed again. An engine may be slow in everything it does, counting
    tokens included: it is called where long work is done, never by a thread that draws a page.
    """

    name: str
    """The model's name, as people know it."""
    fingerprint: str
    """Identifies everything that determines the log-probabilities of a prompt and its answer."""
    device: str
    """Where the model runs: `cpu`, `cuda`, `mps`, or what else people would call it."""
    dtype: str
    """The number type in which it computes."""
    calls: int
    """How many pairs of prompt and answer had to be computed since it was made."""
    examples_at_once: int
    """The number of evaluation examples, >= 1, whose prompts it gets together.

    With more it can distribute its work better; with fewer, results come sooner.
    """

    @property
    def template(self) -> PromptTemplate:
        """How prompts are made for it."""

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """Log-probabilities of every answer, in the order of the requests and of their answers.

        Args:
            requests: Prompts with their answers.
            watcher: Gets (done, total) wherever other work may be done; asked between batches.

        Raises:
            InvalidInput: The model refuses a prompt or an answer.
            Cancelled: The watcher asked to stop; what was computed is kept.
        """

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether the prompt with the longest of the answers fits the model's window."""

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers that have no tokens after the prompt, so that none can be scored."""


@runtime_checkable
class GeneratingEngine(Protocol):
    """An engine whose model also writes answers itself, which not every engine's does."""

    def generate(
        self, requests: Sequence[GenerationRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[Generation]]:
        """The n texts of every request, in the order of the requests.

        What is known is not generated again, and equal requests are generated once.

        Args:
            requests: Prompts with what is asked for.
            watcher: Gets (done, total) wherever other work may be done; asked between steps.

        Raises:
            InvalidInput: The model refuses a prompt.
            Cancelled: The watcher asked to stop; what was generated before the last batch is kept.
        """


@runtime_checkable
class StatesEngine(Protocol):
    """An engine whose model also gives its hidden states, which not every engine can."""

    name: str
    fingerprint: str
    window: int
    """The most tokens that its model reads."""

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """How many tokens the prompt and the text that follows it have together."""

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """The last hidden state after the prefix and each text, shape (n, width), float32.

        What is known is not computed again; progress counts what is missing.

        Raises:
            InvalidInput: The model gives no states, or a text does not fit its window.
            Cancelled: The watcher asked to stop; what was computed is kept.
        """


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
