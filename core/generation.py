"""What a language model is asked to write, what it wrote, and where thoughts end in it."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import NamedTuple

from .errors import InvalidInput
from .settings import SEED
from .text import content_hash

MAX_NEW_TOKENS = 64
"""How many tokens an answer has at most, where nothing else is asked for."""


class EndedBy(StrEnum):
    """Why a generated text ends where it ends."""

    END = "end"
    """The model put out a token that ends a text."""
    STOP = "stop"
    """A stop text appeared; it is not part of the text."""
    LENGTH = "length"
    """It has as many tokens as were allowed."""
    WINDOW = "window"
    """Prompt and text fill the model's window."""
    THOUGHTS = "thoughts"
    """It ended while the model was still thinking: there is no answer."""
    FILTERED = "filtered"
    """A filter of the server's held the answer back."""
    REFUSED = "refused"
    """The model declined to answer."""
    TOOL_CALL = "tool_call"
    """The model called a tool in place of an answer."""
    ERROR = "error"
    """It broke off. No model returns such a text: it is asked for again, and then an error."""

    @property
    def is_cut_off(self) -> bool:
        """Whether more tokens would have followed, had they been allowed or had room."""
        return self in (EndedBy.LENGTH, EndedBy.WINDOW)

    @property
    def is_answer(self) -> bool:
        """Whether what was written is an answer, whole or cut off."""
        return self in (EndedBy.END, EndedBy.STOP, EndedBy.LENGTH, EndedBy.WINDOW)


class Disagreement(StrEnum):
    """In what a server's answer differs from what it was asked for."""

    MODEL = "model"
    """Another model answered."""
    PROMPT = "prompt"
    """The model read far fewer tokens than the prompt has."""


@dataclass(frozen=True, slots=True)
class ServerDoubt:
    """What a server says of an answer that does not go with what it was asked.

    Attributes:
        about: What differs.
        asked: The name of the model that was asked for, or the least tokens that the prompt has.
        answered: The name of the model that answered, or how many tokens it read.
    """

    about: Disagreement
    asked: str
    answered: str


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A prompt that the model is to continue.

    Attributes:
        prompt: As `Template.prompt` makes it.
        n: How many texts, >= 1. The first ones of n are those of fewer with the same seed.
        temperature: What the logits are divided by before a token is drawn. 0 takes the most
            probable token of each step (greedy), 1 draws from the model's own distribution,
            more flattens it.
        top_p: Tokens are drawn from the fewest whose probabilities sum to at least this, in
            (0, 1]; 1 allows every token. Without effect at temperature 0.
        stop: Texts at which the answer ends; the earliest one counts.
        max_new_tokens: The most tokens of a text, >= 1.
        seed: Of what is drawn, >= 0. Without effect at temperature 0.

    Raises:
        InvalidInput: One of them is out of its range.
    """

    prompt: str
    n: int = 1
    temperature: float = 0.0
    _: KW_ONLY
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    max_new_tokens: int = MAX_NEW_TOKENS
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse what no text can be generated with."""
        for name, value, allowed, right in (
            ("n", self.n, "1 or more", self.n >= 1),
            ("temperature", self.temperature, "0 to 100", 0 <= self.temperature <= 100),
            ("top_p", self.top_p, "above 0 and at most 1", 0 < self.top_p <= 1),
            ("stop", self.stop, "texts that are not empty", all(self.stop)),
            ("max_new_tokens", self.max_new_tokens, "1 or more", self.max_new_tokens >= 1),
            ("seed", self.seed, "0 or more", self.seed >= 0),
        ):
            if not right:
                raise InvalidInput(f"To generate, {name} is {value!r}; it must be {allowed}.")

    @property
    def greedy(self) -> bool:
        """Whether nothing is drawn, so that all n texts are the same."""
        return self.temperature == 0

    @property
    def settings(self) -> str:
        """32 hex digits of all that decides a text but the model, the prompt and its number."""
        drawn = () if self.greedy else (self.temperature, self.top_p, self.seed)
        return content_hash(*map(repr, (*drawn, self.max_new_tokens)), *self.stop)


