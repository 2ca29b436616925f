"""Programs over the questions of a pool: recorded as they go, in the background, resumed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ...demonstration.demonstration import Demonstration, Status
from ...engines import LocalEngine
from ...errors import InvalidInput
from ...evaluation.plan.examples import examples_of, sample
from ...evaluation.results.run_figures import PoolEdits
from ...generation import GenerationRequest
from ...passages.search import PassageSearch, SearchBy
from ...programs import Example, Run
from ...programs.trial import Share, TrialRow, draw, run_trial
from ...programs.trial.running import Record
from ...recorded import write
from ...store import StoredRun
from ...text import content_hash, is_blank, listed, normalised, same_text
from ...watcher import EMBEDDING, EXAMPLES, NOBODY, Watcher
from ..passages import SearchRequest, retriever
from ..runs.running import RunKind, edits_since
from ..session.studio import Studio
from .trial_records import (
    TrialBasis,
    TrialReport,
    TrialRequest,
    TrialSettings,
    TrialSoFar,
    is_failed,
    record_of,
    report_of,
)

VERSION = "1"
"""Of what decides a trial's records beside its request: another one is another run."""


@dataclass(frozen=True, kw_only=True)
class _TrialInputs:
    rows: tuple[TrialRow, ...]
    shares: tuple[Share, ...]
    searched: PassageSearch | None
    engine: LocalEngine
    basis: TrialBasis
    fingerprint: str | None

    @property
    def key(self) -> str:
        """The hash of everything that decides the records."""
        searched = self.searched
        passages = () if searched is None else tuple(searched.collected.texts)
        parts = (
            VERSION,
            write([(row.name, dict(row.knobs)) for row in self.rows]),
            [share.to_json() for share in self.shares],
            content_hash(*passages),
            self.basis.by,
            self.fingerprint,
            self.engine.fingerprint,
            self.basis.sampling,
            self.basis.max_new_tokens,
        )
        return content_hash(json.dumps(parts))


def run(studio: Studio, request: TrialRequest, watcher: Watcher = NOBODY) -> TrialReport:
    """Run the programs over the questions; what was recorded before is not asked again.

    Every record is kept as it comes; questions that failed are asked again the next time. Texts
    that the model wrote are kept too, so that a run that was killed in the middle of a question
    asks nothing twice. Partial results are `TrialSoFar`.

    Raises:
        InvalidInput: An unknown program, knob, pool, collection or model; no questions; a program
            that searches for passages without any; a program of conversations, since a pool's
            queries have no earlier turns; or every question failed.
        Cancelled: The watcher requested a stop; what was recorded is kept.
    """
    prepared = _prepare(studio, request, watcher)
    settings = TrialSettings(request, prepared.basis)
    runs, pool = studio.store.runs, studio.store.pools.get(request.pool)
    with runs.recording(RUNS.name, pool.id, settings.to_json(), key=prepared.key) as run_id:
        settings = settings.of_run(run_id)
        rows = runs.numbered_rows(run_id).items()
        so_far = {number: record for number, row in rows if not is_failed(record := record_of(row))}

        def keep(number: int, record: Record) -> None:
            runs.put(run_id, number, record.to_json())
            if not is_failed(record):
                so_far[number] = record

        def progress(done: int, total: int) -> None:
            watcher.on_progress(done, total)
            watcher.on_partial(TrialSoFar(settings, tuple(so_far.values())))
            watcher.breathe()

        watcher.on_phase(EXAMPLES)
        started = Run(
            prepared.engine,
            prepared.searched,
            max_new_tokens=request.max_new_tokens,
            watcher=watcher.quietly(),
            sampling=request.sampling,
        )
        records = run_trial(
            prepared.rows,
            prepared.shares,
            started,
            known=dict(so_far),
            on_record=keep,
            watcher=Watcher(on_progress=progress),
        )
        report = report_of(settings, records)
        failed = [each for each in report.trial.answers if each.error]
        if len(failed) == len(report.trial.answers):
            raise InvalidInput(f"Every question failed; the first one: {failed[0].error}")
    return report


def edits(studio: Studio, found: TrialSoFar) -> PoolEdits | None:
    """What was edited since the trial in the pools of its training examples and its questions."""
    basis = found.settings.basis
    other = None if basis.examples == basis.pool else basis.examples
    return edits_since(studio, basis.run, basis.pool_version, other)


def questions_in(studio: Studio, pool: str) -> tuple[Example, ...]:
    """The pool's evaluation examples as questions: the best answer first, with an id.

    The id is that of the query's first demonstration.
    """
    found = studio.store.demonstrations.all(studio.store.pools.get(pool).id, status=Status.INCLUDED)
    return _examples(found)


