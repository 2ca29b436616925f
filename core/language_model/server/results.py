"""What a server wrote as results: log-probabilities of an answer, or a generation and its end.

Log-probabilities of an answer from a server that gives those of its prompt.

The server gets prompt and answer as one text, and writes one token, which is left out. (Not none:
vLLM refused that for long, and to Ollama 0 means without end.) Its tokens W of that text are
those that it reads; the answer's are W[n:]. Where the texts of the tokens put together are the
text, n is found by them: the first token that begins where the answer begins, whatever opens the
text before. Where a token is both the end of the prompt and the beginning of the answer, or where
the texts do not tell (a token that is part of a character has none, or another one), the prompt is
asked for alone, and n is how many tokens it has. That is the rule of the local model and of
lm-evaluation-harness; with one difference that only a client with the tokenizer can avoid: they
read the prompt's own tokens before W[n:], a server reads W[:n]. These are the same unless a token
lies across the boundary, which none does where a template puts white space between the two.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...generation import (
    Disagreement,
    EndedBy,
    Generation,
    GenerationRequest,
    ServerDoubt,
    thoughts_in,
)
from ...types import LogProb
from .asking import message_of
from .failures import HalfAnswer
from .written import WrittenText, first_choice, log_prob_of

if TYPE_CHECKING:
    from openai.types import Completion


_LETTERS_PER_TOKEN = 8
_TOKENS_PER_WORD = 0.75
"""Hardly any text has more letters a token, or fewer tokens a word, with any tokenizer."""
_VERSION = re.compile(r"([-:@_](\d|v\d|latest)[\w.:-]*|@\S+)?")


def generation_of(request: GenerationRequest, written: WrittenText, model: str) -> Generation:
    """The generation.

    Args:
        request: What was asked for.
        written: What came.
        model: The name of the model that was asked.
    """
    doubts = tuple(_doubts(request, written, model))
    before, thought = written.thoughts.strip(), thoughts_in(written.text)
    thoughts = "\n".join(filter(None, (before, thought.text)))
    answer, stopped = cut(written.text[thought.answer_at :], request.stop)
    ended_by = _ended_by(request, written, answer, stopped=stopped, thinking=not thought.ended)
    if not ended_by.is_answer:
        instead = "\n".join(filter(None, map(str.strip, (written.refusal, written.tools, answer))))
        return Generation(
            "", (), (), ended_by=ended_by, thoughts=thoughts, instead=instead, doubts=doubts
        )
    log_probs = _log_probs_of(written, answer, thoughts=bool(thoughts), stopped=stopped)
    return Generation(answer, (), log_probs, ended_by=ended_by, thoughts=thoughts, doubts=doubts)


def cut(text: str, stop: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop text, and whether there is one.

    A character whose last tokens are not written is left out, as the local model leaves it out.
    """
    text = text.rstrip("\ufffd")
    places = [place for place in map(text.find, stop) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)


def is_same_model(asked: str, answered: str) -> bool:
    """Whether two names may be those of one model: a path, a version or a file's ending apart.

    A server that does not say its model's name is not doubted.
    """
    if not asked or not answered:
        return True
    short, long = sorted(map(_plain_name, (asked, answered)), key=len)
    return long.startswith(short) and _VERSION.fullmatch(long, len(short)) is not None


def least_tokens(text: str) -> int:
    """How many tokens a text has at least, about, with any tokenizer."""
    return int(max(len(text) / _LETTERS_PER_TOKEN, len(text.split()) * _TOKENS_PER_WORD))


def _ended_by(
    request: GenerationRequest, written: WrittenText, answer: str, *, stopped: bool, thinking: bool
) -> EndedBy:
    ended_by = written.ended_by
    if written.refusal.strip():
        return EndedBy.REFUSED
    if written.tools and not answer.strip():
        return EndedBy.TOOL_CALL
    if not ended_by.is_answer:
        return ended_by
    only_thoughts = bool(written.thoughts.strip()) and not answer.strip()
    if thinking or (only_thoughts and not stopped):
        return EndedBy.THOUGHTS
    if stopped:
        return EndedBy.STOP
    if ended_by is EndedBy.LENGTH:
        short = (written.tokens or request.max_new_tokens) < request.max_new_tokens
        return EndedBy.WINDOW if short else EndedBy.LENGTH
    if ended_by is EndedBy.END and written.stopped_at is not None:
        return EndedBy.STOP
    return ended_by


def _log_probs_of(
    written: WrittenText, answer: str, *, thoughts: bool, stopped: bool
) -> tuple[float, ...]:
    """The log-probabilities of the answer's tokens; none where they are not told apart."""
    pieces, log_probs = written.pieces, written.log_probs
    if thoughts:
        rest = written.text[thoughts_in(written.text).answer_at :]
        all_of_it = "".join(pieces)
        if not all_of_it.endswith(rest):
            return ()
        first = _tokens_up_to(len(all_of_it) - len(rest), pieces)
        pieces, log_probs = pieces[first:], log_probs[first:]
    return log_probs[: _tokens_up_to(len(answer), pieces)] if stopped else log_probs


