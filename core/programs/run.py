"""What a program works with: a model, a retriever, a seed, and the record of what it did.

All of it is an argument: there are no settings elsewhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from typing import Protocol, TypeAlias

import numpy as np

from ..errors import InvalidInput
from ..generation import MAX_NEW_TOKENS, Generation, GenerationRequest
from ..settings import SEED
from ..watcher import NOBODY, Watcher
from .example import Example, Passage, ScoredPassage
from .steps import Trace

TEMPERATURE = 0.7
"""Of several samples, where no other is asked for: DSP, section 3.4."""


class Generates(Protocol):
    """A language model that continues prompts: any `LanguageModel`, or a `LocalEngine`.

    Sample i of a request depends on the seed and i alone, so that fewer samples are the first ones
    of more.
    """

    @property
    def window(self) -> int:
        """The most tokens that prompt and text may have together."""

    def count_tokens(self, prompt: str) -> int:
        """How many tokens the prompt has."""

    def generate(
        self, requests: Sequence[GenerationRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[Generation]]:
        """The n texts of every request, in the order of the requests; see `LanguageModel`."""


class Retrieves(Protocol):
    """What finds passages for a query, and scores given ones."""

    def search(self, query: str, k: int) -> Sequence[ScoredPassage]:
        """At most k passages, each once, the best first."""

    def scores(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """The score of each passage for the query, in their order."""


class Reason(StrEnum):
    """Why an attempt made no demonstration."""

    SEARCH_FAILED = "search failed"
    """No passage contains an answer."""
    ANSWER_WRONG = "answer wrong"
    """The prediction is no accepted answer."""
    NO_ANSWER = "no answer"
    """There is no prediction: the model declined, only thought, or wrote nothing."""
    ERROR = "error"
    """The attempt raised an exception."""
    REJECTED = "rejected"
    """The program gave no reason."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """What a transformation gives instead of an example, with the example as far as it came."""

    reason: Reason = Reason.REJECTED
    example: Example | None = None


Outcome: TypeAlias = Example | Rejection | None
Transformation: TypeAlias = Callable[[Example], Outcome]
"""Fills in fields of an example; None and `Rejection` say that it did not work out."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the primitives of one run share.

    Attributes:
        model: Writes.
        retriever: Finds passages; None for programs that search for none.
        seed: Of everything that is drawn, >= 0.
        temperature: Of everything that is written, where it is not None; `branch` sets it.
        seed_of_texts: Of what is written, where it is not None: it sets apart the branches of one
            run, which sample the same training examples.
        max_new_tokens: The most tokens of a text, >= 1; a prompt leaves room for them.
        trace: Records the steps.
        watcher: Asked before every step; it is told nothing.
        sampling: The temperature of several texts, where no other is asked for: 0 makes all of them
            the most probable one.
    """

    model: Generates
    retriever: Retrieves | None = None
    seed: int = SEED
    _: KW_ONLY
    temperature: float | None = None
    seed_of_texts: int | None = None
    max_new_tokens: int = MAX_NEW_TOKENS
    trace: Trace = field(default_factory=Trace)
    watcher: Watcher = NOBODY
    sampling: float = TEMPERATURE

    @property
    def writing_seed(self) -> int:
        """The seed of what is written."""
        return self.seed if self.seed_of_texts is None else self.seed_of_texts

    def go_on(self) -> None:
        """Raise `Cancelled` where the run was stopped."""
        self.watcher.checkpoint("The program was stopped; its steps so far are in the trace.")

    def retrieving(self) -> Retrieves:
        """The retriever.

        Raises:
            InvalidInput: There is none.
        """
        if self.retriever is None:
            raise InvalidInput(
                "This program searches for passages and has none to search: give it passages, or "
                "choose a program that needs none, such as vanilla."
            )
        return self.retriever

    def branched(self, number: int, temperature: float) -> "Run":
        """The run of a branch: what it writes depends on its seed and `number` alone."""
        (seed,) = np.random.SeedSequence([self.writing_seed, number]).generate_state(1)
        return replace(self, seed_of_texts=int(seed), temperature=temperature)


Program: TypeAlias = Callable[[Run, Example], Outcome]
"""From an input, an `Example` with question and training examples, to one with a prediction."""
