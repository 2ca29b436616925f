"""Texts while they are generated: the tokens of each, its end, and which are written together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from os.path import commonprefix

import numpy as np

from ...generation import EndedBy, Generation, GenerationRequest, thoughts_in
from ...types import FloatArray
from .probing import Limits
from .rows import Budget, PairEncoder, Tokens


class Sampler:
    """Draws the tokens of one text, one number of its own random sequence a token.

    What is drawn depends on the seed, the text's number and the logits alone: not on how many
    texts there are, nor on which others are generated at the same time.

    Args:
        request: With a temperature above 0.
        number: Which of the request's n texts it is, from 0.
    """

    def __init__(self, request: GenerationRequest, number: int) -> None:
        self._temperature = request.temperature
        self._top_p = request.top_p
        self._random = np.random.default_rng([request.seed, number])

    def draw(self, logits: FloatArray) -> int:
        """The next token's id.

        Args:
            logits: Shape (vocabulary,), finite.
        """
        scaled = logits.astype(np.float64) / self._temperature
        weights = np.exp(scaled - scaled.max())
        order = np.argsort(-weights, kind="stable")
        sums = np.cumsum(weights[order])
        if self._top_p < 1:
            sums = sums[: int(np.searchsorted(sums, self._top_p * sums[-1])) + 1]
        at = np.searchsorted(sums, self._random.random() * sums[-1], side="right")
        return int(order[min(int(at), len(sums) - 1)])


@dataclass(eq=False, kw_only=True)
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
            ended_by=ended_by if thoughts.ended else EndedBy.THOUGHTS,
            thoughts=thoughts.text,
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


_SHARED = 16
"""Fewer tokens in common are read for each prompt: a pass of their own costs more."""


@dataclass(frozen=True)
class GenerationTask:
    """One text to write.

    Attributes:
        prompt: The prompt's token ids.
        request: Of one text: with n 1.
        number: Which of the texts it is, from 0.
        most: The most tokens it can have.
    """

    prompt: Tokens
    request: GenerationRequest
    number: int
    most: int


@dataclass(frozen=True)
class Batch:
    """Texts that are written side by side.

    Attributes:
        tasks: The texts, the longest prompt first.
        shared: With how many tokens all their prompts begin in common.
        beyond: Whether one of them is longer than a sliding window.
        cached: Whether a step reads its tokens on the keys and values of all before them.
    """

    tasks: tuple[GenerationTask, ...]
    shared: int
    beyond: bool
    cached: bool = True

    @property
    def prompts(self) -> list[Tokens]:
        """The token ids of their prompts."""
        return [task.prompt for task in self.tasks]

    @property
    def kind(self) -> tuple[int, bool]:
        """What it asks of an architecture: a cache, one of several rows, one of unequal ones."""
        lengths = {len(prompt) for prompt in self.prompts}
        return 2 if len(lengths) > 1 else 1 if len(self.tasks) > 1 else 0, self.beyond


def batches(tasks: Sequence[GenerationTask], budget: Budget, limits: Limits) -> Iterator[Batch]:
    """Batches within the budget: prompts that begin alike together, then by length."""

    def reach(task: GenerationTask) -> tuple[bool, bool]:
        length = len(task.prompt) + task.most
        return length > limits.padded, length > limits.packed

    for (depends_on_others, beyond), group in groupby(sorted(tasks, key=reach), key=reach):
        for family in _families(list(group)):
            # Beyond a sliding window the gap before the rests of prompts would count.
            equal = len({len(task.prompt) for task in family}) == 1
            apart = depends_on_others or (beyond and not equal)
            yield from _divided(family, budget, beyond=beyond, equal_only=apart)


def _divided(
    family: Sequence[GenerationTask], budget: Budget, *, beyond: bool, equal_only: bool
) -> Iterator[Batch]:
    """The tasks in batches within the budget, longest prompts first."""
    waiting = sorted(family, key=lambda task: len(task.prompt), reverse=True)
    while waiting:
        longest = len(waiting[0].prompt)
        least = longest if equal_only else longest // 2  # the rest would mostly be padding
        size, most = 1, waiting[0].most
        for task in waiting[1:]:
            most = max(most, task.most)
            if (size + 1) * (longest + most) > budget.cached or len(task.prompt) < least:
                break
            size += 1
        tasks = tuple(waiting[:size])
        yield Batch(tasks, shared_of(tasks), beyond)
        waiting = waiting[size:]


def _families(tasks: Sequence[GenerationTask]) -> list[list[GenerationTask]]:
    """Those whose prompts begin with enough in common; those without a like are one family."""
    families: list[list[GenerationTask]] = []
    for task in sorted(tasks, key=lambda task: task.prompt):
        if families:
            last = families[-1]
            common, now = shared_of(last), shared_of((last[0], task))
            if now >= _SHARED and len(last) * now >= (len(last) - 1) * common:
                last.append(task)
                continue
        families.append([task])
    alone = [family[0] for family in families if len(family) == 1]
    return [*(family for family in families if len(family) > 1), *([alone] if alone else [])]


def shared_of(tasks: Sequence[GenerationTask]) -> int:
    """How many tokens all prompts begin with, at least one less than each has; 0 if too few."""
    if len(tasks) < 2:
        return 0
    common = len(commonprefix([task.prompt for task in tasks]))
    common = min(common, *(len(task.prompt) - 1 for task in tasks))
    return common if common >= _SHARED else 0
