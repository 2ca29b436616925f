"""How often each demonstration is retrieved, and where a pool has holes; kept while new."""

from dataclasses import dataclass, replace

from ...background import Job, Urgency
from ...curation.coverage import Coverage, cover
from ...demonstration.demonstration import Status
from ...errors import InvalidInput
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs
from ...retrieval.methods.neighbours import RUN, with_run
from ...retrieval.pool_view import LivePool, PoolView
from ...retrieval.retrieved import RetrievalCounts, asked_queries, count_retrieved, must_not_ask
from ...text import content_hash, same_text
from ...watcher import EMBEDDING, Watcher
from ..explore.exploration import ExploreRequest, usable_request
from ..session.readiness import submit_once
from ..session.studio import Setup, Studio


def retrieved_now(
    studio: Studio, setup: Setup, knobs: Knobs
) -> tuple[RetrievalCounts | None, Job | None]:
    """The counts for the pool as it is now and these knobs, or the job that makes them, or neither.

    Neither as well where nothing can be chosen with the knobs yet.
    """
    view = studio.view(setup)
    try:
        usable, _ = usable_knobs(view, setup, knobs)
    except InvalidInput:
        return None, None
    job = studio.pool_worker.latest(slot_of(view, usable))
    if job is None or job.state != "finished":
        return None, job
    found: RetrievalCounts = job.result
    return found, None


def count_in_background(studio: Studio, setup: Setup, knobs: Knobs) -> Job:
    """The job that counts, which is started unless it is there.

    Raises:
        InvalidInput: The method asks the language model, or itself weighs the quality bias, which
            is not scored, or there is no run that it chooses by.
    """
    view = studio.view(setup)
    usable, _ = usable_knobs(view, setup, knobs)
    must_not_ask(usable)

    def work(job: Job) -> RetrievalCounts:
        return count_now(studio, setup, usable, job.watcher())

    slot = slot_of(view, usable)
    return submit_once(
        studio.pool_worker, slot, f"Retrieval over {setup.pool}", work, urgency=Urgency.RUN
    )


def count_now(studio: Studio, setup: Setup, knobs: Knobs, watcher: Watcher) -> RetrievalCounts:
    """How often each demonstration is retrieved, after embedding what the knobs compare.

    Args:
        studio: Where the pool is.
        setup: The pool, and what it is embedded and scored with.
        knobs: As the pool can serve them (`usable_knobs`).
        watcher: Its progress, and whether to stop.

    Raises:
        InvalidInput: The method asks the language model.
        Cancelled: The watcher asks to stop.
    """
    must_not_ask(knobs)
    view = studio.view(setup, embed=knobs.embed, watcher=watcher.quietly())
    vectors, _ = embed_texts(
        studio.store, studio.encoder(setup.encoder), asked_queries(view), watcher=watcher.quietly()
    )

    return studio.retrieved.get(
        slot_of(view, knobs),
        lambda: count_retrieved(view, vectors, knobs, watcher=watcher.breathing()),
    )


def usable_knobs(view: LivePool, setup: Setup, knobs: Knobs) -> tuple[Knobs, str]:
    """The knobs as the pool can serve them now, with the run that they mean, and why others.

    The reason is empty where they are the given ones.

    Raises:
        InvalidInput: The method itself weighs the quality bias, which is not scored, or there is
            no run that it chooses by.
    """
    wanted = ExploreRequest(setup, "", replace(knobs, index=None))
    request, reason = usable_request(view, wanted)
    return with_run(view, request.knobs), reason


def slot_of(view: PoolView, knobs: Knobs) -> str:
    """Names everything that the counts depend on; the settings of a run may weigh the bias."""
    biased = knobs.needs_bias or RUN in dict(knobs.own_values)
    bias = view.quality_bias.tobytes().hex() if biased else ""
    pool = (view.name, str(view.version), view.content, view.ids.tobytes().hex(), bias)
    return f"retrieved:{content_hash(*pool, repr(knobs))}"


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
    view = studio.view(setup, watcher=watcher)
    pool = studio.store.pools.get(request.examples)
    texts = studio.store.demonstrations.queries(pool.id, status=Status.INCLUDED)
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(same_text(text), text)
    queries = list(first.values())
    vectors, _ = embed_texts(studio.store, studio.encoder(setup.encoder), queries, watcher=watcher)
    watcher.on_phase(COMPARING)
    return cover(view, queries, vectors, watcher=watcher)


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
