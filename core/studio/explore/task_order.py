"""How a task ordered the candidates of one query, as Explore and the commands show it."""

from collections.abc import Iterable, Sequence

import numpy as np

from ...reporting.results.query import TaskOrder
from ...retrieval.context import Context
from ...retrieval.pool_view import LivePool
from ...retrieval.task_prompt import TaskPrompt


def task_order(
    view: LivePool, prompt: TaskPrompt, chosen: Context, query: str, answers: Sequence[str]
) -> TaskOrder | None:
    """How the context came out of its first stage; None for one that has none.

    Args:
        view: The pool, with the states by which the context was chosen.
        prompt: The task with its exemplars.
        chosen: The context before the window shortened it.
        query: The query.
        answers: Its correct answers, as far as they are known.
    """
    found, reader = chosen.reranking, view.services.states
    if found is None or reader is None:
        return None
    task, pool = prompt.task, reader.of_pool(prompt, view.queries)
    shown = reader.before_query(prompt, pool, query)
    before = len(prompt.pairs) - shown
    words = tuple(dict.fromkeys(filter(None, task.words_of(answers))))
    others = ~view.same_query(query)  # its own demonstrations are never kept
    having = np.isin(np.array(task.words_of(view.answers)), words)

    def consistent(ids: Iterable[int]) -> int:
        return sum(found.words[id] in words for id in ids)

    return TaskOrder(
        task=task.name,
        text=prompt.prefix(before) + task.text(query),
        candidates=found.candidates,
        exemplars=found.exemplars,
        shown=shown,
        own=bool(view.same_query(query)[list(prompt.indices[before:])].any()),
        words=words,
        kept=len(chosen),
        consistent=consistent(chosen.ids.tolist()),
        consistent_first=consistent(found.first),
        chance=float(having[others].mean()) if others.any() else 0.0,
        shortened=found.shortened,
        skipped=found.skipped,
        skipped_texts=tuple(view.queries[place] for place in pool.skipped),
    )
