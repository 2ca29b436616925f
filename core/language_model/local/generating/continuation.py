"""One text while it is generated: its tokens, and whether and why it ends."""

from dataclasses import dataclass, field

from ....generation import EndedBy, Generation, GenerationRequest
from ...thoughts import thoughts_in
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
        if self.request.stop and (stop := self._stop()) is not None:
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

    def answer(self) -> str:
        """What it reads so far after its thoughts."""
        text = self.text()
        return text[thoughts_in(text).answer_at :]

    def generation(self) -> Generation:
        """The text as a result.

        Raises:
            ValueError: It has not ended.
        """
        if self.ended_by is None:
            raise ValueError(f"the text has {len(self.tokens)} tokens and has not ended")
        text = self.text()
        thoughts = thoughts_in(text)
        first, ended_by = self._tokens_of(text[: thoughts.answer_at]), self.ended_by
        return Generation(
            text[thoughts.answer_at :],
            tuple(self.tokens[first:]),
            tuple(self.log_probs[first:]),
            ended_by if thoughts.ended else EndedBy.THOUGHTS,
            thoughts.text,
        )

    def _stop(self) -> int | None:
        """Where the earliest stop text of the answer begins; None where its thoughts go on."""
        text = self.text()
        thoughts = thoughts_in(text)
        return _first(text, self.request.stop, thoughts.answer_at) if thoughts.ended else None

    def _cut(self, stop: int) -> None:
        """End before the stop text, with the fewest tokens that have all the text before it."""
        self.ended_by = EndedBy.STOP
        before = self.text()[:stop]
        size = self._tokens_of(before)
        del self.tokens[size:], self.log_probs[size:]
        self._text = before

    def _tokens_of(self, beginning: str) -> int:
        """The fewest tokens that have all of this beginning of the text."""
        size = 0
        while not self.encoder.continued(self.prompt, self.tokens[:size]).startswith(beginning):
            size += 1
        return size


def _first(text: str, stops: tuple[str, ...], start: int) -> int | None:
    """Where the earliest of the stop texts begins, from a place on; None where none appears."""
    found = [at for at in (text.find(stop, start) for stop in stops) if at >= 0]
    return min(found, default=None)
