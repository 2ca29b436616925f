"""The index of a large pool is built beside the page; until then the whole pool serves."""

from dataclasses import replace

from ..evaluation import Job, Urgency
from ..index import in_memory
from ..retrieval.candidates import index_key, prepare_index
from .explore import ExploreRequest, usable_request
from .jobs import submit_once
from .studio import Studio
from .upkeep import LARGE


def without_waiting(studio: Studio, request: ExploreRequest) -> tuple[ExploreRequest, Job | None]:
    """The request as it can be answered at once, and the job that prepares the index it asks for.

    Raises:
        InvalidInput: As for `explore`.
    """
    search, view = request.search, studio.view(request.setup)
    if search is None or not request.context.info.by_value or len(view) <= LARGE:
        return request, None
    usable, _ = usable_request(view, request)
    key, folder = index_key(view, usable.context, search), studio.index_folder
    if in_memory(folder, search.kind, key):
        return request, None
    job = submit_once(
        studio.pool_worker,
        f"index:{search.kind}:{key}",
        f"Preparing the {search.kind} index of {request.setup.pool}",
        lambda job: prepare_index(view, usable.context, search, folder),
        urgency=Urgency.SHOWN,
    )
    return replace(request, search=None), job
