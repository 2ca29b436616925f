"""How often each demonstration of a pool is retrieved, counted once for a pool and its knobs."""

from dataclasses import replace

from ...background import Job, Urgency, Watcher
from ...errors import InvalidInput
from ...retrieval.adaptive.neighbours import RUN, with_run
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import PoolView
from ...retrieval.retrieved import Retrieved, asked_queries, count_retrieved, must_not_ask
from ...text import content_hash
from ..explore.exploration import ExploreRequest, usable_request
from ..session.jobs import submit_once
from ..session.studio import Setup, Studio


def retrieved_now(
    studio: Studio, setup: Setup, knobs: Knobs
) -> tuple[Retrieved | None, Job | None]:
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
    found: Retrieved = job.result
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

    def work(job: Job) -> Retrieved:
        return count_now(studio, setup, usable, job.watcher())

    slot = slot_of(view, usable)
    return submit_once(
        studio.pool_worker, slot, f"Retrieval over {setup.pool}", work, urgency=Urgency.RUN
    )


def count_now(studio: Studio, setup: Setup, knobs: Knobs, watcher: Watcher) -> Retrieved:
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
    view = studio.view(setup, embed=knobs.embed, cancelled=watcher.cancelled)
    vectors, _ = embed_texts(
        studio.store,
        studio.encoder(setup.encoder),
        asked_queries(view),
        cancelled=watcher.cancelled,
    )

    return studio.retrieved.get(
        slot_of(view, knobs),
        lambda: count_retrieved(
            view,
            vectors,
            knobs,
            on_progress=watcher.advance,
            cancelled=watcher.cancelled,
        ),
    )


def usable_knobs(view: PoolView, setup: Setup, knobs: Knobs) -> tuple[Knobs, str]:
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