@dataclass(frozen=True, slots=True)
class Generation:
    """One text that a model wrote after a prompt.

    Attributes:
        text: As it continues the prompt: a space before the first word is part of it, a stop text
            and the token that ended it are not.
        tokens: The ids of its tokens; where a stop text begins within a token, that token too.
            Empty where a server wrote it: it gives no ids.
        log_probs: The natural logarithm of the probability that the model gives each token after
            all before it, in nats: its own, whatever the temperature. Empty where the text has no
            tokens, and where a server gives none.
        ended_by: Why it ends there.
        thoughts: What the model wrote before its answer to itself; no part of `text`, and neither
            its tokens nor their log-probabilities are among the text's.
        instead: What was written in place of an answer: a refusal, the call of a tool, or what a
            filter let through. Only where `ended_by` says that there is no answer: `text` is then
            empty.
        doubts: What a server says of the text that does not go with what it was asked.
    """

    text: str
    tokens: tuple[int, ...]
    log_probs: tuple[float, ...]
    _: KW_ONLY
    ended_by: EndedBy
    thoughts: str = ""
    instead: str = ""
    doubts: tuple[ServerDoubt, ...] = ()

    @property
    def log_prob(self) -> float | None:
        """Natural logarithm of the probability of all its tokens, <= 0, in nats.

        None where a server did not give it, and where there is no answer.
        """
        unknown = not self.ended_by.is_answer or (self.text.strip() and not self.log_probs)
        return None if unknown else sum(self.log_probs)

    @property
    def log_prob_per_token(self) -> float | None:
        """The mean over its tokens, <= 0, in nats; None without log-probabilities."""
        return sum(self.log_probs) / len(self.log_probs) if self.log_probs else None

    @property
    def n_tokens(self) -> int | None:
        """How many tokens it has; None where only a server knows it."""
        count = len(self.tokens) or len(self.log_probs)
        return None if self.text.strip() and not count else count


_PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""What models write around their thoughts."""


class Thoughts(NamedTuple):
    """The thoughts before an answer, and where the answer begins in the whole text.

    `ended` is False where the text ends before its thoughts do.
    """

    text: str
    answer_at: int
    ended: bool


NO_THOUGHTS = Thoughts("", 0, ended=True)
"""Those of a text that is an answer from its first letter on."""


def thoughts_in(text: str) -> Thoughts:
    """The thoughts with which a text begins; their marks belong to neither part.

    Thoughts whose beginning is in the prompt, as some chat formats have it, end where their mark
    ends. Of several blocks in a row all are thoughts.
    """
    found: list[str] = []
    at = 0
    while (block := _block(text, at, first=not found)) is not None:
        thought, end = block
        found.append(thought.strip())
        if end is None:
            return Thoughts("\n".join(found), len(text), ended=False)
        at = end
    if not found:
        return NO_THOUGHTS
    blanks = len(text[at:]) - len(text[at:].lstrip())
    return Thoughts("\n".join(found), at + blanks, ended=True)


def _block(text: str, at: int, *, first: bool) -> tuple[str, int | None] | None:
    """The thoughts that begin here and where they end, which is None where they go on."""
    begins = at + len(text[at:]) - len(text[at:].lstrip())
    for opening, closing in _PAIRS:
        if text.startswith(opening, begins):
            inner = begins + len(opening)
            end = text.find(closing, inner)
            return (text[inner:], None) if end < 0 else (text[inner:end], end + len(closing))
    if not first:
        return None
    ends = [
        (end, closing)
        for opening, closing in _PAIRS
        if (end := text.find(closing)) >= 0 and opening not in text[:end]
    ]
    if not ends:
        return None
    end, closing = min(ends)
    return text[:end], end + len(closing)
