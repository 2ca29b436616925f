"""What every language model offers, wherever it runs, and what not each of them can do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from ..errors import InvalidInput
from ..generation import Generation, GenerationRequest
from ..types import AnswerRequest, FloatArray, LogProb
from ..watcher import NOBODY, Watcher
from .template import ChatFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a language model can do.

    Attributes:
        scores: It gives log-probabilities of answers: everything that judges a context needs them.
        generates: It writes texts.
        states: It gives hidden states, which methods that compare tasks need.
        counts: `count_tokens` counts; where not, it is an estimate that nobody is shown.
        why_not: Why it does not score, as the end of a sentence; empty where it does.
        answered_by: The model that answers in place of this one, as its server says; empty where
            this one does.
    """

    scores: bool = True
    generates: bool = True
    states: bool = True
    counts: bool = True
    why_not: str = ""
    answered_by: str = ""

    @property
    def words(self) -> str:
        """The abilities as the end of a sentence."""
        other = f"; the server says that {self.answered_by} answers" if self.answered_by else ""
        if self.scores:
            return f"scores and generates{' and has states' if self.states else ''}{other}"
        return f"generates only: {self.why_not}{other}"


def cannot_score(name: str, abilities: Abilities) -> str:
    """Why answers are not scored with the model, as a sentence; empty where they are."""
    if abilities.scores:
        return ""
    return (
        f"The model {name!r} cannot score answers: {abilities.why_not}. It can be asked what it "
        "answers itself; DPO, quality bias, Calibrate and Compare need a local model, or a server "
        "that gives them, such as vLLM."
    )


def check_scores(name: str, abilities: Abilities) -> None:
    """Refuse a model that cannot score where answers are to be scored.

    Raises:
        InvalidInput: It cannot.
    """
    if not abilities.scores:
        raise InvalidInput(cannot_score(name, abilities))


OnText: TypeAlias = Callable[[str, int, str], None]
"""Called with a prompt, the number of one of its texts from 0, and that text so far."""


class LanguageModel(Protocol):
    """A causal language model that scores answers, answers itself, and has states of a text.

    One thread at a time calls `log_probs`, `generate` and `states`; `count_tokens` and `fits` may
    be called by others meanwhile. The same request has the same log-probabilities, and the same
    text behind the same prefix the same state, up to rounding, whatever else is computed with it.
    """

    @property
    def name(self) -> str:
        """The name shown to people: the folder's, the one on the hub, or `openai:` and a name."""

    @property
    def abilities(self) -> Abilities:
        """What it can do; what it cannot is refused as an `InvalidInput` that names it."""

    @property
    def fingerprint(self) -> str:
        """32 hex digits of what decides its numbers: weights, configuration, tokenizer, type.

        Of a model behind a server they are of what the server says of it.
        """

    @property
    def device(self) -> str:
        """Where the model runs: `cpu`, `cuda`, `mps`, or a server's host."""

    @property
    def dtype(self) -> str:
        """The number type it computes in: `float32`, `bfloat16`, `float16`, or `unknown type`."""

    @property
    def window(self) -> int:
        """The most tokens that prompt and answer may have together."""

    @property
    def parameters(self) -> int | None:
        """How many parameters the model has; None where a server does not say it."""

    @property
    def chat_format(self) -> ChatFormat | None:
        """What its own chat template puts around a message; None where it has none."""

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """Log-probabilities of every answer, in the order of the requests and of their answers.

        Args:
            requests: Prompts with their answers.
            watcher: Gets the answers done and their number after every batch; asked before each.

        Raises:
            InvalidInput: An answer has no tokens, or prompt and answer do not fit the window;
                nothing is ever cut off.
            Cancelled: The watcher asked to stop.
        """

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """The n texts of every request, in the order of the requests.

        A greedy one is the most probable token at every step, as `transformers` generates without
        further rules: what a model's generation_config.json adds, such as a penalty for
        repetition, is left out. The text goes on where `log_probs` would read an answer, so a
        chat format that opens the answer belongs to the prompt. The log-probabilities are the
        model's own, whatever the temperature.

        Args:
            requests: Prompts with what is asked for; equal ones are computed once.
            on_text: Called after every step with each text that is being written.
            watcher: Gets the tokens done and the most there can be after every step: a text that
                ends early counts as one of full length. Asked before every step.

        Raises:
            InvalidInput: A prompt leaves no room for an answer in the window; nothing was
                generated.
            Cancelled: The watcher asked to stop.
        """

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """The state of the model's last layer at the end of each text behind the prefix.

        It is the output of the final norm, the `last_hidden_state` of `transformers`, at the last
        token of prefix + text: what the model predicts the next token from. The prefix is computed
        once for all texts. Tokens are those of `log_probs`, with the prefix for prompt and the
        text for answer, so `fits` shows beforehand which texts fit.

        Args:
            prefix: Comes before every text; empty, it is what opens a text.
            texts: Verbatim continuations of the prefix; the same text has the same state.
            watcher: Gets the distinct texts done and their number after a batch; asked before each.

        Returns:
            Shape (n, width), float32 whatever the model computes in, finite, in the order of the
            texts; not unit length. (0, width) without texts.

        Raises:
            InvalidInput: A text has no tokens after the prefix, or does not fit the window with it
                (nothing is ever cut off, and nothing was computed), or the model gives no hidden
                states, or none that are finite, as where float16 overflows.
            Cancelled: The watcher asked to stop.

        Source: Guo et al., Prompt-Guided Retrieval Augmentation for Non-Knowledge-Intensive
            Tasks, 2.2.
        """

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """How many tokens the prompt and the answer that follows it have together.

        Without a tokenizer (`abilities.counts`) it is an estimate, rather too high.
        """

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether the prompt with the longest of the answers is within the window."""

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers that have no tokens after the prompt, so that none can be scored."""

    def pieces(self, prompt: str, answer: str) -> tuple[str, ...]:
        """The text of each of the answer's tokens, as many as `LogProb.tokens` has.

        Joined, they are the answer as the model reads it; a token that is only part of a
        character may have no text. Empty where a server would have to be asked for them.
        """


@runtime_checkable
class AnswersOneByOne(Protocol):
    """A language model that hands out each result as soon as it is there.

    So what was answered can be kept when another request fails or somebody cancels: the results
    that are there come before the exception.
    """

    @property
    def at_once(self) -> int:
        """How many of its requests are under way together, >= 1."""

    def scored(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> Iterator[tuple[int, int, LogProb]]:
        """(place of the request, place of the answer in it, log-probability), in any order.

        Raises:
            InvalidInput: The model refuses an answer or a prompt, or cannot be reached.
            Cancelled: The watcher asked to stop.
        """

    def written(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> Iterator[tuple[int, int, Generation]]:
        """(place of the request, number of the text, text), in any order; see `generate`.

        Raises:
            InvalidInput: The model refuses a prompt, or cannot be reached.
            Cancelled: The watcher asked to stop.
        """
