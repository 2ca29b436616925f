"""The worked examples that precede every text, so that a model knows the task."""

from collections import Counter
from enum import StrEnum

import numpy as np

from ..errors import InvalidInput
from ..language_model.task import Task
from ..text import content_hash, normalised
from ..types import IntArray
from .pool_view import PoolView
from .task_prompt import TaskPrompt


class Draw(StrEnum):
    """How exemplars are drawn: with every label among them, as the authors' code does, or blindly.

    The paper draws at random (section 2.2).
    """

    BALANCED = "balanced"
    RANDOM = "random"


def task_prompt(view: PoolView, task: Task, m: int, draw: Draw, seed: int) -> TaskPrompt:
    """The task with m exemplars of the pool.

    Only demonstrations whose answer is a label of the task are drawn, one a query; their order is
    random by the seed and the texts alone, so that other demonstrations change little.

    Args:
        view: The pool as arrays.
        task: The task.
        m: How many; 0 gives none. `balanced` may give a few more: it goes on until there are m
            and every label of the pool is among them, with at most `m // labels + 1` of each.
        draw: `balanced` or `random`.
        seed: Of the order.

    Raises:
        InvalidInput: Exemplars are needed, and no answer of the pool is a label of the task.

    Source: PGRA, section 2.2; `balanced` is that of the authors' `prompt_utils.py`.
    """
    key = (task, m, draw, seed)
    if key not in view.task_prompts:
        view.task_prompts[key] = _drawn(view, task, m, draw, seed)
    return view.task_prompts[key]


def among_exemplars(view: PoolView, prompt: TaskPrompt) -> IntArray:
    """The positions (e,) of all demonstrations whose query is an exemplar's, in ascending order."""
    groups = view.groups[list(prompt.indices)]
    return np.flatnonzero(np.isin(view.groups, groups)).astype(np.int64)


def _drawn(view: PoolView, task: Task, m: int, draw: Draw, seed: int) -> TaskPrompt:
    words = {index: task.word_of(view.answers[index]) for index in _order(view, seed)}
    labelled = {index: word for index, word in words.items() if word is not None}
    if m == 0:
        chosen: list[int] = []
    elif len(view) and not labelled:
        raise InvalidInput(
            f"No answer of pool {view.name!r} is a label of the task {task.name!r} "
            f"({', '.join(task.words)}), so there are no exemplars; choose another task, or 0 "
            "exemplars."
        )
    elif draw is Draw.RANDOM:
        chosen = list(labelled)[:m]
    else:
        chosen = _balanced(labelled, m)
        chosen = [chosen[at] for at in np.random.default_rng(seed).permutation(len(chosen))]
    pairs = tuple((view.queries[index], labelled[index]) for index in chosen)
    return TaskPrompt(task, tuple(chosen), pairs)


def _balanced(labelled: dict[int, str], m: int) -> list[int]:
    labels = len(set(labelled.values()))
    taken, chosen = Counter[str](), list[int]()
    for index, word in labelled.items():
        if len(chosen) >= m and len(taken) == labels:
            break
        if taken[word] <= m // labels:  # at most m // labels + 1 of each
            taken[word] += 1
            chosen.append(index)
    return chosen


def _order(view: PoolView, seed: int) -> list[int]:
    """The first demonstration of each query, in the seed's random order."""
    first: dict[int, int] = {}
    for index in np.argsort(view.ids, kind="stable").tolist():
        first.setdefault(int(view.groups[index]), index)

    def place(index: int) -> tuple[str, str]:
        query = normalised(view.queries[index])
        return content_hash("exemplar", str(seed), query), query

    return sorted(first.values(), key=place)
