"""The demonstrations that the task finds most like the query, by the language model's own states.

Stage 1 fetches candidates whose texts are similar to the query; stage 2 keeps those whose task
state is most similar to the query's.
"""

from dataclasses import replace
from enum import StrEnum

import numpy as np

from ...errors import InvalidInput
from ...language_model.task import TASKS, Task
from ...selection.task_states import Similarity, rerank
from ...settings import PGRA_CANDIDATES, PGRA_EXEMPLARS
from ...types import BoolArray, FloatArray, IntArray
from ..context import Context, Reranking
from ..exemplars import Draw, among_exemplars, task_prompt
from ..knobs import Knob, SettledKnobs
from ..method import Method, MethodInput
from ..pool_view import PoolView
from ..task_prompt import PoolStates, TaskPrompt, no_labels
from .bm25 import bm25_scores

OF_POOL = "pool"
"""The task of the pool itself."""
TASK, STAGE_1, EXEMPLARS, DRAW, SIMILARITY = ("task", "stage_1", "exemplars", "draw", "similarity")


class FirstStage(StrEnum):
    """By what stage 1 ranks the candidates."""

    COSINE = "cosine"
    BM25 = "bm25"
    ALL = "all"
    """Everything that may be chosen, whatever the number of candidates."""


def choose(asked: MethodInput) -> Context:
    """The k candidates whose task states are most similar to the query's, most similar first.

    Neither an exemplar nor a demonstration of the query itself is ever kept. `values` are the
    softmax of the similarities over the candidates.

    Raises:
        InvalidInput: The pool has no task, no language model is available, or the query does
            not fit its window.
    """
    view, query, knobs = asked.view, asked.query, asked.knobs
    prompt = prompt_of(view, knobs)
    closed = asked.excluded | never_kept(view, prompt, query)
    if not knobs.k or closed.all():
        return asked.context(np.empty(0, dtype=np.int64))
    states = view.services.states
    if states is None:
        raise InvalidInput(
            f"The method {METHOD.name!r} asks the language model how the task sees each text, and "
            "none is at hand here; use it where a model is loaded: Explore, Compare, retrieve, "
            "evaluate."
        )
    pool = states.of_pool(prompt, view.queries)
    if not pool.read.any():
        raise nothing_fits(view.name, prompt.task.name)
    candidates = first_stage(view, query, asked.relevance, knobs, closed | ~pool.read)
    state = states.of_query(prompt, pool, query)
    similarity = knobs.own(SIMILARITY)
    ranked = rerank(
        state,
        pool.states,
        candidates,
        len(candidates),
        similarity=similarity,
        mean=pool.mean if similarity == Similarity.CENTRED else None,
    )
    first, kept = asked.first_k(candidates), asked.first_k(ranked.indices)
    share_of = dict(zip(ranked.indices.tolist(), ranked.values.tolist(), strict=True))
    return replace(
        asked.context(kept),
        values=np.array([share_of[index] for index in kept.tolist()], dtype=np.float64),
        reranking=_reranking(view, prompt, pool, candidates, first, kept),
    )


def never_kept(view: PoolView, prompt: TaskPrompt, query: str) -> BoolArray:
    """Mask (n,) of the exemplars and of the demonstrations of the query itself."""
    closed = view.same_query(query)
    closed[among_exemplars(view, prompt)] = True
    return closed


def nothing_fits(pool: str, task: str) -> InvalidInput:
    """The error if none of the pool's texts fits the model's window with the task."""
    return InvalidInput(
        f"No text of pool {pool!r} fits the language model's window for the task {task}, even "
        "without exemplars; choose a model with a larger window."
    )


def prompt_of(view: PoolView, knobs: SettledKnobs) -> TaskPrompt:
    """The task with its exemplars, as the knobs set them.

    Raises:
        InvalidInput: The pool has no task and the knobs name none.
    """
    draw = Draw(knobs.own(DRAW))
    return task_prompt(view, task_of(view, knobs), knobs.own(EXEMPLARS), draw, knobs.seed)


