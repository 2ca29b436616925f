"""A task with its exemplars: the prefix of every text."""

from dataclasses import dataclass
from functools import cached_property

from ...language_model.task import Task
from ...text import content_hash


@dataclass(frozen=True)
class TaskPrompt:
    """A task with its exemplars: `indices` are their positions in the pool, `pairs` their texts.

    `pairs` are (text, label word), in the order of the prompt.
    """

    task: Task
    indices: tuple[int, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits of the task and the exemplars' texts."""
        return content_hash(self.task.fingerprint, self.task.prefix(self.pairs))

    def prefix(self, dropped: int = 0) -> str:
        """The prefix of a text, without the first `dropped` exemplars."""
        return self.task.prefix(self.pairs[dropped:])
