"""What a pool needs before it can be used, in the background and started only once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...background import MOST_BEFORE_LOADING, Job, Urgency, Worker
from ...demonstration.demonstration import Status
from ...embedding import DeferredEncoder
from ...evaluation.scoring.quality_bias import score_quality
from ...evaluation.scoring.task_states import StateReader, kept_under
from ...retrieval.pool_view import LivePool, PoolView, text_to_embed
from ...retrieval.task_prompt import PoolStates, TaskPrompt
from ...settings import Embed
from ...text import content_hash
from .studio import Setup, Studio


def submit_once(
    worker: Worker,
    slot: str,
    label: str,
    work: Callable[[Job], Any],
    *,
    urgency: Urgency = Urgency.RUN,
) -> Job:
    """The slot's job unless it has finished; else a new one.

    A slot names the content that is computed. A job that failed or was cancelled stays, so that
    its error can be read and nothing starts by itself against the user's will;
    `worker.forget(slot)` lets it be tried again.
    """
    job = worker.latest(slot)
    if job is not None and job.state != "finished":
        return job
    return worker.submit(slot, label, work, urgency=urgency)


AT_ONCE = 64
"""So many texts are embedded while the page waits; more go to the background."""

LARGE_POOL = 10_000
"""Pools with more demonstrations are read in the background too: seconds for 100,000."""


@dataclass(frozen=True)
class Readiness:
    """A pool's readiness: `view` is None while its texts are still being embedded."""

    view: LivePool | None
    embedding: Job | None
    quality: Job | None
    loading: Job | None


def make_ready(studio: Studio, setup: Setup) -> Readiness:
    """The pool's view if it is available at once; starts the background work that is missing.

    Raises:
        InvalidInput: No pool has that name.
    """
    embedding = prepare_in_background(studio, setup)
    if embedding is not None:
        return Readiness(None, embedding, None, None)
    loading = load_model_in_background(studio, setup)
    view = studio.view(setup)
    if loading is None:
        _load_encoder_in_background(studio, setup)
    return Readiness(view, None, _score_in_background(studio, setup, view), loading)


def texts_to_embed(studio: Studio, setup: Setup, embed: Embed = Embed.QUERY) -> int:
    """How many distinct texts of the pool the encoder has not embedded yet."""
    pool = studio.store.pools.get(setup.pool)
    demonstrations = studio.store.demonstrations
    if embed is Embed.QUERY:
        texts: Iterable[str] = demonstrations.queries(pool.id, status=Status.INCLUDED)
    else:
        included = demonstrations.all(pool.id, status=Status.INCLUDED)
        texts = {text_to_embed(each.query, each.answer, embed) for each in included}
    encoder = studio.encoder(setup.encoder)
    hashes = [content_hash(text) for text in texts]
    return len(studio.store.embeddings.missing(encoder.fingerprint, hashes))


def read_early(studio: Studio, setup: Setup) -> None:
    """Read the pool into memory before a page needs it, where that is quick."""
    if _soon_ready(studio, setup):
        studio.view(setup)


def load_model_in_background(studio: Studio, setup: Setup) -> Job | None:
    """The job that loads the chosen language model; None when it is loaded."""
    name = setup.model_name
    if studio.loaded_model(name) is not None:
        return None

    def work(job: Job) -> str:
        job.give_way(MOST_BEFORE_LOADING)
        return studio.language_model(name).name

    return submit_once(studio.model_worker, f"load:{name}", f"Loading {name}", work)


def _load_encoder_in_background(studio: Studio, setup: Setup) -> None:
    """Load the weights of an encoder before a query is typed that nobody embedded yet."""
    encoder = studio.encoder(setup.encoder)
    if not isinstance(encoder, DeferredEncoder) or encoder.ready:
        return

    def work(job: Job) -> str:
        job.give_way(MOST_BEFORE_LOADING)
        return encoder.make_ready().name

    slot, label = f"encoder:{encoder.fingerprint}", f"Loading {encoder.name}"
    submit_once(studio.pool_worker, slot, label, work, urgency=Urgency.UNASKED)


