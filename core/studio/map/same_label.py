"""Whether texts of one label are nearer to each other by task than by their embeddings."""

import numpy as np

from ...background import Job
from ...errors import Cancelled
from ...metrics.bounds.intervals import paired_interval, share_interval
from ...projection.same_label import NEAREST, chance_shares, same_label_shares
from ...reporting.results.pool_map import SameLabel
from ...retrieval.pool_view import PoolView
from ...retrieval.tasks.exemplars import among_exemplars
from ...retrieval.tasks.prompt import TaskPrompt
from ...types import BoolArray, FloatArray, IntArray
from ...undefined import defined

SAMPLE = 10_000
"""Of a larger pool the neighbours of this many texts are found, a seeded sample."""


def same_label(
    view: PoolView, prompt: TaskPrompt, rows: FloatArray, read: BoolArray, job: Job
) -> SameLabel:
    """The shares of nearest neighbours with the same label, by text, by task and by chance.

    Both are over the same demonstrations: those that have a label of the pool's task and a task
    state. Exemplars are left out, as the model was shown their labels; so are neighbours that
    answer the same query. The intervals are over queries.

    Args:
        view: The pool.
        prompt: The task with its exemplars.
        rows: The demonstrations' task states as unit rows, shape (n, width).
        read: Mask (n,) of those that have a state.
        job: Gets the progress.

    Raises:
        Cancelled: The job was cancelled.
    """
    numbers = _label_numbers(view)
    used = read & (numbers >= 0)
    used[among_exemplars(view, prompt)] = False
    places = np.flatnonzero(used)
    labels, groups = numbers[places], view.groups[places]
    chosen, sampled = np.arange(len(places)), len(places) > SAMPLE
    if sampled:
        drawn = np.random.default_rng(view.seed).choice(len(places), size=SAMPLE, replace=False)
        chosen = np.sort(drawn)
    total = 2 * len(chosen)

    def shares(of: FloatArray, before: int) -> FloatArray:
        def after_block(done: int) -> None:
            if job.cancelled():
                raise Cancelled("The map was cancelled.")
            job.progress(before + done, total)
            job.breathe()

        return same_label_shares(of, labels, groups, chosen=chosen, after_block=after_block)

    by_text = shares(view.embeddings[view.rows[places]], 0)
    by_task = shares(rows[places], len(chosen))
    chance = chance_shares(labels, groups)[chosen]
    known = ~np.isnan(chance)
    return _summary(
        np.stack([by_text, by_task])[:, known],
        chance[known],
        groups[chosen][known],
        sampled,
    )


def _summary(both: FloatArray, chance: FloatArray, groups: IntArray, sampled: bool) -> SameLabel:
    """The means over demonstrations, with intervals over the queries that they answer."""
    _, group = np.unique(groups, return_inverse=True)
    size = np.bincount(group).astype(np.float64)
    text, task = (np.bincount(group, each, len(size)).astype(np.float64) for each in both)
    return SameLabel(
        by_text=share_interval(text, size),
        by_task=share_interval(task, size),
        difference=paired_interval(np.stack([task, text]), size),
        chance=defined(chance.mean()) if len(chance) else None,
        nearest=NEAREST,
        texts=len(chance),
        sampled=sampled,
    )


def _label_numbers(view: PoolView) -> IntArray:
    """The place of each demonstration's label word among the task's, shape (n,); -1 for none."""
    task = view.task
    if task is None:
        return np.full(len(view), -1, dtype=np.int64)
    place_of = {word: place for place, word in enumerate(task.words)}
    words = task.words_of(view.answers)
    return np.array([place_of.get(word, -1) for word in words], dtype=np.int64)
