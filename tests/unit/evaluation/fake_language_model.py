"""Language models that are no networks: quick, deterministic, and they count their work."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from core.errors import InvalidInput
from core.generation import EndedBy, Generation
from core.language_model import Abilities, AnswerRequest
from core.types import LogProb
from core.watcher import NOBODY

WIDTH = 4
"""Of a fake state."""


class FakeLanguageModel:
    """A `LanguageModel` with words for tokens; `asked` lists every pair it was given, in order.

    Each token's log-probability, between -4 and 0 nats, is a hash of all text up to it. Of
    `unknown` words the tokenizer makes nothing, as some do of signs.
    A text's state is `WIDTH` numbers from 0 to 1, hashed likewise from the prefix and the text.
    What it generates is the answer of the last demonstration, or "nothing", and for the texts after
    the first the text's number; `generated` lists every prompt, number and settings.
    `before_call` is called with every request list before it is answered.
    """

    name = "fake"
    device = "cpu"
    dtype = "float32"
    parameters = 0
    chat_format = None
    abilities = Abilities()

    def __init__(
        self,
        *,
        window: int = 10_000,
        fingerprint: str = "fake model",
        before_call: Callable[[Sequence[AnswerRequest]], None] | None = None,
        unknown: tuple[str, ...] = (),
    ) -> None:
        self.unknown = unknown
        self.window = window
        self.fingerprint = fingerprint
        self.before_call = before_call
        self.asked: list[tuple[str, str]] = []
        self.generated: list[tuple[str, int]] = []

    def log_probs(self, requests, *, watcher=NOBODY):
        for request in requests:
            for answer in self.without_tokens(request.prompt, request.answers):
                raise InvalidInput(f"The answer {answer!r} has no tokens.")
        self.asked += [(r.prompt, answer) for r in requests for answer in r.answers]
        if self.before_call is not None:
            self.before_call(requests)
        watcher.checkpoint("stopped")
        return [[self.log_prob(r.prompt, answer) for answer in r.answers] for r in requests]

    def states(self, prefix, texts, *, watcher=NOBODY):
        for text in texts:
            if not self._words(text):
                raise InvalidInput(f"The text {text!r} has no tokens.")
            if not self.fits(prefix, [text]):
                raise InvalidInput(f"The text {text!r} does not fit.")
        watcher.checkpoint("stopped")
        rows = [[_share(prefix, text, str(i)) for i in range(WIDTH)] for text in texts]
        if rows:
            watcher.on_progress(len(set(texts)), len(set(texts)))
        return np.array(rows, np.float32).reshape(len(texts), WIDTH)

    def generate(self, requests, *, on_text=None, watcher=NOBODY):
        found = []
        for done, request in enumerate(requests, start=1):
            watcher.checkpoint("stopped")
            texts = []
            for number in range(1 if request.greedy else request.n):
                self.generated.append((request.prompt, number))
                text = f" {self.answer_to(request.prompt)}{f' {number}' if number else ''}"
                scored = self.log_prob(request.prompt, text)
                ids = tuple(range(number, number + scored.n_tokens))
                texts.append(Generation(text, ids, scored.tokens, ended_by=EndedBy.STOP))
                if on_text is not None:
                    on_text(request.prompt, number, text)
            found.append(texts * request.n if request.greedy else texts)
            most = [each.max_new_tokens for each in requests]
            watcher.on_progress(sum(most[:done]), sum(most))
        return found

    def answer_to(self, prompt: str) -> str:
        """The text that it generates first."""
        _, *answered = prompt.split("\nA: ")
        return answered[-1].split("\n")[0] if answered else "nothing"

    def log_prob(self, prompt: str, answer: str) -> LogProb:
        words = self._words(answer)
        tokens = tuple(-4.0 * _share(prompt, *words[: place + 1]) for place in range(len(words)))
        return LogProb(sum(tokens), len(tokens), tokens)

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        return len(prompt.split()) + len(answer.split())

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        return max(self.count_tokens(prompt, answer) for answer in answers) <= self.window

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        return tuple(answer for answer in answers if not self._words(answer))

    def _words(self, text: str) -> list[str]:
        return [word for word in text.split() if word not in self.unknown]


class ScriptedLanguageModel(FakeLanguageModel):
    """A model on which the metrics can be worked out by hand.

    An answer's log-probability is `alone[answer]` plus `gain[answer]` for every demonstration in
    the prompt; answers are keyed without the leading space.
    """

    def __init__(self, alone: dict[str, float], gain: dict[str, float], **options) -> None:
        super().__init__(**options)
        self._alone = alone
        self._gain = gain

    def log_prob(self, prompt: str, answer: str) -> LogProb:
        text = answer.strip()
        demonstrations = prompt.count("\nA: ")
        total = self._alone[text] + self._gain[text] * demonstrations
        n_tokens = len(text.split())
        return LogProb(total, n_tokens, (total / n_tokens,) * n_tokens)


def _share(*parts: str) -> float:
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return int.from_bytes(digest[:6], "little") / 2**48
