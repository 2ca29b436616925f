"""Bootstrap: a program tries queries with known answers, and what comes out right can be kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...curation import guess_mapping, read_table, to_drafts
from ...demonstration.demonstration import Demonstration, EvaluationExample, Status
from ...engines import LocalEngine
from ...errors import InvalidInput
from ...evaluation.plan.examples import examples_of, sample
from ...generation import MAX_NEW_TOKENS
from ...passages.search import PassageSearch
from ...programs import Example, Program, Run
from ...programs.primitives import annotate, answer_match, knn, passage_match
from ...programs.run import Outcome, Reason, Rejection
from ...retrieval.embedded_texts import embed_texts
from ...settings import SEED
from ...store import StoredRun
from ...text import content_hash
from ...types import FloatArray
from ...watcher import EMBEDDING, EXAMPLES, Watcher
from ..passages import SearchRequest, retriever
from ..runs.running import RunKind
from ..session.studio import Setup, Studio
from .attempts import Bootstrap, BootstrapSettings, Tried
from .choices import NEAREST, Near, ProgramChoice, find_choice, in_parts, program_of

EDITION = 1
"""Grows when the same request would come out differently: older runs are then not gone on with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapRequest:
    """Which queries are tried, by which program.

    Attributes:
        setup: The pool whose demonstrations the program has, with encoder, model and template.
        program: The name of one of `CHOICES`.
        examples: The pool whose queries are tried; None for the pool's own, each of which does
            without its own demonstrations.
        file: A file whose queries are tried instead; it is read as an import would.
        passages: The collection that the program searches, by embeddings and words together.
        annotate: How many demonstrations are wanted: no query is tried once there are so many. None
            tries all.
        shots: How many demonstrations the program has; None for its own number.
        limit: How many queries are tried at most, in a random order of the seed; None for all.
        seed: Of that order and of what the program draws.
    """

    setup: Setup
    program: str = NEAREST
    examples: str | None = None
    file: Path | None = None
    passages: str | None = None
    annotate: int | None = None
    shots: int | None = None
    limit: int | None = None
    seed: int = SEED


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapInputs:
    """All that the attempts of a run need; `key` is the hash of what decides what comes out."""

    key: str
    engine: LocalEngine
    retriever: PassageSearch | None
    program: Program
    train: tuple[Example, ...]
    examples: tuple[EvaluationExample, ...]
    settings: BootstrapSettings


def run(studio: Studio, request: BootstrapRequest, watcher: Watcher) -> Bootstrap:
    """Try the queries one after the other; each attempt is kept in the store as it comes.

    The same request goes on where it was stopped or killed, and when it is finished gives what came
    out. Attempts that ended in an error are made again.

    Raises:
        InvalidInput: What was asked for does not go together, or there is no query to be tried.
        Cancelled: The watcher requested a stop; the attempts so far are kept.
    """
    ready = _prepare(studio, request, watcher)
    runs, pool = studio.store.runs, studio.store.pools.get(request.setup.pool)
    recorded = ready.settings.to_json()
    with runs.recording(RUNS.name, pool.id, recorded, key=ready.key) as run_id:
        found = Bootstrap(run_id, ready.settings, (), finished=False)
        known = {
            number: tried
            for number, row in runs.numbered_rows(run_id).items()
            for tried in (Tried.from_json(row),)
            if tried.attempt.reason is not Reason.ERROR
        }
        watcher.on_phase(EXAMPLES)
        for number, example in enumerate(ready.examples):
            if request.annotate is not None and len(found.right) >= request.annotate:
                break
            tried = known.get(number)
            if tried is None:
                watcher.checkpoint()
                tried = _tried(ready, request, number, example, watcher)
                runs.put(run_id, number, tried.to_json())
            found = replace(found, tried=(*found.tried, tried))
            watcher.on_progress(number + 1, len(ready.examples))
            watcher.on_partial(found)
            watcher.breathe()
    return replace(found, finished=True)


def _prepare(studio: Studio, request: BootstrapRequest, watcher: Watcher) -> BootstrapInputs:
    """Load the model, and embed what is to be compared or searched."""
    choice = find_choice(request.program, request.shots, request.passages)
    if request.annotate is not None and request.annotate < 1:
        raise InvalidInput(
            f"{request.annotate} demonstrations are wanted; give 1 or more, or no number for as "
            "many as come out right."
        )
    train = _train(studio, request.setup.pool)
    examples = queries_with_answers(studio, request)
    engine = studio.engine(request.setup)
    shots = choice.shots if request.shots is None else request.shots
    watcher.on_phase(EMBEDDING)
    program = _program(studio, request, choice, train, examples, watcher)
    searched = None
    if request.passages is not None:
        wanted = SearchRequest(collection=request.passages, query="", encoder=request.setup.encoder)
        searched = retriever(studio, wanted, watcher)
    settings = BootstrapSettings(
        pool=studio.store.pools.get(request.setup.pool).name,
        program=choice.name,
        model=engine.name,
        template=request.setup.template,
        shots=shots,
        passages=request.passages,
        examples=request.examples,
        file=None if request.file is None else str(request.file),
        annotate=request.annotate,
        limit=request.limit,
        seed=request.seed,
        queries=len(examples),
        encoder=request.setup.encoder,
    )
    return BootstrapInputs(
        key=_key(studio, request, settings, engine, train, examples, searched),
        engine=engine,
        retriever=searched,
        program=program,
        train=train,
        examples=tuple(examples),
        settings=settings,
    )


