"""The coverage of a pool for its own queries, or those of another pool, kept while it is new."""

from dataclasses import dataclass

from ...background import Job, Urgency, Watcher
from ...background.watcher import EMBEDDING
from ...curation.coverage import Coverage, cover
from ...demonstration.demonstration import Status
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.pool_view import PoolView
from ...text import content_hash, same_text
from ..session.jobs import submit_once
from ..session.studio import Setup, Studio

COMPARING = "finding the nearest"


@dataclass(frozen=True)
class CoverageRequest:
    """Whose coverage, and which pool's queries are the evaluation queries."""

    setup: Setup
    examples: str

    @property
    def own(self) -> bool:
        """Whether they are the pool's own: each of them has a demonstration already."""
        return self.examples == self.setup.pool


def cover_pool(studio: Studio, request: CoverageRequest, watcher: Watcher) -> Coverage:
    """Embed what is not embedded yet, and find the nearest demonstration of each query.

    Raises:
        InvalidInput: There is no such pool.
        Cancelled: The watcher asks to stop.
    """
    setup = request.setup
    watcher.on_phase(EMBEDDING)
    view = studio.view(setup, on_progress=watcher.on_progress, cancelled=watcher.cancelled)
    pool = studio.store.pools.get(request.examples)
    texts = studio.store.demonstrations.queries(pool.id, status=Status.INCLUDED)
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(same_text(text), text)
    queries = list(first.values())
    vectors, _ = embed_texts(
        studio.store,
        studio.encoder(setup.encoder),
        queries,
        on_progress=watcher.on_progress,
        cancelled=watcher.cancelled,
    )
    watcher.on_phase(COMPARING)
    return cover(
        view,
        queries,
        vectors,
        on_progress=watcher.on_progress,
        cancelled=watcher.cancelled,
    )


def coverage_now(studio: Studio, request: CoverageRequest) -> tuple[Coverage | None, Job | None]:
    """The coverage of the pool as it is now, or the job that finds it, or neither."""
    job = studio.pool_worker.latest(_slot(studio, request))
    if job is None or job.state != "finished":
        return None, job
    found: Coverage = job.result
    return found, None


def cover_in_background(studio: Studio, request: CoverageRequest) -> Job:
    """The job that finds it, which is started unless it is there."""

    def work(job: Job) -> Coverage:
        return cover_pool(studio, request, job.watcher())

    label = f"Coverage of {request.setup.pool}"
    return submit_once(studio.pool_worker, _slot(studio, request), label, work, urgency=Urgency.RUN)


def _slot(studio: Studio, request: CoverageRequest) -> str:
    """Names everything that the coverage depends on."""
    view: PoolView = studio.view(request.setup)
    examples = studio.store.pools.get(request.examples)
    pool = (view.name, str(view.version), view.content, view.ids.tobytes().hex())
    return f"coverage:{content_hash(*pool, str(examples.id), str(examples.version))}"
