"""Programs over the questions of a pool: recorded as they go, and gone on with after a stop."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...background import Watcher
from ...background.watcher import EMBEDDING, EXAMPLES
from ...demonstration.demonstration import Demonstration, Status
from ...engines import LocalEngine
from ...errors import InvalidInput
from ...evaluation.plan.examples import examples_of, sample
from ...generation import MAX_NEW_TOKENS, GenerationRequest
from ...passages.search import By, PassageSearch
from ...programs import Example, Run
from ...programs.run import TEMPERATURE
from ...programs.trial import Answer, Demonstrated, Row, Share, Trial, draw, run_trial, summarised
from ...programs.trial.drawing import SEEDS
from ...programs.trial.rows import rows_of
from ...programs.trial.running import Record
from ...recorded import Recorded, write
from ...settings import SCRIPTED
from ...store import Json
from ...text import content_hash, same_text, short
from ..passages.collections import SearchRequest, retriever
from ..session.models import caution
from ..session.studio import Setup, Studio

KIND = "trial"
"""What the store records such runs as."""

VERSION = "1"
"""Of what decides a trial's records beside its request: another one is another run."""

SCRIPTED_SAYS = (
    "The model is scripted: rules that read the passages in the prompt, with planted faults. Its "
    "figures show how the parts of a program work, and say nothing about language models."
)


@dataclass(frozen=True)
class TrialRequest(Recorded):
    """Which programs run, on what, and with which numbers.

    Attributes:
        programs: Names of programs, the first one being what the others are compared with.
        pool: Training examples are drawn from its demonstrations; one a query.
        passages: The collection that is searched; None for programs that search for none.
        knobs: Numbers in place of the paper's, by the knobs' names.
        ablate: Whether each program is also run without each of its parts.
        examples: Another pool whose queries are the questions; None is the pool itself.
        seeds: How many draw training examples and share the questions, >= 1.
        limit: The most questions, >= 1, in the order in which evaluations take them; None is all.
        by: What passages are compared with a query by.
        encoder: Of the passages; None is the bundled one.
        model: None is the chosen one.
        sampling: The temperature of several texts.
        max_new_tokens: The most tokens of a text.
    """

    programs: tuple[str, ...]
    pool: str
    passages: str | None = None
    knobs: Mapping[str, int] = field(default_factory=dict)
    ablate: bool = False
    examples: str | None = None
    seeds: int = SEEDS
    limit: int | None = None
    by: By = By.FUSED
    encoder: str | None = None
    model: str | None = None
    sampling: float = TEMPERATURE
    max_new_tokens: int = MAX_NEW_TOKENS


@dataclass(frozen=True, slots=True)
class TrialBasis(Recorded):
    """What a trial was made with.

    Attributes:
        pool: The pool of the training examples.
        pool_version: Its version.
        examples: The pool of the questions.
        questions: How many there are.
        seeds: How many seeds have some of them.
        shots: Training examples that each seed was to draw.
        drawn: The fewest that one drew.
        passages: The collection; None where nothing is searched.
        passages_version: Its version.
        by: What passages are compared with a query by; None where nothing is searched.
        encoder: The encoder's name; None where none is used.
        model: The model's name.
        sampling: The temperature of several texts.
        max_new_tokens: The most tokens of a text.
        run: The number of the recorded run.
    """

    pool: str
    pool_version: int
    examples: str
    questions: int
    seeds: int
    shots: int
    drawn: int
    passages: str | None
    passages_version: int | None
    by: str | None
    encoder: str | None
    model: str
    sampling: float
    max_new_tokens: int
    run: int


@dataclass(frozen=True, slots=True)
class TrialSettings(Recorded):
    """What a trial was asked for and made with, as its run is recorded with."""

    request: TrialRequest
    basis: TrialBasis


@dataclass(frozen=True)
class TrialReport:
    """A trial, what it was made with, and what to mind of it as sentences."""

    basis: TrialBasis
    trial: Trial
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Prepared:
    rows: tuple[Row, ...]
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


