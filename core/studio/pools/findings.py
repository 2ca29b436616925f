"""What is wrong with a pool: its findings, all at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from ...background import Job
from ...curation.findings.checks.duplicate import words_of
from ...curation.findings.finding import Finding, PoolContents
from ...curation.findings.near import NOTHING, NearTexts, near_texts
from ...curation.findings.registry import find_all
from ...demonstration.demonstration import Demonstration, Status
from ...errors import InvalidInput
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs
from ...retrieval.near_queries import LEAST
from ...retrieval.pool_view import LivePool
from ...retrieval.retrieved import RetrievalCounts, must_not_ask
from ...settings import THRESHOLD
from ...text import content_hash
from ...watcher import EMBEDDING, Watcher
from ..session.readiness import submit_once
from ..session.studio import Setup, Studio
from .retrieved import count_now, retrieved_now, slot_of, usable_knobs

COMPARING, COUNTING = "comparing queries", "counting retrieval"
KEPT = 4
"""So many findings are kept, of the pools and settings that were checked last."""


@dataclass(frozen=True)
class CheckRequest:
    """What is checked, and how strictly.

    Attributes:
        setup: Pool and encoder, and the model whose quality bias the knobs may weigh.
        knobs: With what it is counted how often each demonstration is retrieved.
        threshold: From which similarity on two texts are much the same, from `near.LEAST`, where
            the most pairs are found, to 1, where only the same words are.

    Raises:
        InvalidInput: The threshold is another one.
    """

    setup: Setup
    knobs: Knobs = Knobs()
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        if not LEAST <= self.threshold <= 1.0:
            raise InvalidInput(
                f"A threshold of {self.threshold:g} was given; it must be a similarity from "
                f"{LEAST:g} (more pairs) to 1 (only the same words)."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class PoolFindings:
    """The findings among a pool's included demonstrations.

    Attributes:
        content: Names all that they depend on.
        rows: The demonstrations by id, in the order of the pool.
        queries: How many distinct queries they have.
        retrieved: How often each of them is retrieved; None where the method cannot be asked.
        note: Why that is not counted, or with other knobs than the wanted ones; else empty.
        findings: By the name of the check, the worst checks first, as in `find_all`.
    """

    request: CheckRequest
    content: str
    rows: Mapping[int, Demonstration]
    queries: int
    retrieved: RetrievalCounts | None
    note: str
    findings: Mapping[str, tuple[Finding, ...]]

    @cached_property
    def of_row(self) -> dict[int, tuple[Finding, ...]]:
        """The findings about a demonstration, the worst checks first, by its id."""
        found: dict[int, tuple[Finding, ...]] = {}
        for each in chain.from_iterable(self.findings.values()):
            for id in each.ids:
                found[id] = (*found.get(id, ()), each)
        return found

    @cached_property
    def words(self) -> Mapping[str, int]:
        """In how many demonstrations each word is, as it is spelled."""
        return Counter(chain.from_iterable(map(words_of, self.rows.values())))


def check_pool(studio: Studio, request: CheckRequest, watcher: Watcher) -> PoolFindings:
    """Embed what is not embedded yet, count what is retrieved, and run every check.

    Raises:
        InvalidInput: There is no such pool.
        Cancelled: The watcher asks to stop.
    """
    setup = request.setup
    view, rows = _view_with_rows(studio, setup, watcher)
    watcher.on_phase(COUNTING)
    retrieved, note = _retrieved(studio, view, request, watcher)
    places: dict[int, int] = {}
    for place, group in enumerate(view.groups.tolist()):
        places.setdefault(group, place)
    firsts = [places[group] for group in range(len(places))]
    watcher.on_phase(COMPARING)
    near = studio.near.renew(
        (view.name, view.encoder), lambda before: _compare(view, firsts, before, watcher)
    )
    encoder = studio.encoder(setup.encoder)
    checked = PoolContents(
        rows=rows,
        view=view,
        near=near,
        retrieved=retrieved,
        threshold=request.threshold,
        encode=lambda texts: embed_texts(studio.store, encoder, texts, watcher=watcher.breathing())[
            0
        ],
    )
    return PoolFindings(
        request=request,
        content=_content(view, request),
        rows={row.id: row for row in rows},
        queries=len(firsts),
        retrieved=retrieved,
        note=note,
        findings=find_all(checked),
    )


def _compare(
    view: LivePool, firsts: Sequence[int], before: NearTexts | None, watcher: Watcher
) -> NearTexts:
    """Which of the queries at these positions are much the same; `before` if it has just them."""
    texts = tuple(view.queries[place] for place in firsts)
    if before is not None and before.compared.texts == texts:
        return before
    return near_texts(
        texts,
        view.embeddings[view.rows[firsts]],
        view.services.is_cut,
        known=NOTHING if before is None else before.compared,
        watcher=watcher.breathing(),
    )


@dataclass(frozen=True)
class LatestFindings:
    """How far the findings that a request asks for are.

    Attributes:
        found: The findings of the pool as it is now; else those that were found last, if any.
        job: The job that finds newer ones, which may have failed; None where there is none.
        current: Whether they are of the pool as it is now.
    """

    found: PoolFindings | None
    job: Job | None
    current: bool


def findings_now(studio: Studio, request: CheckRequest) -> LatestFindings:
    """The findings that were found last, and whether they are of the pool as it is now."""
    job = studio.pool_worker.latest(_slot(studio, request))
    if job is None or job.state != "finished":
        return LatestFindings(None, job, current=False)
    found: PoolFindings = job.result
    return LatestFindings(
        found, None, found.content == _content(studio.view(request.setup), request)
    )


def open_findings(studio: Studio, request: CheckRequest) -> tuple[int | None, Job | None]:
    """How many findings of the pool as it is now are not dismissed, or the job that finds them.

    Both are None where that job failed or was cancelled: nobody asked for it.
    """
    now = findings_now(studio, request)
    if now.found is not None and now.current:
        dismissed = studio.store.demonstrations.dismissed(
            studio.store.pools.get(request.setup.pool).id
        )
        every = (each for found in now.found.findings.values() for each in found)
        return sum(each.key not in dismissed for each in every), None
    job = now.job or find_in_background(studio, request)
    return None, None if job.state in ("failed", "cancelled") else job


def find_in_background(studio: Studio, request: CheckRequest) -> Job:
    """The job that finds them, which is started unless it is there.

    One that is at work when the pool changes goes on: what it has compared, the next one need not.
    """

    def work(job: Job) -> PoolFindings:
        return check_pool(studio, request, job.watcher())

    studio.pool_worker.forget_older("findings", KEPT - 1)
    label = f"Checking {request.setup.pool}"
    return submit_once(studio.pool_worker, _slot(studio, request), label, work)


def _slot(studio: Studio, request: CheckRequest) -> str:
    pool = studio.store.pools.get(request.setup.pool)
    return f"findings:{pool.id}:{content_hash(repr(request))}"


def _content(view: LivePool, request: CheckRequest) -> str:
    """Names everything that the findings depend on.

    Without the note, which counts what is scored so far and would make every check an old one.
    """
    try:
        usable, _ = usable_knobs(view, request.setup, request.knobs)
        retrieval = slot_of(view, usable)
    except InvalidInput as error:
        retrieval = str(error)
    pool = (view.name, str(view.version), view.content, view.encoder, view.ids.tobytes().hex())
    return content_hash(*pool, retrieval, repr(request))


def _retrieved(
    studio: Studio, view: LivePool, request: CheckRequest, watcher: Watcher
) -> tuple[RetrievalCounts | None, str]:
    try:
        usable, note = usable_knobs(view, request.setup, request.knobs)
        must_not_ask(usable)
    except InvalidInput as error:
        return None, f"Retrieval is not counted: {error}"
    counted, _ = retrieved_now(studio, request.setup, usable)
    return counted or count_now(studio, request.setup, usable, watcher), note


def _view_with_rows(
    studio: Studio, setup: Setup, watcher: Watcher
) -> tuple[LivePool, Sequence[Demonstration]]:
    """The pool as arrays and its demonstrations, both of one version."""
    watcher.on_phase(EMBEDDING)
    while True:
        view = studio.view(setup, watcher=watcher)
        pool_id = studio.store.pools.get(setup.pool).id
        pool, rows = studio.store.demonstrations.snapshot(pool_id, status=Status.INCLUDED)
        if pool.version == view.version:
            return view, rows
