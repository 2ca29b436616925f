"""What is asked of a server, as the JSON of the OpenAI protocol, and what its answers are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...generation import GenerationRequest
from ...text import content_hash
from ..chat import ChatFormat
from .failures import HalfAnswer

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Completion, CompletionChoice
    from openai.types.chat import ChatCompletion

CHAT = ChatFormat("<|message|>\n", "\n<|answer|>\n")
"""What stands around a prompt of the template `chat`: the server's own chat format is not known
here, so these marks stand for it and are never sent. A prompt between them is sent as one message
of a user; they keep its results apart from those of the same text without a chat format."""


class Endpoint(StrEnum):
    """Where a server writes texts."""

    COMPLETIONS = "completions"
    """It continues the prompt as it is."""
    CHAT = "chat/completions"
    """It answers a message, in the model's own chat format."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One text that a server is to write.

    Attributes:
        model: The model's name on the server.
        request: Prompt and settings.
        number: Which of the request's n texts, from 0.
        endpoint: Where it is asked.
        log_probs: Whether log-probabilities of the text's tokens are asked for.
        stream: Whether the text comes piece by piece.
    """

    model: str
    request: GenerationRequest
    number: int
    endpoint: Endpoint
    log_probs: bool = True
    stream: bool = False

    def to_json(self) -> dict[str, Any]:
        """The body of the request."""
        asked, chat = self.request, self.endpoint is Endpoint.CHAT
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": asked.max_new_tokens,
            "temperature": asked.temperature,
        }
        if chat:
            body["messages"] = [{"role": "user", "content": message_of(asked.prompt)}]
        else:
            body["prompt"] = asked.prompt
        if not asked.greedy:
            body |= {"top_p": asked.top_p, "seed": seed_of(asked.seed, self.number)}
        if asked.stop:
            body["stop"] = list(asked.stop)
        if self.log_probs:
            body["logprobs"] = True if chat else 1
        if self.stream:
            body["stream"] = True
        return body


@dataclass(frozen=True, slots=True)
class Answered:
    """A text that a server wrote.

    Attributes:
        text: As it was sent.
        finish: Why it ends there: `stop`, `length` or what else the server calls it.
        stopped_at: The stop text that ended it, where the server names it, as vLLM does.
        pieces: The texts of its tokens; empty where the server gives no log-probabilities.
        log_probs: The log-probability of each of them.
        tokens: How many tokens the text has; None where the server does not count.
    """

    text: str
    finish: str
    stopped_at: str | None = None
    pieces: tuple[str, ...] = ()
    log_probs: tuple[float, ...] = ()
    tokens: int | None = None


@dataclass
class _Growing:
    """An answer that comes piece by piece."""

    text: str = ""
    finish: str = ""
    stopped_at: str | None = None
    pieces: list[str] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    tokens: int | None = None

    def add(self, choice: Any, usage: Any) -> None:
        """One piece, of either endpoint, or a whole answer."""
        part = getattr(choice, "delta", None) or getattr(choice, "message", None)
        self.text += (choice.text if part is None else part.content) or ""
        self.finish = getattr(choice, "finish_reason", None) or self.finish
        reason = getattr(choice, "stop_reason", None)
        self.stopped_at = reason if isinstance(reason, str) else self.stopped_at
        for piece, log_prob in _logged(getattr(choice, "logprobs", None)):
            self.pieces.append(piece)
            self.log_probs.append(log_prob)
        self.tokens = getattr(usage, "completion_tokens", None) or self.tokens

    def answered(self) -> Answered:
        """The whole of it.

        Raises:
            HalfAnswer: It does not say why it ends, so it is cut off.
        """
        if not self.finish:
            raise HalfAnswer("the text is cut off")
        return Answered(
            self.text,
            self.finish,
            self.stopped_at,
            tuple(self.pieces),
            tuple(self.log_probs),
            self.tokens,
        )


async def write(client: "AsyncOpenAI", asked: Asked, show: Callable[[str], None]) -> Answered:
    """The text that the server writes; with `stream` it is shown as it grows.

    Raises:
        HalfAnswer: What came is cut off, or is not what the protocol says.
        Exception: Another one of `failures`.
    """
    from openai import AsyncStream
    from openai.types import Completion
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    grown, path, body = _Growing(), f"/{asked.endpoint}", asked.to_json()
    chat = asked.endpoint is Endpoint.CHAT
    if not asked.stream:
        whole: Completion | ChatCompletion
        if chat:
            whole = await client.post(path, cast_to=ChatCompletion, body=body)
        else:
            whole = await client.post(path, cast_to=Completion, body=body)
        grown.add(first_choice(whole), getattr(whole, "usage", None))
        return grown.answered()
    stream: Any
    if chat:
        of_chat = AsyncStream[ChatCompletionChunk]
        stream = await client.post(
            path, cast_to=ChatCompletionChunk, body=body, stream=True, stream_cls=of_chat
        )
    else:
        of_text = AsyncStream[Completion]
        stream = await client.post(
            path, cast_to=Completion, body=body, stream=True, stream_cls=of_text
        )
    async with stream:
        async for part in stream:
            if getattr(part, "choices", None):
                grown.add(part.choices[0], getattr(part, "usage", None))
                show(grown.text)
    return grown.answered()


def first_choice(answer: "Completion | ChatCompletion") -> "CompletionChoice | Any":
    """The first choice of an answer.

    Raises:
        HalfAnswer: It has none, as where it is no JSON.
    """
    choices: Sequence[Any] | None = getattr(answer, "choices", None)
    if not choices or not isinstance(choices, list):
        raise HalfAnswer("the answer has no choices")
    return choices[0]


def message_of(prompt: str) -> str:
    """The prompt without the marks of the chat format."""
    return prompt.removeprefix(CHAT.before).removesuffix(CHAT.after)


def is_message(prompt: str) -> bool:
    """Whether the prompt is in the chat format, so that it is sent as a message."""
    return prompt.startswith(CHAT.before) and prompt.endswith(CHAT.after)


def check_whole(text: str) -> None:
    """Refuse a text that no request can be written with.

    Raises:
        InvalidInput: It contains half of a surrogate pair.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidInput(
            f"The text {text[:60]!r} contains half of a surrogate pair, which is no character; "
            "remove it."
        )


def seed_of(seed: int, number: int) -> int:
    """The seed of the text with this number, in [0, 2**31).

    Each text is a request with a seed of its own, so that n texts are the first of more.
    """
    return int(content_hash(str(seed), str(number))[:8], 16) >> 1


def _logged(given: Any) -> list[tuple[str, float]]:
    """The tokens' texts and log-probabilities of either endpoint; none where one is missing."""
    content = getattr(given, "content", None)
    if content:
        pairs = [(each.token, each.logprob) for each in content]
    else:
        texts, values = getattr(given, "tokens", None), getattr(given, "token_logprobs", None)
        if not texts or not values or len(texts) != len(values):
            return []
        pairs = list(zip(texts, values, strict=True))
    if any(value is None for _, value in pairs):
        return []
    return [(str(text), min(float(value), 0.0)) for text, value in pairs]