def run(studio: Studio, request: TrialRequest, watcher: Watcher | None = None) -> TrialReport:
    """Run the programs over the questions; what was recorded before is not asked again.

    Every record is kept as it comes, except those of questions that failed, which are asked again
    the next time. Texts that the model wrote are kept too, so that a run that was killed in the
    middle of a question asks nothing twice.

    Raises:
        InvalidInput: An unknown program, knob, pool, collection or model; no questions; a program
            that searches for passages without any; a program of conversations, since a pool's
            queries have no earlier turns; or every question failed.
        Cancelled: The watcher requested a stop; what was recorded is kept.
    """
    watcher = watcher or Watcher()
    prepared = _prepare(studio, request, watcher)
    settings = TrialSettings(request, prepared.basis)
    kept = studio.store.program_runs.start(KIND, prepared.key, settings.to_json())
    known = {
        number: record_of(row) for number, row in studio.store.program_runs.records(kept.id).items()
    }

    def keep(number: int, record: Record) -> None:
        if not (isinstance(record, Answer) and record.error):
            studio.store.program_runs.append(kept.id, number, record.to_json())

    watcher.on_phase(EXAMPLES)
    started = Run(
        prepared.engine,
        prepared.searched,
        max_new_tokens=request.max_new_tokens,
        cancelled=watcher.cancelled,
        sampling=request.sampling,
    )
    records = run_trial(
        prepared.rows,
        prepared.shares,
        started,
        known=known,
        on_record=keep,
        on_progress=watcher.on_progress,
    )
    trial = summarised(prepared.rows, records)
    failed = [each for each in trial.answers if each.error]
    if len(failed) == len(trial.answers):
        raise InvalidInput(f"Every question failed; the first one: {failed[0].error}")
    if not failed:
        studio.store.program_runs.finish(kept.id)
    basis = replace(prepared.basis, run=kept.id)
    return TrialReport(basis, trial, _notes(request, basis, trial))


def record_of(row: Mapping[str, Json]) -> Record:
    """The record that a trial kept."""
    return Demonstrated.from_json(row) if "annotated" in row else Answer.from_json(row)


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


def _prepare(studio: Studio, request: TrialRequest, watcher: Watcher) -> _Prepared:
    rows = rows_of(request.programs, request.knobs, ablate=request.ablate)
    GenerationRequest("", temperature=request.sampling, max_new_tokens=request.max_new_tokens)
    _refuse(rows, request)
    pool = studio.store.pools.get(request.pool)
    source = studio.store.pools.get(request.examples or request.pool)
    asked = questions_in(studio, source.name)[: _limit(request.limit)]
    if not asked:
        raise InvalidInput(
            f"The pool {source.name!r} has no demonstration that is included, so there is nothing "
            "to ask; import some, or choose another with --examples."
        )
    shots = max((row.knobs.get("shots", 0) for row in rows), default=0)
    shares = draw(asked, questions_in(studio, pool.name), shots=shots, seeds=request.seeds)
    searched = None
    if request.passages is not None and any(row.program.searches for row in rows):
        watcher.on_phase(EMBEDDING)
        search = SearchRequest(request.passages, "", by=request.by, encoder=request.encoder)
        searched = retriever(studio, search, watcher)
    encoder = studio.encoder(request.encoder) if searched and request.by is not By.BM25 else None
    engine = studio.engine(Setup(pool.name, request.encoder, request.model))
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
    return _Prepared(rows, shares, searched, engine, basis, fingerprint)


def _limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise InvalidInput(f"The limit of questions is {limit}; give 1 or more, or none for all.")
    return limit


def _refuse(rows: Sequence[Row], request: TrialRequest) -> None:
    """Refuse what cannot run before the model is loaded."""
    for row in rows:
        if row.program.converses:
            raise InvalidInput(
                f"The program {row.name} answers questions of conversations, and the queries of a "
                "pool have no earlier turns; choose open-domain or multi-hop for single questions."
            )
        if row.program.searches and request.passages is None:
            raise InvalidInput(
                f"The program {row.name} searches for passages: name a collection with --passages, "
                "or choose vanilla, which needs none."
            )


def _notes(request: TrialRequest, basis: TrialBasis, trial: Trial) -> tuple[str, ...]:
    notes = []
    if basis.model == SCRIPTED:
        notes.append(SCRIPTED_SAYS)
    asked = [answer for each in trial.answers for answer in each.answers]
    notes.append(caution(Setup(request.pool, model=request.model).model_name, asked))
    failed = [each for each in trial.answers if each.error]
    if failed:
        notes.append(
            f"Questions that failed and count as wrong: {len(failed):,} of {len(trial.answers):,}; "
            f"the first one: {short(failed[0].error, 200)}"
        )
    if trial.cost.shortened:
        notes.append(
            f"Prompts that had no room for everything: {trial.cost.shortened:,} of "
            f"{trial.cost.calls:,}; left out of them were {trial.cost.raw:,} raw demonstrations, "
            f"{trial.cost.augmented:,} augmented ones and {trial.cost.passages:,} passages."
        )
    if basis.seeds < request.seeds:
        notes.append(
            f"There are fewer questions than seeds: {basis.seeds:,} of {request.seeds:,} "
            "seeds have one."
        )
    if basis.drawn < basis.shots:
        notes.append(
            f"The pool has fewer than {basis.shots:,} training examples: {basis.drawn:,} were "
            "drawn."
        )
    return tuple(filter(None, notes))
