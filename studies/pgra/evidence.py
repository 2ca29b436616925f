"""A labelled pool in two parts for the study of PGRA: held-out queries, and what may be kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.demonstration.demonstration import Demonstration, EvaluationExample
from core.embedding import Encoder
from core.errors import InvalidInput
from core.language_model.task import TASKS, Task
from core.retrieval.embedded_texts import embed_texts
from core.retrieval.methods.pgra import OF_POOL
from core.retrieval.near_queries import AnswerIndex
from core.retrieval.pool_view import LivePool
from core.retrieval.task_prompt import chosen_task, no_labels, suggested_task
from core.store import Pool, Store
from core.types import FloatArray
from core.watcher import EMBEDDING, Watcher

from ..split import Split, part_of
from .classification import chance


@dataclass(frozen=True)
class Evidence:
    """The labelled demonstrations that may be kept, and the queries that were held out.

    `words` are the label words of the view's demonstrations, `labels` those of the queries.
    `unlabelled` counts the demonstrations and `unclear` the queries that were passed over, because
    their answers are no label of the task, or several.
    """

    task: Task
    view: LivePool
    words: tuple[str, ...]
    queries: tuple[str, ...]
    labels: tuple[str, ...]
    vectors: FloatArray  # (q, d)
    unlabelled: int
    unclear: int

    @property
    def chance(self) -> float:
        """The label consistency of demonstrations that are drawn blindly."""
        return chance(self.words, self.labels)


def task_named(
    store: Store, pool: Pool, demonstrations: Sequence[Demonstration], name: str
) -> Task:
    """The task of that name, or with `pool` the pool's own; it embeds nothing.

    Raises:
        InvalidInput: There is no such task, or the pool has none or no label of it.
    """
    if name != OF_POOL and name not in TASKS:
        raise InvalidInput(
            f"There is no task {name!r}; choose one of {', '.join((OF_POOL, *TASKS))}."
        )
    answers = [each.answer for each in demonstrations]
    task = _own_task(store, pool, demonstrations) if name == OF_POOL else TASKS[name]
    if task is None:
        index = AnswerIndex.of_texts(answers, [each.query for each in demonstrations])
        raise no_labels(pool.name, answers, index)
    found = set(task.words_of(answers)) - {""}
    if len(found) < 2:
        raise InvalidInput(
            f"The answers of pool {pool.name!r} have {len(found)} of the labels of task "
            f"{task.name!r} ({', '.join(task.words)}); two at least are needed: name the task that "
            "the pool is for."
        )
    return task


def evidence_of(
    task: Task, split: Split, limit: int | None, embed: tuple[Store, Encoder], watcher: Watcher
) -> Evidence:
    """The split's parts with their label words.

    Args:
        task: Whose labels count.
        split: Of the pool.
        limit: At most so many queries, the first of the split's random order; None is all.
        embed: The store that keeps the queries' embeddings, and the encoder that makes them.
        watcher: Gets the progress of the embedding.

    Raises:
        InvalidInput: Too little is labelled.
        Cancelled: The watcher requests a stop.
    """
    kept = np.array(list(map(bool, task.words_of(split.view.answers))), dtype=bool)
    part = replace(part_of(split.view, kept), chosen_task=task)
    words = task.words_of(part.answers)
    labelled = [(each.query, word) for each in split.held_out if (word := _label(task, each))]
    if len(set(words)) < 2 or len(labelled) < 2:
        raise InvalidInput(
            f"Of pool {part.name!r} {len(part):,} labelled demonstrations with {len(set(words))} "
            f"labels and {len(labelled):,} labelled queries remain; two labels and two queries at "
            "least are needed: take another share or a larger pool."
        )
    unclear = len(split.held_out) - len(labelled)
    queries, labels = zip(*labelled[:limit], strict=True)
    watcher.on_phase(EMBEDDING)
    vectors, _ = embed_texts(*embed, queries, watcher=watcher)
    return Evidence(
        task=task,
        view=part,
        words=words,
        queries=queries,
        labels=labels,
        vectors=vectors,
        unlabelled=int((~kept).sum()),
        unclear=unclear,
    )


def _own_task(store: Store, pool: Pool, demonstrations: Sequence[Demonstration]) -> Task | None:
    """The task of the pool, as `PoolView.task` has it."""
    answers = [each.answer for each in demonstrations]
    index = AnswerIndex.of_texts(answers, [each.query for each in demonstrations])
    return chosen_task(store, pool.id) or suggested_task(answers, index)


def _label(task: Task, example: EvaluationExample) -> str:
    """The one label word that all of an example's answers have; "" where there is no such word."""
    words = set(task.words_of(example.answers))
    return words.pop() if len(words) == 1 else ""