def queries_with_answers(studio: Studio, request: BootstrapRequest) -> list[EvaluationExample]:
    """The queries that the request tries, in their order.

    Raises:
        InvalidInput: There is none, the file cannot be read, or both a pool and a file are named.
    """
    if request.file is not None and request.examples is not None:
        raise InvalidInput(
            f"Queries are to come from pool {request.examples!r} and from {request.file}; name one "
            "of the two."
        )
    if request.file is not None:
        table = read_table(request.file)
        drafts = to_drafts(table, guess_mapping(table)).drafts
        rows: Sequence[Demonstration] = [
            Demonstration(each.query, each.answer, each.incorrect, best=each.best, id=0, revision=0)
            for each in drafts
        ]
    else:
        source = studio.store.pools.get(request.examples or request.setup.pool)
        rows = studio.store.demonstrations.all(source.id, status=Status.INCLUDED)
    found = sample(examples_of(rows), request.limit, request.seed)
    if not found:
        raise InvalidInput(
            f"Pool {request.examples or request.setup.pool!r} has no query with an answer: import "
            "some, or take them from another pool or a file."
        )
    return found


def resumed(setup: Setup, settings: BootstrapSettings) -> BootstrapRequest:
    """The request that a run was begun with, for this model."""
    return BootstrapRequest(
        setup=replace(
            setup, pool=settings.pool, encoder=settings.encoder, template=settings.template
        ),
        program=settings.program,
        examples=settings.examples,
        file=None if settings.file is None else Path(settings.file),
        passages=settings.passages,
        annotate=settings.annotate,
        shots=settings.shots,
        limit=settings.limit,
        seed=settings.seed,
    )


def _tried(
    ready: BootstrapInputs,
    request: BootstrapRequest,
    number: int,
    example: EvaluationExample,
    watcher: Watcher,
) -> Tried:
    # A run of its own for each: its trace has the steps of this attempt and no others.
    of = Run(ready.engine, ready.retriever, request.seed, watcher=watcher.quietly())
    attempt = partial(_attempt, of, ready.program, ready.train)
    (one,) = annotate(of, [_as_trained(example)], attempt, keep_raw=False).attempts
    return Tried(number, example, one)


def _attempt(of: Run, program: Program, train: tuple[Example, ...], example: Example) -> Outcome:
    outcome = program(of, example.copy(train=train))
    if not isinstance(outcome, Example):
        return outcome
    if of.retriever is not None and not passage_match(outcome):
        return Rejection(Reason.SEARCH_FAILED, outcome)
    return outcome if answer_match(outcome) else Rejection(Reason.ANSWER_WRONG, outcome)


def _train(studio: Studio, pool: str) -> tuple[Example, ...]:
    """The pool's queries with their answers, in the order of the pool."""
    rows = studio.store.demonstrations.all(studio.store.pools.get(pool).id, status=Status.INCLUDED)
    return tuple(map(_as_trained, examples_of(rows)))


def _as_trained(example: EvaluationExample) -> Example:
    """The example as a program has it: the best answer is the first, which prompts show."""
    best = example.answers[example.best]
    others = (each for each in example.answers if each != best)
    return Example(example.query, (best, *others))


def _program(
    studio: Studio,
    request: BootstrapRequest,
    choice: ProgramChoice,
    train: tuple[Example, ...],
    examples: Sequence[EvaluationExample],
    watcher: Watcher,
) -> Program:
    shots = (choice.shots or 0) if request.shots is None else request.shots
    if choice.name != NEAREST:
        return program_of(choice, shots, None, None)
    template = in_parts(studio.template(request.setup))
    return program_of(choice, shots, _near(studio, request, train, examples, watcher), template)


def _near(
    studio: Studio,
    request: BootstrapRequest,
    train: tuple[Example, ...],
    examples: Sequence[EvaluationExample],
    watcher: Watcher,
) -> Near:
    encoder = studio.encoder(request.setup.encoder)

    def encode(texts: Sequence[str]) -> FloatArray:
        rows, _ = embed_texts(studio.store, encoder, texts, watcher=watcher)
        return rows

    # All at once: later each query is read from the store.
    encode([*(each.question for each in train), *(each.query for each in examples)])
    return knn(train, encode)


def _key(
    studio: Studio,
    request: BootstrapRequest,
    settings: BootstrapSettings,
    engine: LocalEngine,
    train: tuple[Example, ...],
    examples: Sequence[EvaluationExample],
    searched: PassageSearch | None,
) -> str:
    """The hash of everything that decides what comes out; names of pools and files do not."""
    compares = settings.program == NEAREST or searched is not None
    parts = {
        "edition": EDITION,
        "program": settings.program,
        "shots": settings.shots,
        "annotate": request.annotate,
        "seed": request.seed,
        "tokens": MAX_NEW_TOKENS,
        "model": engine.fingerprint,
        "template": engine.template.fingerprint if settings.program == NEAREST else "",
        "encoder": studio.encoder(request.setup.encoder).fingerprint if compares else "",
        "train": [[each.question, *each.answers] for each in train],
        "examples": [[each.query, list(each.answers), list(each.incorrect)] for each in examples],
        "passages": searched.collected.texts if searched is not None else (),
    }
    return content_hash(json.dumps(parts, sort_keys=True))


def _result(studio: Studio, run: StoredRun) -> Bootstrap:
    rows = studio.store.runs.numbered_rows(run.id).values()
    settings = BootstrapSettings.from_json(run.settings)
    tried = tuple(map(Tried.from_json, rows))
    return Bootstrap(run.id, settings, tried, finished=run.state == "finished")


RUNS = RunKind(
    name="bootstrap",
    label=lambda request: f"Bootstrapping from {request.setup.pool}",
    run=run,
    settings=BootstrapSettings.from_json,
    resumed=resumed,
    result=_result,
)
"""Bootstraps; partial and final results of a job are `Bootstrap`."""
