"""The index of a large pool is built beside the page; until then the whole pool serves."""

from ...background import Job, Urgency
from ...index import in_memory
from ...retrieval.candidates import index_key, prepare_index
from ..session.jobs import submit_once
from ..session.readiness import LARGE
from ..session.studio import Studio
from .exploration import ExploreRequest, usable_request


def without_waiting(studio: Studio, request: ExploreRequest) -> tuple[ExploreRequest, Job | None]:
    """The request as it can be answered at once, and the job that prepares the index it asks for.

    Raises:
        InvalidInput: As for `explore`.
    """
    kind, view = request.knobs.index, studio.view(request.setup)
    if kind is None or not request.knobs.info.chooses_by_mmr or len(view) <= LARGE:
        return request, None
    usable, _ = usable_request(view, request)
    key, folder = index_key(view, usable.knobs), studio.index_folder
    if in_memory(folder, kind, key):
        return request, None
    job = submit_once(
        studio.pool_worker,
        f"index:{kind}:{key}",
        f"Preparing the {kind} index of {request.setup.pool}",
        lambda job: prepare_index(view, usable.knobs, folder),
        urgency=Urgency.SHOWN,
    )
    return request.with_knobs(index=None), job