def _examples(demonstrations: Sequence[Demonstration]) -> tuple[Example, ...]:
    ids: dict[str, int] = {}
    for each in demonstrations:
        ids.setdefault(same_text(each.query), each.id)
    order = [(each, each.answers[each.best]) for each in sample(examples_of(demonstrations))]
    return tuple(
        Example(each.query, tuple(dict.fromkeys((best, *each.answers)))).copy(
            id=str(ids[same_text(each.query)])
        )
        for each, best in order
    )


def _prepare(studio: Studio, request: TrialRequest, watcher: Watcher) -> _TrialInputs:
    rows = request.rows
    GenerationRequest("", temperature=request.sampling, max_new_tokens=request.max_new_tokens)
    _refuse(rows, request)
    pool = studio.store.pools.get(request.pool)
    source = studio.store.pools.get(request.examples or request.pool)
    asked = _asked(studio, source.name, request)
    shots = max((row.knobs.get("shots", 0) for row in rows), default=0)
    shares = draw(asked, questions_in(studio, pool.name), shots=shots, seeds=request.seeds)
    searched = None
    if request.passages is not None and any(row.program.searches for row in rows):
        watcher.on_phase(EMBEDDING)
        search = SearchRequest(
            collection=request.passages, query="", by=request.by, encoder=request.encoder
        )
        searched = retriever(studio, search, watcher)
    encoder = (
        studio.encoder(request.encoder) if searched and request.by is not SearchBy.BM25 else None
    )
    engine = studio.engine(request.setup)
    basis = TrialBasis(
        pool=pool.name,
        pool_version=pool.version,
        examples=source.name,
        questions=len(asked),
        seeds=len(shares),
        shots=shots,
        drawn=min(len(share.train) for share in shares),
        passages=searched.collected.name if searched else None,
        passages_version=searched.collected.version if searched else None,
        by=request.by.value if searched else None,
        encoder=encoder.name if encoder else None,
        model=engine.name,
        sampling=request.sampling,
        max_new_tokens=request.max_new_tokens,
        run=0,
    )
    fingerprint = encoder.fingerprint if encoder else None
    return _TrialInputs(
        rows=rows,
        shares=shares,
        searched=searched,
        engine=engine,
        basis=basis,
        fingerprint=fingerprint,
    )


def _asked(studio: Studio, pool: str, request: TrialRequest) -> tuple[Example, ...]:
    """The questions: those of the pool, or the one that is given."""
    found = questions_in(studio, pool)
    if request.question is not None:
        if is_blank(request.question):
            raise InvalidInput("The question is empty; give one, or none for those of the pool.")
        wanted = normalised(request.question)
        own = [each for each in found if normalised(each.question) == wanted]
        return (*own, Example(request.question.strip()))[:1]
    if not found:
        raise InvalidInput(
            f"The pool {pool!r} has no demonstration that is included, so there is nothing to ask; "
            "import some, or take the questions from another pool."
        )
    return found[: _limit(request.limit)]


def _limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise InvalidInput(f"The limit of questions is {limit}; give 1 or more, or none for all.")
    return limit


def _refuse(rows: Sequence[TrialRow], request: TrialRequest) -> None:
    """Refuse what cannot run before the model is loaded."""
    for row in rows:
        if row.program.converses:
            raise InvalidInput(
                f"The program {row.name} answers questions of conversations, and the queries of a "
                "pool have no earlier turns; choose open-domain or multi-hop for single questions."
            )
        if row.program.searches and request.passages is None:
            raise InvalidInput(
                f"The program {row.name} searches for passages: name a collection of them, or "
                "choose vanilla, which needs none."
            )


def _result(studio: Studio, run: StoredRun) -> TrialSoFar:
    rows = studio.store.runs.numbered_rows(run.id).values()
    records = tuple(map(record_of, rows))
    settings = TrialSettings.from_json(run.settings).of_run(run.id)
    report = report_of(settings, records) if run.state == "finished" else None
    return TrialSoFar(settings, tuple(each for each in records if not is_failed(each)), report)


RUNS = RunKind(
    name="trial",
    label=lambda request: f"Running {listed(request.programs)} on {request.pool}",
    run=run,
    settings=TrialSettings.from_json,
    resumed=lambda setup, settings: settings.request,
    result=_result,
)
"""Trials; partial results of a job are `TrialSoFar`, the result is a `TrialReport`."""
