"""The index of a large pool is built beside the page; until then the whole pool serves."""

from ...background import Job, Urgency
from ...index import in_memory
from ...retrieval.candidates import index_key, prepare_index
from ..session.jobs import submit_once
from ..session.readiness import LARGE
from .exploration import Resolved


def without_waiting(resolved: Resolved) -> tuple[Resolved, Job | None]:
    """What can be answered at once, and the job that prepares the index that is asked for."""
    studio, view, knobs = resolved.studio, resolved.view, resolved.usable.knobs
    kind = knobs.index
    unused = knobs.one_per_query or not knobs.info.chooses_by_mmr
    if kind is None or unused or len(view) <= LARGE:
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
    return resolved.with_knobs(index=None), job