def task_of(view: PoolView, knobs: SettledKnobs) -> Task:
    """The task that the knobs name, else the pool's.

    Raises:
        InvalidInput: They name none and the pool has none.
    """
    named = knobs.own(TASK)
    task = view.task if named == OF_POOL else TASKS[named]
    if task is None:
        raise no_labels(view.name, view.answers, view.answer_index)
    return task


def first_stage(
    view: PoolView, query: str, relevance: FloatArray, knobs: SettledKnobs, closed: BoolArray
) -> IntArray:
    """The candidates in the order of stage 1, best first, ties by id, shape (c,).

    Source: PGRA, section 2.1: k = 150 by an embedding that no task has shaped.
    """
    by = FirstStage(knobs.own(STAGE_1))
    scores = bm25_scores(view.texts, query) if by is FirstStage.BM25 else relevance
    allowed = np.flatnonzero(~closed)
    ranked = allowed[np.lexsort((view.ids[allowed], -scores[allowed]))].astype(np.int64)
    return ranked[: METHOD.n_candidates(knobs) or len(ranked)]


def _reranking(
    view: PoolView,
    prompt: TaskPrompt,
    pool: PoolStates,
    candidates: IntArray,
    first: IntArray,
    kept: IntArray,
) -> Reranking:
    place_of = {index: place for place, index in enumerate(candidates.tolist(), start=1)}
    id_of = {index: int(view.ids[index]) for index in (*kept.tolist(), *first.tolist())}
    words = prompt.task.words_of([view.answers[index] for index in id_of])
    return Reranking(
        task=prompt.task.name,
        candidates=len(candidates),
        first_ranks={id: place_of[index] for index, id in id_of.items()},
        first=tuple(id_of[index] for index in first.tolist()),
        words=dict(zip(id_of.values(), words, strict=True)),
        exemplars=tuple(view.ids[list(prompt.indices)].tolist()),
        shown=pool.exemplars,
        shortened=pool.shortened,
        skipped=tuple(view.ids[list(pool.skipped)].tolist()),
    )


METHOD = Method(
    "pgra",
    "Alike for the task",
    "Of the candidates most similar to the query, the k that the language model sees as most "
    "similar when it is about to do the task. It needs a model that knows the task.",
    "PGRA, Guo et al. 2023, section 2",
    choose,
    candidates=PGRA_CANDIDATES,
    first_stage=lambda knobs: knobs.own(STAGE_1) != FirstStage.ALL,
    own=(
        Knob(
            "Task",
            "What is asked of every text; the pool's own unless one is named.",
            choices=lambda: (OF_POOL, *TASKS),
            name=TASK,
            default=OF_POOL,
        ),
        Knob(
            "Stage 1",
            "What fetches the candidates: the cosine of embeddings, shared words (bm25), or all "
            "demonstrations, whatever the number of candidates.",
            choices=lambda: [stage.value for stage in FirstStage],
            name=STAGE_1,
            default=FirstStage.COSINE.value,
        ),
        Knob(
            "Exemplars",
            "How many worked examples precede every text; at 0 only the task's question does.",
            high=32,
            name=EXEMPLARS,
            default=PGRA_EXEMPLARS,
        ),
        Knob(
            "Draw of exemplars",
            "How exemplars are drawn: balanced has every label among them, as the authors' code "
            "does; random draws blindly, as the paper says.",
            choices=lambda: [draw.value for draw in Draw],
            name=DRAW,
            default=Draw.BALANCED.value,
        ),
        Knob(
            "Similarity of states",
            "How task states are compared: cosine by their directions; dot, the paper's, lets a "
            "few texts win for most queries; centred first takes away what all have in common.",
            choices=lambda: [similarity.value for similarity in Similarity],
            name=SIMILARITY,
            default=Similarity.COSINE.value,
        ),
    ),
    reads=prompt_of,
    by_embedding=True,
    uses_seed=True,
    value="Share of similarity",
    value_note="higher is more similar",
)
