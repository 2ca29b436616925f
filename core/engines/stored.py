"""What the store knows of a language model, by which keys, as the model itself offers it."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ..errors import NotComputed
from ..generation import Generation, GenerationRequest
from ..language_model import LanguageModel, OnText, Template
from ..store import Store
from ..text import content_hash
from ..types import AnswerRequest, FloatArray, LogProb
from ..watcher import NOBODY, Watcher

Pair: TypeAlias = tuple[str, str]
"""(hash of the prompt, hash of the answer)."""


TextKey: TypeAlias = tuple[str, str, int]
"""(hash of the prompt, hash of the settings, number of the text)."""


def pairs_of(request: AnswerRequest) -> list[Pair]:
    """The pair of each of the request's answers."""
    prompt = content_hash(request.prompt)
    return [(prompt, content_hash(answer)) for answer in request.answers]


def generation_keys(request: GenerationRequest) -> list[TextKey]:
    """(hash of the prompt, settings, number) of each of its n texts; a greedy one has the same."""
    prompt = content_hash(request.prompt)
    return [
        (prompt, request.settings, 0 if request.greedy else number) for number in range(request.n)
    ]


class StoredEngine:
    """Returns what the store knows of a language model; what it does not know is not computed.

    It is an `Engine` (`evaluation.plan.engine`) for threads that draw a page: `log_probs` and
    `states` raise `NotComputed` where something is missing. The model need not be in memory.
    Without it every prompt is assumed to fit, as one whose answers were scored did; a context that
    was shortened to fit the window was scored with another prompt, so it is not found.
    """

    calls = 0
    examples_at_once = 1000
    """One query to the store for all of them."""

    def __init__(
        self, store: Store, fingerprint: str, template: Template, model: LanguageModel | None = None
    ) -> None:
        self.template = template
        self.fingerprint = fingerprint
        self.name = fingerprint if model is None else model.name
        self.device, self.dtype = ("", "") if model is None else (model.device, model.dtype)
        self.window = 0 if model is None else model.window
        self._store, self._model = store, model

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """See `Engine.log_probs`; raises `NotComputed` where one is not in the store."""
        pairs = [pairs_of(request) for request in requests]
        known = self._store.log_probs.get(self.fingerprint, [pair for row in pairs for pair in row])
        if any(pair not in known for row in pairs for pair in row):
            raise NotComputed(f"not all of {len(requests)} prompts are scored yet")
        return [[known[pair] for pair in row] for row in pairs]

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """See `StatesEngine.states`; raises `NotComputed` where one is not in the store."""
        hashes = [content_hash(text) for text in texts]
        found = self._store.task_states.get(self.fingerprint, content_hash(prefix), hashes)
        if any(key not in found for key in hashes):
            raise NotComputed(f"not all of {len(texts)} texts are read yet")
        if not hashes:
            return np.empty((0, 0), dtype=np.float32)
        return np.stack([found[key] for key in hashes])

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """See `GeneratingEngine.generate`; raises `NotComputed` where one is not in the store."""
        keys = [generation_keys(request) for request in requests]
        known = self._store.generations.get(self.fingerprint, [key for row in keys for key in row])
        if any(key not in known for row in keys for key in row):
            raise NotComputed(f"not all of {len(requests)} prompts are answered yet")
        return [[known[key] for key in row] for row in keys]

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """How many tokens the prompt and the text that follows it have together.

        Raises:
            NotComputed: The model is not in memory.
        """
        if self._model is None:
            raise NotComputed("the language model is not in memory")
        return self._model.count_tokens(prompt, answer)

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether the prompt with the longest of the answers fits the model's window."""
        return self._model is None or self._model.fits(prompt, answers)

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers that have no tokens after the prompt."""
        return () if self._model is None else self._model.without_tokens(prompt, answers)
