"""The callbacks between long work and whoever waits for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .errors import Cancelled

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) after every batch."""

EMBEDDING = "embedding"
QUALITY = "scoring quality"
READING = "reading texts for their task"
EXAMPLES = "examples"
"""What a run does, one after the other; each counts from 0."""


def _ignore(*_: Any) -> None:
    """The callback where nobody listens."""


def _never() -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Watcher:
    """The callbacks of a long computation; each does nothing unless given.

    `on_phase(name)` names what the next reports of progress count: texts, demonstrations or, as
    `EXAMPLES`, evaluation examples; `on_progress(done, total)` counts them; `on_partial(result)`
    gets an immutable result over the examples so far; `on_part(name)` names the one of several
    parts of the work that begins, such as one of the models, each with phases of its own;
    `on_note(sentence)` gets what else is worth knowing of the work, such as why it takes longer;
    `cancelled()` is called between batches, where a job also gives way to a person: when it
    returns True the work raises `Cancelled`; `breathe()` is called where other work may run in
    between (`Job.breathe`).
    """

    on_progress: OnProgress = _ignore
    cancelled: Callable[[], bool] = _never
    on_partial: Callable[[Any], None] = _ignore
    breathe: Callable[[], None] = _ignore
    on_phase: Callable[[str], None] = _ignore
    on_part: Callable[[str], None] = _ignore
    on_note: Callable[[str], None] = _ignore

    def advance(self, done: int, total: int) -> None:
        """Report progress, and let other work run."""
        self.on_progress(done, total)
        self.breathe()

    def checkpoint(self, message: str = "The run was stopped; what was scored is kept.") -> None:
        """Called between short stretches of work, as `cancelled` is between batches.

        Raises:
            Cancelled: The watcher asks to stop; it has the message.
        """
        if self.cancelled():
            raise Cancelled(message)

    def quietly(self) -> "Watcher":
        """The same for a part of the work: it may stop that, but is told nothing of it."""
        return Watcher(cancelled=self.cancelled, breathe=self.breathe)

    def breathing(self) -> "Watcher":
        """The same for work that only counts: each report of progress lets other work run too."""
        return replace(self, on_progress=self.advance)


NOBODY = Watcher()
"""Where nobody listens, and nobody stops the work."""
