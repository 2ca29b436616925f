"""What the edits since a run change of it, counted beside the pages."""

from ...background import Job, Urgency
from ...demonstration.demonstration import Status
from ...evaluation.plan.examples import examples_of
from ...evaluation.results.run_figures import PoolEdits, RunFigures
from ...evaluation.runs.outdated import PoolNow, edits_in_examples, requests_of
from ...evaluation.runs.tally import recorded_contexts
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.pool_view import LivePool, QualityKey, with_quality
from ...settings import Embed
from ...text import content_hash
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .running import Figures, embedded, find_pool

KEPT = 32
"""Counts of the edits of runs that are in memory."""


def with_differing(studio: Studio, setup: Setup, found: Figures) -> tuple[Figures, list[Job]]:
    """The figures with how many examples the edits change, as far as that is counted.

    Args:
        studio: Where the run is recorded.
        setup: Its pool, and the encoder that texts are embedded with now; another one than the
            run's chooses nothing.
        found: Figures as `RunKind.latest` gives them.

    Returns:
        The figures, and the jobs that are still counting.
    """
    jobs = list[Job]()

    def counted(figures: RunFigures) -> PoolEdits | None:
        if figures.edits is None:
            return None
        job = _counting(studio, setup, figures, figures.edits.count)
        now = job.snapshot()
        if not now.over:
            jobs.append(job)
        edits: PoolEdits | None = now.result
        return edits or figures.edits

    return found.edited(counted), jobs


def _counting(studio: Studio, setup: Setup, figures: RunFigures, count: int) -> Job:
    """The job that counts, over or not."""
    pools = [find_pool(studio, name) for name in (setup.pool, figures.settings.other_pool)]
    versions = [str(each and each.version) for each in pools]
    parts = (str(figures.run), str(count), *versions, studio.encoder(setup.encoder).fingerprint)
    slot, worker = f"outdated:{content_hash(*parts)}", studio.pool_worker
    worker.forget_older("outdated", KEPT)
    return worker.latest(slot) or worker.submit(
        slot,
        f"Comparing the contexts of run {figures.run} with the pool as it is",
        lambda job: count_differing(studio, setup, figures, count, job.watcher().breathing()),
        urgency=Urgency.SHOWN,
    )


def count_differing(
    studio: Studio, setup: Setup, figures: RunFigures, count: int, watcher: Watcher
) -> PoolEdits:
    """The edits, `count` of them, with how many of the run's examples they change.

    The other arguments are those of `with_differing`.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    settings, store = figures.settings, studio.store
    rows = recorded_contexts(store, figures.run)
    pool, (_, started) = store.pools.get(setup.pool), store.runs.begun(figures.run)
    included = store.demonstrations.all(pool.id, status=Status.INCLUDED)
    ids = {id for row in rows for id in row.outcome.ids}
    changed = store.history.texts_changed(pool.id, list(ids), settings.pool_version, started)
    source = included
    if settings.other_pool is not None:
        other = find_pool(studio, settings.other_pool)
        source = store.demonstrations.all(other.id, status=Status.INCLUDED) if other else []
    view = _view(studio, setup, figures, watcher)
    queries = list(dict.fromkeys(row.query for row in rows)) if view is not None else []
    vectors, _ = embed_texts(store, studio.encoder(setup.encoder), queries, watcher=watcher)
    now = PoolNow(
        examples=examples_of(source),
        changed=changed | (ids - {each.id for each in included}),
        view=view,
        vectors=dict(zip(queries, vectors, strict=True)),
    )
    return edits_in_examples(rows, settings, count, now, watcher)


def _view(studio: Studio, setup: Setup, figures: RunFigures, watcher: Watcher) -> LivePool | None:
    """The pool by the run's encoder, with the quality bias of its model; None by another one."""
    settings = figures.settings
    if studio.encoder(setup.encoder).fingerprint != settings.encoder:
        return None
    wanted = {each.embed for each in requests_of(settings).values()}
    embeds = list(dict.fromkeys((Embed.QUERY, *sorted(wanted))))
    view = embedded(studio, setup, embeds, watcher)
    key = QualityKey(settings.model_fingerprint, settings.template_fingerprint)
    return with_quality(studio.store, view, key)
