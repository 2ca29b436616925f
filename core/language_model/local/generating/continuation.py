"""One text while it is generated: its tokens, and whether and why it ends."""

from dataclasses import dataclass, field

from ....generation import EndedBy, Generation, GenerationRequest
from ..tokenisation import PairEncoder, Tokens
from .sampling import Sampler


@dataclass(eq=False)
class Continuation:
    """A prompt's tokens and what the model has written after them.

    Attributes:
        prompt: The prompt's token ids.
        request: What was asked for.
        number: Which of the request's n texts it is, from 0.
        encoder: The model's tokenizer.
    """

    prompt: Tokens
    request: GenerationRequest
    number: int
    encoder: PairEncoder
    tokens: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    ended_by: EndedBy | None = None
    sampler: Sampler | None = field(init=False)
    _text: str | None = None

    def __post_init__(self) -> None:
        """Begin its random sequence; none where nothing is drawn."""
        self.sampler = None if self.request.greedy else Sampler(self.request, self.number)

    def most(self, window: int) -> int:
        """The most tokens it can have, by its request and by the model's window."""
        return min(self.request.max_new_tokens, window - len(self.prompt))

    def add(self, token: int, log_prob: float, ends: frozenset[int], window: int) -> None:
        """Take the next token, and end where it ends the text.

        Args:
            token: Its id.
            log_prob: Its log-probability, in nats.
            ends: The ids of the tokens that end a text.
            window: The most tokens of prompt and text together.
        """
        if token in ends:
            self.ended_by = EndedBy.END
            return
        self.tokens.append(token)
        self.log_probs.append(log_prob)
        if self.request.stop and (stop := _first(self.text(), self.request.stop)) is not None:
            self._cut(stop)
        elif len(self.tokens) == self.request.max_new_tokens:
            self.ended_by = EndedBy.LENGTH
        elif len(self.prompt) + len(self.tokens) == window:
            self.ended_by = EndedBy.WINDOW

    def text(self) -> str:
        """What it reads so far."""
        if self._text is not None:
            return self._text
        return self.encoder.continued(self.prompt, self.tokens)

    def generation(self) -> Generation:
        """The text as a result.

        Raises:
            ValueError: It has not ended.
        """
        if self.ended_by is None:
            raise ValueError(f"the text has {len(self.tokens)} tokens and has not ended")
        return Generation(self.text(), tuple(self.tokens), tuple(self.log_probs), self.ended_by)

    def _cut(self, stop: int) -> None:
        """End before the stop text, with the fewest tokens that have all the text before it."""
        self.ended_by = EndedBy.STOP
        before = self.text()[:stop]
        size = 0
        while not self.encoder.continued(self.prompt, self.tokens[:size]).startswith(before):
            size += 1
        del self.tokens[size:], self.log_probs[size:]
        self._text = before


def _first(text: str, stops: tuple[str, ...]) -> int | None:
    """Where the earliest of the stop texts begins; None where none appears."""
    found = [at for at in map(text.find, stops) if at >= 0]
    return min(found, default=None)
