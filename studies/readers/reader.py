"""What a reader is, what it is given, and what it gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.evaluation.plan.engine import Engine
from core.language_model.task import Task
from core.watcher import Watcher

NOT_THE_PAPERS = "not the paper's Fusion-in-Decoder"
"""True of every reader here: the paper trains a T5 for each task that reads the kept texts."""


@dataclass(frozen=True)
class Case:
    """A text to be labelled, and what was kept for it.

    `kept` are (text, label word), the most similar first, and `shares` their shares of similarity,
    >= 0; only their ratios count.
    """

    query: str
    kept: tuple[tuple[str, str], ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.kept) != len(self.shares):
            raise ValueError(f"{len(self.kept)} texts are kept with {len(self.shares)} shares")


@dataclass(frozen=True)
class Reading:
    """The label word that a reader names; None where it cannot name one.

    `left_out` counts the kept texts that the model's window had no room for.
    """

    word: str | None
    left_out: int = 0


class Read(Protocol):
    """How a reader labels texts."""

    def __call__(
        self, task: Task, cases: Sequence[Case], engine: Engine, watcher: Watcher
    ) -> list[Reading]:
        """A reading of each case, in their order.

        Args:
            task: The task, whose label words are the kept texts' and the readings'.
            cases: Texts with what was kept for them.
            engine: The language model, for a reader that uses it: once, for all cases together.
            watcher: May stop it between batches.

        Raises:
            InvalidInput: The engine refuses a prompt.
            Cancelled: The watcher asks to stop; what was scored is kept.
        """


@dataclass(frozen=True)
class Reader:
    """A named way to label a text from what was kept for it.

    `explanation` describes how. With `asks` it needs the language model, and can also label a
    text for which nothing was kept.
    """

    name: str
    explanation: str
    read: Read
    asks: bool = False

    @property
    def label(self) -> str:
        """Its name in results, which also names what it is not."""
        return f"{self.name}, {NOT_THE_PAPERS}"
