"""What a server wrote, whole or piece by piece, as the JSON of the OpenAI protocol has it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...generation import EndedBy
from .failures import AboveZero, HalfAnswer, ServerError

if TYPE_CHECKING:
    from openai.types import Completion, CompletionChoice
    from openai.types.chat import ChatCompletion

ROUNDING = 1e-3
"""How far apart two equal log-probabilities of a server may be, in nats."""
_ENDS = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), EndedBy.LENGTH),
    "model_length": EndedBy.WINDOW,
    **dict.fromkeys(
        (
            "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii",
            "guardrail_intervened", "content_filtered",
        ),
        EndedBy.FILTERED,
    ),
    "refusal": EndedBy.REFUSED,
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), EndedBy.TOOL_CALL),
    **dict.fromkeys(
        ("error", "abort", "aborted", "cancelled", "insufficient_system_resource"), EndedBy.ERROR
    ),
}  # fmt: skip
"""Why texts end, by the words of the protocol and of those who speak it; others mean the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenText:
    """A text that a server wrote.

    Attributes:
        text: As it was sent.
        ended_by: Why it ends there, as far as the server says it; never an error.
        stopped_at: The stop text that ended it, where the server names it, as vLLM does.
        pieces: The texts of its tokens; empty where the server gives no log-probabilities.
        log_probs: The log-probability of each of them.
        tokens: How many tokens the text has; None where the server does not count.
        thoughts: What the server sent as thoughts, beside the text.
        refusal: What the model says in place of an answer.
        tools: The calls of tools in place of an answer.
        model: The name of the model that answered; empty where the server does not say it.
        prompt_tokens: How many tokens of the prompt it read; None where it does not count.
    """

    text: str
    ended_by: EndedBy
    stopped_at: str | None = None
    pieces: tuple[str, ...] = ()
    log_probs: tuple[float, ...] = ()
    tokens: int | None = None
    thoughts: str = ""
    refusal: str = ""
    tools: str = ""
    model: str = ""
    prompt_tokens: int | None = None


@dataclass(kw_only=True)
class TextSoFar:
    """A text that comes piece by piece."""

    text: str = ""
    thoughts: str = ""
    _finish: str = ""
    _error: str = ""
    _stopped_at: str | None = None
    _pieces: list[str] = field(default_factory=list)
    _log_probs: list[float] = field(default_factory=list)
    _tokens: int | None = None
    _refusal: str = ""
    _tools: dict[int, str] = field(default_factory=dict)
    _model: str = ""
    _prompt_tokens: int | None = None

    def add(self, part: Any) -> None:
        """A whole answer of either endpoint, or a piece of one."""
        usage = getattr(part, "usage", None)
        self._tokens = getattr(usage, "completion_tokens", None) or self._tokens
        self._prompt_tokens = getattr(usage, "prompt_tokens", None) or self._prompt_tokens
        model = getattr(part, "model", None)
        self._model = model if isinstance(model, str) and model else self._model
        for choice in (getattr(part, "choices", None) or ())[:1]:
            self._add(choice)

    def _add(self, choice: Any) -> None:
        message = getattr(choice, "delta", None) or getattr(choice, "message", None)
        if message is None:
            self.text += getattr(choice, "text", None) or ""
        else:
            self._add_message(message)
        self._finish = getattr(choice, "finish_reason", None) or self._finish
        self._error = _message_of(getattr(choice, "error", None)) or self._error
        reason = getattr(choice, "stop_reason", None)
        self._stopped_at = reason if isinstance(reason, str) else self._stopped_at
        for piece, log_prob in _logged(getattr(choice, "logprobs", None)):
            self._pieces.append(piece)
            self._log_probs.append(log_prob)

    def _add_message(self, message: Any) -> None:
        content = getattr(message, "content", None)
        self.text += "".join(_texts(content, "text"))
        names = ("reasoning_content", "reasoning", "thinking")  # servers that have two repeat it
        given = (getattr(message, name, None) for name in names)
        self.thoughts += next((each for each in given if isinstance(each, str) and each), "")
        self.thoughts += "".join(_texts(content, "thinking"))
        self._refusal += getattr(message, "refusal", None) or ""
        for place, call in enumerate(getattr(message, "tool_calls", None) or ()):
            number = getattr(call, "index", None)
            key = place if number is None else number
            self._tools[key] = self._tools.get(key, "") + _words_of_call(call)

    def written(self) -> WrittenText:
        """The whole of it.

        Raises:
            HalfAnswer: It does not say why it ends, so it is cut off, or it ends with an error.
        """
        if not self._finish:
            raise HalfAnswer("the text is cut off")
        ended_by = _ENDS.get(self._finish.lower(), EndedBy.END)
        if ended_by is EndedBy.ERROR:
            raise ServerError(self._error or f"its answer ended with {self._finish!r}")
        return WrittenText(
            text=self.text,
            ended_by=ended_by,
            stopped_at=self._stopped_at,
            pieces=tuple(self._pieces),
            log_probs=tuple(self._log_probs),
            tokens=self._tokens,
            thoughts=self.thoughts,
            refusal=self._refusal,
            tools="\n".join(self._tools.values()),
            model=self._model,
            prompt_tokens=self._prompt_tokens,
        )


def first_choice(answer: "Completion | ChatCompletion") -> "CompletionChoice | Any":
    """The first choice of an answer.

    Raises:
        HalfAnswer: It has none, as where it is no JSON, or an error is in its place.
    """
    choices: Sequence[Any] | None = getattr(answer, "choices", None)
    if choices and isinstance(choices, list):
        return choices[0]
    check_no_error(answer)
    raise HalfAnswer("the answer has no choices")


def check_no_error(answer: "Completion | ChatCompletion") -> None:
    """Refuse an answer that has an error in place of a choice.

    Raises:
        ServerError: It has.
    """
    error = getattr(answer, "error", None)
    if not getattr(answer, "choices", None) and (said := _message_of(error)):
        code = error.get("code") if isinstance(error, dict) else None
        raise ServerError(said, code if isinstance(code, int) else None)


def _message_of(error: Any) -> str:
    """The sentence of an error in the body of an answer; empty where there is none."""
    found = error.get("message") if isinstance(error, dict) else error
    return found if isinstance(found, str) else ""


def _texts(content: Any, kind: str) -> Iterator[str]:
    """The parts of a message's content that are of this kind; a plain text is a text."""
    if isinstance(content, str):
        yield from [content] if kind == "text" else []
        return
    for part in content if isinstance(content, list) else ():
        row = part if isinstance(part, dict) else getattr(part, "__dict__", {})
        if row.get("type") == kind:
            yield from _texts(row.get(kind), "text")


def _words_of_call(call: Any) -> str:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None), getattr(function, "arguments", None)
    return f"{f'{name} ' if name else ''}{arguments or ''}"


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
    try:
        return [(str(text), log_prob_of(value)) for text, value in pairs]
    except HalfAnswer:
        return []


def log_prob_of(value: Any) -> float:
    """A log-probability as a server gives it, <= 0; what rounding puts above 0 is 0.

    Raises:
        AboveZero: It is more than 1e-3 above 0, which no probability has.
        HalfAnswer: It is no finite number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise HalfAnswer("a log-probability is no finite number")
    if value > ROUNDING:
        raise AboveZero(f"a log-probability is {value:.3g}")
    return min(float(value), 0.0)
