"""What is wrong with a pool: its findings, all at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...background import Watcher
from ...background.watcher import EMBEDDING
from ...curation.findings.checked import Checked
from ...curation.findings.finding import Finding
from ...curation.findings.near import LEAST, near_texts
from ...curation.findings.registry import find_all
from ...demonstration.demonstration import Demonstration, Status
from ...errors import InvalidInput
from ...retrieval.knobs import Knobs
from ...retrieval.pool_view import PoolView
from ...retrieval.retrieved import Retrieved
from ...settings import THRESHOLD
from ..session.studio import Setup, Studio
from .retrieved import count_now, usable_knobs

COMPARING, COUNTING = "comparing queries", "counting retrieval"


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


@dataclass(frozen=True, eq=False)
class PoolFindings:
    """The findings among a pool's included demonstrations.

    Attributes:
        rows: The demonstrations by id, in the order of the pool.
        queries: How many distinct queries they have.
        retrieved: How often each of them is retrieved.
        note: Why other knobs than the wanted ones counted that, if so.
        findings: By the name of the check, the worst checks first, as in `find_all`.
    """

    request: CheckRequest
    rows: Mapping[int, Demonstration]
    queries: int
    retrieved: Retrieved
    note: str
    findings: Mapping[str, tuple[Finding, ...]]


def check_pool(studio: Studio, request: CheckRequest, watcher: Watcher) -> PoolFindings:
    """Embed what is not embedded yet, count what is retrieved, and run every check.

    Raises:
        InvalidInput: There is no such pool, or the method asks the language model for every query.
        Cancelled: The watcher asks to stop.
    """
    setup = request.setup
    view, rows = _view_with_rows(studio, setup, watcher)
    usable, note = usable_knobs(view, setup, request.knobs)
    watcher.on_phase(COUNTING)
    retrieved = count_now(studio, setup, usable, watcher)
    places: dict[int, int] = {}
    for place, group in enumerate(view.groups.tolist()):
        places.setdefault(group, place)
    firsts = [places[group] for group in range(len(places))]
    watcher.on_phase(COMPARING)
    near = near_texts(
        [view.queries[place] for place in firsts],
        view.embeddings[view.rows[firsts]],
        on_progress=watcher.on_progress,
        cancelled=watcher.cancelled,
    )
    checked = Checked(rows, view, near, retrieved, request.threshold)
    return PoolFindings(
        request,
        {row.id: row for row in rows},
        len(firsts),
        retrieved,
        note,
        find_all(checked),
    )


def _view_with_rows(
    studio: Studio, setup: Setup, watcher: Watcher
) -> tuple[PoolView, Sequence[Demonstration]]:
    """The pool as arrays and its demonstrations, both of one version."""
    watcher.on_phase(EMBEDDING)
    while True:
        view = studio.view(setup, on_progress=watcher.on_progress, cancelled=watcher.cancelled)
        pool_id = studio.store.pools.get(setup.pool).id
        pool, rows = studio.store.demonstrations.snapshot(pool_id, status=Status.INCLUDED)
        if pool.version == view.version:
            return view, rows
