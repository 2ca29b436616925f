"""The second map: near is what the model sees as alike in the task; is one label nearer?"""

from dataclasses import dataclass, replace

import numpy as np

from ...background import Job, Urgency
from ...engines import StoredEngine
from ...errors import NotComputed
from ...evaluation.scoring.task_states import StateReader
from ...interval import defined
from ...metrics.bounds.intervals import paired_interval, share_interval
from ...projection import place
from ...projection.same_label import NEAREST, chance_shares, same_label_shares
from ...projection.umap_projection import spread
from ...reporting.results.pool_map import By, Layout, PoolMap, SameLabel, TaskReading
from ...retrieval.exemplars import among_exemplars
from ...retrieval.knobs import Knobs
from ...retrieval.methods.pgra import METHOD, SIMILARITY, nothing_fits, prompt_of
from ...retrieval.pool_view import PoolView
from ...retrieval.task_prompt import PoolStates, TaskPrompt
from ...selection.task_states import Similarity
from ...text import content_hash
from ...types import BoolArray, FloatArray, IntArray
from ..session.readiness import read_in_background, states_in_memory, submit_once
from ..session.studio import Setup, Studio
from .pool_map import LAYOUT, lay_out, stored_layout

SAMPLE = 10_000
"""Of a larger pool the neighbours of this many texts are found, a seeded sample."""


def same_label(
    view: PoolView, prompt: TaskPrompt, rows: FloatArray, read: BoolArray, job: Job
) -> SameLabel:
    """The shares of nearest neighbours with the same label, by text, by task and by chance.

    Both are over the same demonstrations: those that have a label of the pool's task and a task
    state. Exemplars are left out, as the model was shown their labels; so are neighbours that
    answer the same query. The intervals are over queries. `rows` are the task states as unit rows
    (n, width), `read` masks those that have one.

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
            job.watcher().checkpoint("The map was cancelled.")
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


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskLayout:
    """A pool's queries laid out by their task states, with the figures that belong to it.

    `centre` (width,) is what all states have in common, where the similarity takes that away.
    """

    layout: Layout
    same_label: SameLabel
    reading: TaskReading
    prompt: TaskPrompt
    states: PoolStates
    centre: FloatArray
    version: int


def task_layout(
    studio: Studio, setup: Setup, view: PoolView, knobs: Knobs
) -> tuple[TaskLayout | None, Job | None]:
    """The pool laid out by task if that is done, or the background job that it waits for.

    First the language model is loaded, then it reads the pool's texts, then they are laid out:
    call it again when a job is over. What was read and laid out is stored. The knobs are those of
    the method `pgra`; states are compared by cosine also if its similarity is `dot`.

    Raises:
        InvalidInput: The pool has no task and the knobs name none, or no text fits the model.
    """
    knobs = METHOD.settle(knobs)
    prompt = prompt_of(view, knobs)
    reading = read_in_background(studio, setup, view, prompt)
    if reading is not None:
        return None, reading
    states, model = states_in_memory(studio, setup, view, prompt), studio.model_now(setup)
    if states is None or model.fingerprint is None:  # another pool took its place just now
        return task_layout(studio, setup, view, knobs)
    centred = knobs.own(SIMILARITY) == Similarity.CENTRED
    pool = studio.store.pools.get(setup.pool)
    key = content_hash(
        LAYOUT,
        "by task",
        str(pool.id),
        str(pool.seed),
        model.fingerprint,
        prompt.fingerprint,
        str(states.exemplars),
        Similarity.CENTRED if centred else Similarity.COSINE,
    )
    slot = f"map by task:{key}"
    job = studio.pool_worker.latest(slot)
    made: TaskLayout | None = job.result if job is not None and job.state == "finished" else None
    if made is not None and made.version == view.version:
        if not made.states.read.any():
            raise nothing_fits(view.name, made.reading.task)
        return made, None

    def work(job: Job) -> TaskLayout:
        return _laid_out(studio, view, prompt, states, key, centred, job)

    label = f"Mapping {setup.pool} by task"
    return None, submit_once(studio.pool_worker, slot, label, work)


def by_task(found: PoolMap, laid: TaskLayout) -> PoolMap:
    """The map with its points where the task puts them.

    What has no state is left out: excluded demonstrations and texts too long for the model.
    """
    place_of = {query: at for at, query in enumerate(laid.layout.queries)}
    spots = np.array([place_of.get(row.query, -1) for row in found.demonstrations], dtype=np.int64)
    there = np.flatnonzero((spots >= 0) & ~found.excluded)
    coordinates = spread(laid.layout.points[spots[there]])
    return replace(found.only(there), coordinates=coordinates, layout=laid.layout, by=By.TASK)


def place_query_by_task(
    studio: Studio, setup: Setup, laid: TaskLayout, query: str
) -> tuple[tuple[float, float] | None, Job | None]:
    """The query's place by task, or the job that reads its state, one pass of the model.

    Raises:
        InvalidInput: The query does not fit the model's window.
    """
    model = studio.loaded_model(setup.model)
    if model is None:
        return None, None
    stored = StoredEngine(studio.store, model.fingerprint, studio.template(setup), model)
    try:
        state = StateReader(stored).of_query(laid.prompt, laid.states, query)
    except NotComputed:
        return None, _read_query(studio, setup, laid, query)
    (row,) = _unit(state[np.newaxis] - laid.centre)
    x, y = place(row, laid.layout.embeddings, laid.layout.points)
    return (float(x), float(y)), None


def _read_query(studio: Studio, setup: Setup, laid: TaskLayout, query: str) -> Job:
    def work(job: Job) -> None:
        StateReader(studio.engine(setup)).of_query(laid.prompt, laid.states, query)

    model = studio.model_now(setup).fingerprint
    slot = f"state:{content_hash(str(model), laid.prompt.fingerprint, query)}"
    return submit_once(studio.model_worker, slot, "Reading the query", work, urgency=Urgency.SHOWN)


def _laid_out(
    studio: Studio,
    view: PoolView,
    prompt: TaskPrompt,
    states: PoolStates,
    key: str,
    centred: bool,
    job: Job,
) -> TaskLayout:
    read = states.read
    first = {view.queries[at]: at for at in reversed(np.flatnonzero(read).tolist())}
    queries = [query for query in dict.fromkeys(view.queries) if query in first]
    places = np.array([first[query] for query in queries], dtype=np.int64)
    centre = (states.mean if centred else np.zeros(states.states.shape[1])).astype(np.float32)
    rows = _unit(states.states - centre)  # (n, width); NaN where there is no state
    laid = rows[places]
    layout = stored_layout(studio.store, key, queries, lambda: laid)
    if layout is None:
        layout = lay_out(studio.store, key, queries, laid, view.seed, job)
    job.publish("Counting neighbours with the same label")
    return TaskLayout(
        layout=layout,
        same_label=same_label(view, prompt, rows, read, job),
        reading=TaskReading(
            task=prompt.task.name,
            asked=len(prompt.pairs),
            exemplars=states.exemplars,
            shortened=states.shortened,
            skipped=len(states.skipped),
        ),
        prompt=prompt,
        states=states,
        centre=centre,
        version=view.version,
    )


def _unit(rows: FloatArray) -> FloatArray:
    """The rows with length 1, single precision; a row of zeros, which points nowhere, stays."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt(np.vecdot(wide, wide))[:, np.newaxis]
    unit: FloatArray = (wide / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return unit
