"""Slow work is done in the background: a large pool's index, other embeddings of a pool.

Until that is done the whole pool is used, compared by query.
"""

from dataclasses import replace

from ...background import Job, Urgency
from ...index import in_memory
from ...retrieval.candidates import index_key, prepare_index
from ...retrieval.registry import find_method
from ...settings import Embed
from ..session.jobs import submit_once
from ..session.readiness import LARGE_POOL, prepare_in_background
from ..session.studio import Studio
from .exploration import ExploreRequest, Resolved


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


def without_waiting(resolved: Resolved) -> tuple[Resolved, Job | None]:
    """What can be answered at once, and the job that prepares the requested index."""
    studio, view, knobs = resolved.studio, resolved.view, resolved.usable.knobs
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
