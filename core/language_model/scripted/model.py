"""The scripted model: a `LanguageModel` that writes what its script says, and scores nothing."""

import math
import re
from collections.abc import Iterator, Sequence
from zlib import crc32

from ...errors import InvalidInput
from ...generation import EndedBy, Generation, GenerationRequest
from ...settings import SCRIPTED
from ...text import content_hash
from ...types import AnswerRequest, FloatArray, LogProb
from ...watcher import NOBODY, Watcher
from ..base import Abilities, OnText, cannot_score
from ..template import ChatFormat
from .script import sharpened, texts_after

VERSION = "1"
"""Of the script: what it wrote is kept under it, so a change of what it writes is another one."""

_TOKEN = re.compile(r"\s*\S+")


class ScriptedLanguageModel:
    """A teaching example in a language model's place: no network, but rules that read the prompt.

    It answers the bundled two-hop questions from the passages in its prompt, with planted faults
    (`script`); to anything else it answers "unknown". A token is a word. Sample i of a request
    depends on the seed and i alone.
    """

    name = SCRIPTED
    device = "cpu"
    dtype = "float32"
    window = 100_000
    parameters: int | None = None
    chat_format: ChatFormat | None = None
    abilities = Abilities(
        scores=False, states=False, why_not="it follows a script and has no probabilities of others"
    )
    fingerprint = content_hash(SCRIPTED, VERSION)

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """See `LanguageModel.generate`."""
        found = []
        total = sum(request.max_new_tokens for request in requests)
        done = 0
        for request in requests:
            watcher.checkpoint("Generating was stopped.")
            found.append(list(_written(request)))
            done += request.max_new_tokens
            if on_text is not None:
                for number, each in enumerate(found[-1]):
                    on_text(request.prompt, number, each.text)
            watcher.on_progress(done, total)
        return found

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """Always raises `InvalidInput`: it cannot score."""
        raise InvalidInput(cannot_score(self.name, self.abilities))

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """Always raises `InvalidInput`: it has no states."""
        raise InvalidInput(
            f"The model {self.name!r} has no hidden states: it follows a script; choose another."
        )

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """How many words the prompt and the answer have."""
        return len((prompt + answer).split())

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether the prompt with the longest of the answers is within the window."""
        longest = max((self.count_tokens(prompt, answer) for answer in answers), default=0)
        return longest <= self.window

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """The answers that have no word."""
        return tuple(answer for answer in answers if not answer.split())

    def pieces(self, prompt: str, answer: str) -> tuple[str, ...]:
        """The answer's words with the space before each."""
        return tuple(_TOKEN.findall(answer))


def _written(request: GenerationRequest) -> Iterator[Generation]:
    texts = texts_after(request.prompt)
    weights = [weight for _, weight in texts]
    if request.greedy:
        likeliest = texts[weights.index(max(weights))]
        yield from [_generation(request, *likeliest)] * request.n
        return
    shares = sharpened(weights, request.temperature)
    for number in range(request.n):
        drawn = content_hash(request.prompt, str(request.seed), str(number))
        left = int(drawn, 16) / 2**128
        place = 0
        while place < len(shares) - 1 and left >= shares[place]:
            left -= shares[place]
            place += 1
        yield _generation(request, *texts[place])


def _generation(request: GenerationRequest, text: str, weight: float) -> Generation:
    """The text up to where the request stops it; its tokens share its log-probability."""
    places = [at for at in map(text.find, request.stop) if at >= 0]
    ended = EndedBy.STOP if places else EndedBy.END
    pieces = _TOKEN.findall(text[: min(places)] if places else text)
    each = math.log(weight) / max(1, len(pieces))
    if len(pieces) > request.max_new_tokens:
        pieces, ended = pieces[: request.max_new_tokens], EndedBy.LENGTH
    ids = tuple(crc32(piece.encode()) for piece in pieces)
    return Generation("".join(pieces), ids, (each,) * len(pieces), ended_by=ended)
