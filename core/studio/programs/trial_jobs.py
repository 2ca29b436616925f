"""Trials in the background, and the one that a page shows, also from before a restart."""

from dataclasses import replace

from ...background import Job
from ...store import ProgramRun
from ...text import listed
from ..session.studio import Studio
from .trial_records import (
    TrialReport,
    TrialRequest,
    TrialSettings,
    TrialSoFar,
    record_of,
    report_of,
)
from .trials import KIND, run


def start(studio: Studio, request: TrialRequest) -> Job:
    """Run in the background; partial results are `TrialSoFar`, the result is a `TrialReport`."""
    return studio.model_worker.submit(
        _slot(studio, request.pool),
        f"Running {listed(request.programs)} on {request.pool}",
        lambda job: run(studio, request, job.watcher()),
    )


def job_of(studio: Studio, pool: str) -> Job | None:
    """The pool's trial since the server started, finished or not."""
    return studio.model_worker.latest(_slot(studio, pool))


def latest(studio: Studio, pool: str) -> TrialSoFar | None:
    """The pool's trial that was asked for last since the server started, as far as it came.

    Before the first it is the one that was begun last; None where there is none.
    """
    job = job_of(studio, pool)
    report: TrialReport | None = None if job is None else job.result
    partial: TrialSoFar | None = None if job is None else job.partial
    if report is not None and partial is not None:
        return TrialSoFar(partial.settings, partial.records, report)
    if partial is not None:
        return partial
    name = studio.store.pools.get(pool).name
    for found in studio.store.program_runs.latest(KIND):
        settings = TrialSettings.from_json(found.asked)
        if settings.basis.pool == name:
            return _recorded(studio, found, settings)
    return None


def _recorded(studio: Studio, found: ProgramRun, settings: TrialSettings) -> TrialSoFar:
    """The run as the store has it, read once as long as nothing is added: a page asks often."""
    runs = studio.store.program_runs

    def read() -> TrialSoFar:
        records = tuple(map(record_of, runs.records(found.id).values()))
        known = TrialSettings(settings.request, replace(settings.basis, run=found.id))
        report = None if found.finished is None else report_of(known, records)
        return TrialSoFar(known, records, report)

    kept = studio.recorded.get((KIND, found.id, found.finished, runs.count(found.id)), read)
    assert isinstance(kept, TrialSoFar)
    return kept


def _slot(studio: Studio, pool: str) -> str:
    return f"{KIND}:{studio.store.pools.get(pool).id}"