def prepare_in_background(studio: Studio, setup: Setup, embed: Embed = Embed.QUERY) -> Job | None:
    """The job that makes the pool's view; None when it is there or available at once."""
    if studio.has_view(setup, embed):
        return None
    pool = studio.store.pools.get(setup.pool)
    if _soon_ready(studio, setup, embed):
        return None

    def work(job: Job) -> int:
        job.give_way(MOST_BEFORE_LOADING)
        view = studio.view(setup, embed=embed, watcher=job.watcher())
        return len(view)

    slot = f"prepare:{pool.id}:{pool.version}:{setup.encoder}:{embed}"
    label = f"Preparing {setup.pool}"
    return submit_once(studio.pool_worker, slot, label, work, urgency=Urgency.SHOWN)


def _soon_ready(studio: Studio, setup: Setup, embed: Embed = Embed.QUERY) -> bool:
    """Whether the page may wait for the pool's view; a named encoder's mistakes show at once.

    Where every text is embedded, the bundled encoder need not even be loaded.
    """
    if studio.store.pools.summary(setup.pool).demonstrations > LARGE_POOL:
        return False
    missing = texts_to_embed(studio, setup, embed)
    return not missing or (missing <= AT_ONCE and studio.has_encoder(setup.encoder))


def _score_in_background(studio: Studio, setup: Setup, view: PoolView) -> Job | None:
    model = studio.loaded_model(setup.model)
    if model is None or not model.abilities.scores or not view.unscored:
        return None
    pool, engine = studio.store.pools.get(setup.pool), studio.engine(setup)

    def work(job: Job) -> object:
        return score_quality(
            studio.store,
            pool.id,
            studio.engine(setup),  # while it waits, the model may have to make room for another
            watcher=job.watcher().breathing(),
        )

    return submit_once(
        studio.model_worker,
        # Without the version: the next version's scores are the same, except for what changed.
        f"quality:{pool.id}:{engine.fingerprint}:{engine.template.fingerprint}",
        f"Scoring quality of {setup.pool}",
        work,
        urgency=Urgency.UNASKED,
    )


def read_in_background(
    studio: Studio, setup: Setup, view: PoolView, prompt: TaskPrompt
) -> Job | None:
    """The job after which the states of all the pool's texts are in memory; None when they are.

    The first job loads the model if it is not loaded; the next call returns the one that reads. A
    job that failed or was cancelled stays until `model_worker.forget(job.slot)`, and what it read
    is in the store.

    Args:
        studio: Its model reads, and its `pool_states` keep what was read.
        setup: Names the language model.
        view: The pool.
        prompt: The task with its exemplars, drawn from the view.
    """
    if states_in_memory(studio, setup, view, prompt) is not None:
        return None
    loading = load_model_in_background(studio, setup)
    if loading is not None:
        return loading

    def work(job: Job) -> int:
        found = StateReader(studio.engine(setup), studio.pool_states).of_pool(
            prompt, view.queries, watcher=job.watcher().breathing()
        )
        return int(found.read.sum())

    model, texts = studio.model_now(setup).fingerprint, len(dict.fromkeys(view.queries))
    return submit_once(
        studio.model_worker,
        f"states:{model}:{prompt.fingerprint}:{view.content}",
        f"Reading {texts:,} texts for the task {prompt.task.name}",
        work,
    )


def states_in_memory(
    studio: Studio, setup: Setup, view: PoolView, prompt: TaskPrompt
) -> PoolStates | None:
    """The states of the pool's texts if they were read since the studio was opened; else None."""
    model = studio.model_now(setup).fingerprint
    if model is None:
        return None
    return studio.pool_states.get(kept_under(model, prompt, view.queries))
