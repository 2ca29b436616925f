"""The engine of this process: a loaded language model behind the store, used in portions."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..generation import Generation, GenerationRequest
from ..language_model import AnswersOneByOne, LanguageModel, OnText, Template
from ..store import Store
from ..text import content_hash
from ..types import AnswerRequest, FloatArray, LogProb
from ..watcher import NOBODY, Watcher
from .stored import Pair, TextKey, generation_keys, pairs_of

SECONDS = 1.0
"""What a portion should take: a person who asks for something waits about that long."""
FIRST = 8
"""The size of the first portion, before anything is known of the model's pace."""


class Portion:
    """The size of the next portion, by how long the one before it took.

    Args:
        most: The largest size, >= 1: what is lost at most if the process is killed.
        least: The smallest size, >= 1, but never more than the largest.
        clock: Seconds since any moment.
    """

    def __init__(
        self, most: int, least: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size = min(max(FIRST, least), most)
        self._most, self._least = most, least
        self._clock = clock
        self._began = 0.0

    def begin(self) -> None:
        """The model begins with a portion."""
        self._began = self._clock()

    def end(self, done: int) -> None:
        """The model has done so much; where that is nothing, the size stays."""
        if done:
            seconds = self._clock() - self._began
            fitting = self._most if seconds <= 0 else int(done * SECONDS / seconds)
            self.size = min(self._most, max(self._least, fitting))


CHUNK_PAIRS = 64
"""Pairs of prompt and answer scored between two commits: what a killed process loses at most.
Fewer where the model takes long for them (`Portion`)."""

CHUNK_STATES = 64
"""Texts read between two commits, likewise."""

CHUNK_TEXTS = 16
"""Requests of which texts are generated between two commits, likewise."""


class LocalEngine:
    """Scores and generates with a model, except what the store has.

    It is an `Engine` (`evaluation.plan.engine`). `calls` counts the pairs that it had to give to
    the model since it was made. Of a model that hands out its results one by one, as one behind a
    server does, it keeps those that were there when another failed or somebody cancelled.
    """

    examples_at_once = 1
    """One model on one thread gains nothing from more, and every result is shown at once."""

    def __init__(
        self,
        store: Store,
        model: LanguageModel,
        template: Template,
        *,
        chunk_pairs: int = CHUNK_PAIRS,
    ) -> None:
        self.template = template
        self.calls = 0
        self.name, self.fingerprint = model.name, model.fingerprint
        self.device, self.dtype = model.device, model.dtype
        self.abilities = model.abilities
        self.window, self.count_tokens = model.window, model.count_tokens
        self.fits, self.without_tokens = model.fits, model.without_tokens
        self._model = model
        self._store = store
        # Less than a server takes at once would leave it waiting, and seem slower still.
        least = 2 * model.at_once if isinstance(model, AnswersOneByOne) else 1
        self._pairs, self._texts = Portion(chunk_pairs, least), Portion(CHUNK_STATES)

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """See `Engine.log_probs`: what is missing is scored and committed chunk by chunk.

        Progress counts the missing pairs; a stop keeps the chunks before.
        """
        pairs = [pairs_of(request) for request in requests]
        known = self._known([pair for row in pairs for pair in row])
        missing = _missing(requests, known)
        total, done = sum(len(request.answers) for request in missing), 0
        while missing:
            chunk, missing = _split(missing, self._pairs.size)
            watcher.checkpoint("Scoring was stopped; what was scored is kept.")
            if done:
                # Other work may have run since the last chunk, and scored the same pairs.
                known.update(self._known([pair for request in chunk for pair in pairs_of(request)]))
            known.update(self._score(_missing(chunk, known), watcher.quietly()))
            done += sum(len(request.answers) for request in chunk)
            watcher.on_progress(done, total)
        return [[known[pair] for pair in row] for row in pairs]

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """See `StatesEngine.states`: what is missing is computed and committed chunk by chunk."""
        of_prefix = content_hash(prefix)
        hashes = [content_hash(text) for text in texts]
        text_of = dict(zip(hashes, texts, strict=True))
        found = self._store.task_states.get(self.fingerprint, of_prefix, list(text_of))
        missing = [key for key in text_of if key not in found]
        done = 0
        while done < len(missing):
            watcher.checkpoint("The reading of texts was stopped; what was read is kept.")
            chunk = missing[done : done + self._texts.size]
            new = [text_of[key] for key in chunk]
            self._texts.begin()
            rows = self._model.states(prefix, new, watcher=watcher.quietly())
            self._texts.end(len(rows))
            self._store.task_states.put(self.fingerprint, of_prefix, chunk, rows)
            found |= dict(zip(chunk, rows, strict=True))
            done += len(chunk)
            watcher.on_progress(done, len(missing))
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
        """See `GeneratingEngine.generate`: what is missing is generated chunk by chunk, and kept.

        Progress counts its tokens, as many as there can be; a stop keeps the chunks before.
        """
        keys = [generation_keys(request) for request in requests]
        known = self._store.generations.get(self.fingerprint, [key for row in keys for key in row])
        missing = list(
            dict.fromkeys(
                request
                for request, row in zip(requests, keys, strict=True)
                if any(key not in known for key in row)
            )
        )
        for start in range(0, len(missing), CHUNK_TEXTS):
            chunk = missing[start : start + CHUNK_TEXTS]
            known |= self._write(chunk, on_text, _counted(watcher, missing, start))
        return [[known[key] for key in row] for row in keys]

    def _write(
        self, requests: Sequence[GenerationRequest], on_text: OnText | None, watcher: Watcher
    ) -> dict[TextKey, Generation]:
        keys = [generation_keys(request) for request in requests]
        new: dict[TextKey, Generation] = {}
        if isinstance(self._model, AnswersOneByOne):
            arriving = self._model.written(requests, on_text=on_text, watcher=watcher)
            try:
                for place, number, text in arriving:
                    new[keys[place][number]] = text
            finally:
                self._store.generations.put(self.fingerprint, new)
            return new
        written = self._model.generate(requests, on_text=on_text, watcher=watcher)
        for row, texts in zip(keys, written, strict=True):
            new |= zip(row, texts, strict=True)
        self._store.generations.put(self.fingerprint, new)
        return new

    def _known(self, pairs: Sequence[Pair]) -> dict[Pair, LogProb]:
        return self._store.log_probs.get(self.fingerprint, pairs)

    def _score(self, requests: Sequence[AnswerRequest], watcher: Watcher) -> dict[Pair, LogProb]:
        if not requests:
            return {}
        self._pairs.begin()
        pairs = [pairs_of(request) for request in requests]
        scored: dict[Pair, LogProb] = {}
        if isinstance(self._model, AnswersOneByOne):
            try:
                for place, number, log_prob in self._model.scored(requests, watcher=watcher):
                    scored[pairs[place][number]] = log_prob
            finally:
                self._keep(scored)
            return scored
        answered = self._model.log_probs(requests, watcher=watcher)
        for row, log_probs in zip(pairs, answered, strict=True):
            scored |= zip(row, log_probs, strict=True)
        self._keep(scored)
        return scored

    def _keep(self, scored: dict[Pair, LogProb]) -> None:
        self._pairs.end(len(scored))
        self._store.log_probs.put(self.fingerprint, scored)
        self.calls += len(scored)


def _counted(watcher: Watcher, requests: Sequence[GenerationRequest], start: int) -> Watcher:
    """Reports the tokens of the requests from `start` on as part of those of all."""

    def most(some: Sequence[GenerationRequest]) -> int:
        return sum(each.max_new_tokens * (1 if each.greedy else each.n) for each in some)

    before, total = most(requests[:start]), most(requests)
    return replace(watcher, on_progress=lambda done, _: watcher.on_progress(before + done, total))


def _missing(requests: Sequence[AnswerRequest], known: dict[Pair, LogProb]) -> list[AnswerRequest]:
    """One request a distinct prompt, with its distinct answers that are not known."""
    answers: dict[str, dict[str, None]] = {}
    for request in requests:
        for answer, pair in zip(request.answers, pairs_of(request), strict=True):
            if pair not in known:
                answers.setdefault(request.prompt, {})[answer] = None
    return [AnswerRequest(prompt, tuple(texts)) for prompt, texts in answers.items()]


def _split(
    requests: Sequence[AnswerRequest], most_pairs: int
) -> tuple[list[AnswerRequest], list[AnswerRequest]]:
    """The first requests, with at most `most_pairs` answers unless one alone has more; the rest."""
    size = 0
    for number, request in enumerate(requests):
        size += len(request.answers)
        if number and size > most_pairs:
            return list(requests[:number]), list(requests[number:])
    return list(requests), []