def _tokens_up_to(length: int, pieces: Sequence[str]) -> int:
    """How many tokens begin before so many letters."""
    begun, at = 0, 0
    for piece in pieces:
        if at >= length:
            break
        begun, at = begun + 1, at + len(piece)
    return begun


def _doubts(request: GenerationRequest, written: WrittenText, model: str) -> Iterator[ServerDoubt]:
    if not is_same_model(model, written.model):
        yield ServerDoubt(Disagreement.MODEL, model, written.model)
    least, read = least_tokens(message_of(request.prompt)), written.prompt_tokens
    if read is not None and read < least:
        yield ServerDoubt(Disagreement.PROMPT, str(least), str(read))


def _plain_name(name: str) -> str:
    """The last part of a path, in small letters, without what names a file or the usual version."""
    last = name.lower().rstrip("/").rpartition("/")[2]
    return last.removesuffix(".gguf").removesuffix(":latest")


class EchoWay(StrEnum):
    """How a server gives the log-probabilities of a prompt."""

    ECHO = "echo"
    """The protocol's: `echo` with `logprobs`."""
    PROMPT_LOG_PROBS = "prompt_logprobs"
    """vLLM's own field."""

    def to_json(self, model: str, text: str) -> dict[str, Any]:
        """The body of the request that asks for those of a text."""
        body: dict[str, Any] = {"model": model, "prompt": text, "max_tokens": 1, "temperature": 0.0}
        if self is EchoWay.PROMPT_LOG_PROBS:
            return body | {"prompt_logprobs": 0}
        return body | {"echo": True, "logprobs": 1}


@dataclass(frozen=True, slots=True)
class TokenLogProbs:
    """A text's tokens as a server reads them.

    Attributes:
        pieces: The text of each token.
        log_probs: Its log-probability after those before it, <= 0, in nats; None for the first.
    """

    pieces: tuple[str, ...]
    log_probs: tuple[float | None, ...]


def read_echo(way: EchoWay, answer: "Completion") -> TokenLogProbs:
    """The tokens of the text that was asked for, without what was written after it.

    Raises:
        AboveZero: One of them is above 0.
        HalfAnswer: The answer does not have them.
    """
    choice = first_choice(answer)
    # Only the count says which of the tokens were written: one that ends the text may be missing.
    counted = getattr(getattr(answer, "usage", None), "prompt_tokens", None)
    if way is EchoWay.PROMPT_LOG_PROBS:
        pieces, values = _vllms(getattr(choice, "prompt_logprobs", None))
    else:
        given = getattr(choice, "logprobs", None)
        pieces = list(getattr(given, "tokens", None) or ())[:counted]
        values = list(getattr(given, "token_logprobs", None) or ())[:counted]
    if not pieces or not len(pieces) == len(values) == counted:
        raise HalfAnswer("the answer does not have the log-probabilities of the prompt's tokens")
    return TokenLogProbs(
        tuple(map(str, pieces)),
        tuple(None if value is None else log_prob_of(value) for value in values),
    )


def _vllms(given: Any) -> tuple[list[str], list[Any]]:
    """Of each place the first entry, which is the prompt's own token; the first place has none."""
    pieces: list[str] = []
    values: list[Any] = []
    for place in given if isinstance(given, list) else ():
        own = next(iter(place.values()), None) if isinstance(place, dict) else None
        pieces.append(str(own.get("decoded_token") or "") if isinstance(own, dict) else "")
        values.append(own.get("logprob") if isinstance(own, dict) else None)
    return pieces, values


def first_of_answer(echoed: TokenLogProbs, prompt: str, answer: str) -> int | None:
    """The place of the answer's first token; None where the tokens' texts do not tell it."""
    ends = list(accumulate(map(len, echoed.pieces)))
    opening = ends[-1] - len(prompt) - len(answer)
    if opening < 0 or not "".join(echoed.pieces).endswith(prompt + answer):
        return None
    starts, boundary = [0, *ends], opening + len(prompt)
    if "" in echoed.pieces[1:] or boundary not in starts:
        return None
    # A token without text at the very beginning opens the text, as one for its beginning does.
    return max(place for place, start in enumerate(starts) if start == boundary)


def answer_of(echoed: TokenLogProbs, first: int, answer: str, model: str) -> LogProb:
    """The answer's log-probabilities, which begin with the token at this place.

    Raises:
        InvalidInput: It has no tokens, or the server gives none for its first.
    """
    values = echoed.log_probs[first:]
    if not values:
        raise InvalidInput(
            f"The answer {answer!r} has no tokens after the prompt, so it has no probability."
        )
    known = tuple(value for value in values if value is not None)
    if len(known) < len(values):
        raise InvalidInput(
            f"The model {model!r} gives no log-probability of the first token of a text, and the "
            f"answer {answer[:40]!r} begins with it: give it a prompt that is not empty."
        )
    return LogProb(sum(known), len(known), known)
