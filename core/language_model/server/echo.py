"""Log-probabilities of an answer from a server that gives those of its prompt.

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

from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...types import LogProb
from .failures import HalfAnswer
from .written import first_choice, log_prob_of

if TYPE_CHECKING:
    from openai.types import Completion


class Way(StrEnum):
    """How a server gives the log-probabilities of a prompt."""

    ECHO = "echo"
    """The protocol's: `echo` with `logprobs`."""
    PROMPT_LOG_PROBS = "prompt_logprobs"
    """vLLM's own field."""

    def to_json(self, model: str, text: str) -> dict[str, Any]:
        """The body of the request that asks for those of a text."""
        body: dict[str, Any] = {"model": model, "prompt": text, "max_tokens": 1, "temperature": 0.0}
        if self is Way.PROMPT_LOG_PROBS:
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


def read_echo(way: Way, answer: "Completion") -> TokenLogProbs:
    """The tokens of the text that was asked for, without what was written after it.

    Raises:
        AboveZero: One of them is above 0.
        HalfAnswer: The answer does not have them.
    """
    choice = first_choice(answer)
    # Only the count says which of the tokens were written: one that ends the text may be missing.
    counted = getattr(getattr(answer, "usage", None), "prompt_tokens", None)
    if way is Way.PROMPT_LOG_PROBS:
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
