"""A pool's task, its prompt, and what a method needs to compare texts by it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..language_model.task import TASKS, Task, plain_task
from ..store import Pool, Store
from ..text import content_hash
from ..types import BoolArray, FloatArray
from ..watcher import NOBODY, Watcher
from .near_queries import MOST_LABELS, AnswerIndex, is_classified, label_counts, labels_of


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


@dataclass(frozen=True, eq=False)
class PoolStates:
    """The task states of a pool's texts, in their order.

    `states` (n, width) is float32; the rows of texts that do not fit the model's window are NaN.
    `exemplars` is how many of the prompt's exemplars precede most texts: the first ones are
    dropped until nearly every text fits. `shortened` counts the texts preceded by still fewer.
    `skipped` are the positions of those that do not even fit alone.
    """

    states: FloatArray
    exemplars: int
    shortened: int = 0
    skipped: tuple[int, ...] = ()

    @property
    def read(self) -> BoolArray:
        """Mask (n,) of the texts that have a state."""
        mask = np.ones(len(self.states), dtype=bool)
        mask[list(self.skipped)] = False
        return mask

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the states that were read, shape (width,): what they all have in common.

        Zeros if none was read. Computing it takes the whole pool; every query needs it.
        """
        read = self.states[self.read] if self.skipped else self.states
        if not len(read):
            return np.zeros(self.states.shape[1], dtype=np.float64)
        mean: NDArray[np.float64] = read.mean(axis=0, dtype=np.float64)
        return mean


class ReadStates(Protocol):
    """The task states that a method can get from a language model."""

    def of_pool(
        self, prompt: TaskPrompt, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> PoolStates:
        """The states of the pool's texts after the prompt.

        Raises:
            InvalidInput: The model gives no states.
            Cancelled: The watcher asked to stop; what was read is kept.
        """

    def before_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> int:
        """How many of the last exemplars precede the query: as many as precede the pool's texts.

        There are fewer if the model's window has no room for so many before this query.

        Raises:
            QueryTooLong: It does not fit the model's window even alone.
        """

    def of_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> FloatArray:
        """The query's state, shape (width,), after the exemplars that `before_query` counts.

        Raises:
            QueryTooLong: It does not fit the model's window even alone.
        """


def suggested_task(answers: Sequence[str], index: AnswerIndex) -> Task | None:
    """The task that a pool's labels suggest; None if it is not a classification pool.

    It is the only built-in task that has all the labels and whose words are mostly among them,
    else `plain_task`. Numbers suggest nothing: every data set numbers its labels.
    """
    labels = labels_of(answers, index)
    if not labels:
        return None
    if not all(label.isdecimal() for label in labels):
        fitting = [task for task in TASKS.values() if _fits(task, labels)]
        if len(fitting) == 1:
            return fitting[0]
    return plain_task(labels)


def _fits(task: Task, labels: Sequence[str]) -> bool:
    """Whether the task has all of the labels, and they are more than half of its words."""
    words = {task.word_of(label) for label in labels}
    return None not in words and 2 * len(words) > len(task.words)


def chosen_task(store: Store, pool_id: int) -> Task | None:
    """The task that somebody chose for the pool; None where nobody did."""
    written = store.pools.task(pool_id)
    return None if not written else Task.from_json(json.loads(written))


def choose_task(store: Store, pool: Pool, task: Task | None) -> None:
    """Make a task the pool's, or with None leave it to what its labels suggest: a new version."""
    store.pools.set_task(pool.id, "" if task is None else json.dumps(task.to_json()))


def why_no_task(answers: Sequence[str], index: AnswerIndex) -> str:
    """Why a pool's labels suggest no task, as the end of "the answers are ..."."""
    labels = tuple(label_counts(answers, index)) if is_classified(index) else ()
    if len(labels) == 1:
        return f"of one label only, {labels[0]!r}, and a task needs two"
    if len(labels) > MOST_LABELS:
        return f"{len(labels):,} different labels, and a task has at most {MOST_LABELS}"
    return "not labels that many queries share"


def no_labels(pool: str, answers: Sequence[str], index: AnswerIndex) -> InvalidInput:
    """The error for a pool that is not one of classification, or of one label only."""
    return InvalidInput(
        f"The answers of pool {pool!r} are {why_no_task(answers, index)}, so it has no task; "
        "give it one (Manage pool on Demonstrations, or the command task), or take a pool of "
        "labelled texts."
    )
