"""Methods that ask the language model, and slow work, on pages that never wait for either.

What the model computed before is taken from the store. What it did not is computed in a job,
and until that has ended the most similar demonstrations are shown (`rel`).

Slow work is done in the background: a large pool's index, other embeddings of a pool.

Until that is done the whole pool is used, compared by query.
"""

from dataclasses import replace

from ...background import Job, Urgency
from ...engines import StoredEngine
from ...errors import NotComputed
from ...index import in_memory
from ...retrieval.candidates import index_key, prepare_index
from ...retrieval.choosing import find_method
from ...settings import Embed
from ..session.readiness import (
    LARGE_POOL,
    load_model_in_background,
    prepare_in_background,
    read_in_background,
    submit_once,
)
from ..session.studio import Studio
from .exploration import ExploreRequest, ResolvedRequest, asking, resolve

MEANWHILE = "rel"
"""The method in use until the language model has answered."""


def before_asking(resolved: ResolvedRequest) -> Job | None:
    """The job that must end before the method can ask about a query: loading, reading the pool.

    Raises:
        InvalidInput: The method compares task states, and the pool has no task.
    """
    studio, setup, knobs = resolved.studio, resolved.usable.setup, resolved.knobs
    reads = find_method(knobs.method).reads
    prompt = None if reads is None else reads(resolved.view, knobs)
    loading = load_model_in_background(studio, setup)
    if loading is not None or prompt is None:
        return loading
    return read_in_background(studio, setup, resolved.view, prompt)


def from_the_store(resolved: ResolvedRequest) -> ResolvedRequest:
    """The request for a method that asks: choosing raises `NotComputed` where something is missing.

    Raises:
        NotComputed: The model is not in memory.
    """
    model = resolved.now.model
    if model is None:
        raise NotComputed(f"{resolved.usable.setup.model_name} is not in memory")
    engine = StoredEngine(resolved.studio.store, model.fingerprint, resolved.now.template, model)
    return asking(resolved, engine)


def ask_model(studio: Studio, request: ExploreRequest, job: Job) -> None:
    """Compute with the model what the method asks about the query; the store keeps it.

    Raises:
        InvalidInput: The query does not fit the model's window, or the model refuses an answer.
        Cancelled: The job was cancelled.
    """
    resolved = resolve(studio, request)
    asking(resolved, studio.engine(request.setup), job.watcher().breathing()).context()


def what_is_asked(resolved: ResolvedRequest) -> str:
    """The label of the job that asks."""
    knobs = resolved.knobs
    asks = find_method(knobs.method).asks
    if asks is not None:
        return f"Asking the language model about {asks(knobs):,} contexts"
    return "Reading the query for the task"


def by_similarity(resolved: ResolvedRequest) -> ResolvedRequest:
    """The same with the method that is used meanwhile."""
    return resolved.with_knobs(method=MEANWHILE)


def by_what_is_embedded(
    studio: Studio, request: ExploreRequest
) -> tuple[ExploreRequest, Job | None]:
    """The request as it can be answered at once, and the job that embeds the texts it needs."""
    if request.knobs.embed is Embed.QUERY:  # a page has no request before these are there
        return request, None
    job = prepare_in_background(studio, request.setup, request.knobs.embed)
    if job is None:
        return request, None
    return replace(request, knobs=replace(request.knobs, embed=Embed.QUERY)), job


def without_waiting(resolved: ResolvedRequest) -> tuple[ResolvedRequest, Job | None]:
    """What can be answered at once, and the job that prepares the requested index."""
    studio, view, knobs = resolved.studio, resolved.view, resolved.knobs
    kind = knobs.index
    unused = knobs.one_per_query or not find_method(knobs.method).chooses_by_mmr
    if kind is None or unused or len(view) <= LARGE_POOL:
        return resolved, None
    key, folder = index_key(view, knobs), studio.index_folder
    if in_memory(folder, kind, key):
        return resolved, None
    job = submit_once(
        studio.pool_worker,
        f"index:{kind}:{key}",
        f"Preparing the {kind} index of {resolved.request.setup.pool}",
        lambda job: prepare_index(view, knobs, folder),
        urgency=Urgency.SHOWN,
    )
    return resolved.with_knobs(index=None, candidates=0), job
