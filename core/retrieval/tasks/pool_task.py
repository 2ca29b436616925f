"""Which task a pool is for: the one that was chosen, or the one that its labels suggest."""

import json
from collections.abc import Sequence

from ...errors import InvalidInput
from ...language_model.task import TASKS, Task, plain_task
from ...store import Pool, Store
from ..comparing.answer_index import (
    MOST_LABELS,
    AnswerIndex,
    is_classified,
    label_counts,
    labels_of,
)


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
