"""What is asked of a server in the JSON of the OpenAI protocol, in fields that it takes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...generation import GenerationRequest
from ...text import content_hash
from ..template import ChatFormat
from .failures import is_too_long, status_of, words_of
from .written import TextSoFar, WrittenText, first_choice

if TYPE_CHECKING:
    from openai import AsyncOpenAI


_REFUSED = (400, 404, 422)
_OPTIONAL = {
    "stream_options": r"stream_options|include_usage",
    "logprobs": "logprobs",
    "stop": r"\bstop\b",
    "seed": r"\bseed\b",
}
"""Fields without which a text is still what was asked for, and how a refusal names them.

Stop texts are looked for here as well, so without `stop` a text only takes longer.
"""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The fields that a server takes.

    Attributes:
        max_completion_tokens: It takes the most tokens of a text under this name only.
        left_out: Fields that it refuses.
    """

    max_completion_tokens: bool = False
    left_out: frozenset[str] = frozenset()

    def after(self, error: Exception) -> "Dialect | None":
        """What to ask instead where the server refused a field; None where it refused none."""
        if status_of(error) not in _REFUSED or is_too_long(error):
            return None
        said = words_of(error).lower()
        if not self.max_completion_tokens and "max_completion_tokens" in said:
            return replace(self, max_completion_tokens=True)
        for name, pattern in _OPTIONAL.items():
            if name not in self.left_out and re.search(pattern, said):
                return replace(self, left_out=self.left_out | {name})
        return None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingRequest:
    """One text that a server is to write.

    Attributes:
        model: The model's name on the server.
        request: Prompt and settings.
        number: Which of the request's n texts, from 0.
        endpoint: Where it is asked.
        dialect: Which fields the server takes.
        stream: Whether the text comes piece by piece.
    """

    model: str
    request: GenerationRequest
    number: int
    endpoint: Endpoint
    dialect: Dialect
    stream: bool = False

    def to_json(self) -> dict[str, Any]:
        """The body of the request."""
        asked, chat = self.request, self.endpoint is Endpoint.CHAT
        most = "max_completion_tokens" if self.dialect.max_completion_tokens else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            most: asked.max_new_tokens,
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
        body["logprobs"] = True if chat else 1
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return {name: each for name, each in body.items() if name not in self.dialect.left_out}


async def write(
    client: "AsyncOpenAI", asked: WritingRequest, show: Callable[[str], None]
) -> WrittenText:
    """The text that the server writes; with `stream` it is shown as it grows.

    Raises:
        HalfAnswer: What came is cut off, is an error, or is not what the protocol says.
        Exception: Another one of `failures`.
    """
    from openai import AsyncStream
    from openai.types import Completion
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    grown, path, body = TextSoFar(), f"/{asked.endpoint}", asked.to_json()
    chat = asked.endpoint is Endpoint.CHAT
    if not asked.stream:
        whole: Completion | ChatCompletion
        if chat:
            whole = await client.post(path, cast_to=ChatCompletion, body=body)
        else:
            whole = await client.post(path, cast_to=Completion, body=body)
        first_choice(whole)
        grown.add(whole)
        return grown.written()
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
            grown.add(part)
            show(grown.text)
    return grown.written()


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
