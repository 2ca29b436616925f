"""What a pool needs before it can be used, embeddings then quality bias, in the background."""

from dataclasses import dataclass

from ..evaluation import Job
from ..evaluation.quality_bias import score_quality
from ..retrieval.pool_view import PoolView, embed_texts
from ..text import content_hash
from ..types import Status
from .jobs import submit_once
from .studio import Setup, Studio

AT_ONCE = 64
"""So many texts are embedded while the page waits; more go to the background."""


@dataclass(frozen=True)
class Upkeep:
    """A pool's readiness: `view` is None while its texts are still being embedded."""

    view: PoolView | None
    embedding: Job | None
    quality: Job | None
    loading: Job | None


def upkeep(studio: Studio, setup: Setup) -> Upkeep:
    """The pool's view if it can be had at once; starts the background work that is missing.

    Raises:
        InvalidInput: No pool has that name.
    """
    embedding = _embed_in_background(studio, setup)
    if embedding is not None:
        return Upkeep(None, embedding, None, None)
    loading = load_model_in_background(studio, setup)
    view = studio.view(setup)
    return Upkeep(view, None, _score_in_background(studio, setup, view), loading)


def load_model_in_background(studio: Studio, setup: Setup) -> Job | None:
    """The job that loads the chosen language model; None when it is loaded."""
    name = setup.model_name
    if studio.loaded_model(name) is not None:
        return None
    return submit_once(
        studio.model_worker,
        f"load:{name}",
        f"Loading {name}",
        lambda job: studio.language_model(name).name,
    )


def _embed_in_background(studio: Studio, setup: Setup) -> Job | None:
    if studio.has_view(setup):
        return None
    pool = studio.store.pools.get(setup.pool)
    encoder = studio.encoder(setup.encoder)
    demonstrations = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    texts = list(dict.fromkeys(d.query for d in demonstrations))
    missing = studio.store.embeddings.missing(
        encoder.fingerprint, [content_hash(text) for text in texts]
    )
    if len(missing) <= AT_ONCE:
        return None
    return submit_once(
        studio.pool_worker,
        f"embed:{pool.id}:{pool.version}:{encoder.fingerprint}",
        f"Embedding {setup.pool}",
        lambda job: embed_texts(
            studio.store, encoder, texts, on_progress=job.progress, cancelled=job.cancelled
        )[1],
    )


def _score_in_background(studio: Studio, setup: Setup, view: PoolView) -> Job | None:
    model = studio.loaded_model(setup.model)
    if model is None or not view.unscored:
        return None
    pool = studio.store.pools.get(setup.pool)

    def work(job: Job) -> object:
        return score_quality(
            studio.store,
            pool.id,
            model,
            studio.template,
            on_progress=lambda done, total: _tell(job, done, total),
            cancelled=job.cancelled,
        )

    return submit_once(
        studio.model_worker,
        f"quality:{pool.id}:{pool.version}:{model.fingerprint}",
        f"Scoring quality of {setup.pool}",
        work,
    )


def _tell(job: Job, done: int, total: int) -> None:
    job.progress(done, total)
    job.breathe()
