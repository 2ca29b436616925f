"""Whether diversity can pay in a pool: checked in the background once for each version of it."""

from ...background import Job, Urgency
from ...evaluation.results.suitability import Suitability, suitability_of
from ...retrieval.pool_view import PoolView
from ..session.jobs import submit_once
from ..session.studio import Setup, Studio


def suitability(
    studio: Studio, setup: Setup, view: PoolView
) -> tuple[Suitability | None, Job | None]:
    """What is known about the view's version of the pool, or the background job that checks it.

    Both are None if the job failed or was cancelled: nobody requested it.
    """
    pool = studio.store.pools.get(setup.pool)
    slot = f"suitability:{pool.id}:{pool.name}:{view.encoder}"
    job = studio.pool_worker.latest(slot)
    if job is not None and job.state == "finished":
        version, found = job.result
        if version == view.version:
            return found, None

    # The view is asked for again: a job that kept it would keep a large pool's arrays in memory.
    def work(job: Job) -> tuple[int, Suitability]:
        view = studio.view(setup, cancelled=job.cancelled)
        lacking = studio.store.demonstrations.queries_without_incorrect(pool.id)
        # What came since the view was read may lack some too; its version is looked at by itself.
        having = max(0, len(view.distinct_queries) - lacking)
        return view.version, suitability_of(view, having, cancelled=job.cancelled)

    label = f"Looking at the redundancy of {setup.pool}"
    job = submit_once(studio.pool_worker, slot, label, work, urgency=Urgency.SHOWN)
    return None, None if job.state in ("failed", "cancelled") else job
