"""Reading a pool one demonstration after the other: queues, decisions, what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np

from ...curation.findings.registry import CHECKS
from ...demonstration.demonstration import Demonstration, Status
from ...errors import InvalidInput
from ...interval import defined
from ...retrieval.pool_view import PoolView
from ...store import Change, ReviewQueue
from ...text import short
from ...types import BoolArray, FloatArray
from ..explore.exploration import query_vector
from ..session.studio import Setup, Studio
from .demonstrations import undo
from .findings import PoolFindings

NEIGHBOURS = 4
"""So many of the nearest other queries are shown beside a demonstration."""


class Decision(StrEnum):
    """What is decided about a demonstration that was read."""

    KEEP = "keep"
    """It is included; a pinned one stays pinned."""
    EXCLUDE = "exclude"


@dataclass(frozen=True)
class Neighbour:
    """Another demonstration near one, with the cosine of their embedded texts, in [-1, 1]."""

    id: int
    query: str
    answer: str
    cosine: float


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of a demonstration besides its fields.

    Attributes:
        answers: The other included answers to its query.
        neighbours: The nearest included ones of other queries, the nearest first.
        quality_bias: In nats; None where it is not scored, or the demonstration is not included.
        retrieved: The share of the contexts of the pool's own queries that it is in, in [0, 1];
            None where that is not counted.
        checks: The names of the checks that found something about it; None before they ran.
        partners: The others of its findings of the kind that is read, at most `NEIGHBOURS`.
    """

    answers: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    quality_bias: float | None
    retrieved: float | None
    checks: tuple[str, ...] | None
    partners: tuple[Demonstration, ...] = ()


def begin(studio: Studio, pool: str, name: str, ids: Sequence[int]) -> ReviewQueue:
    """A queue of these demonstrations in their order, named after where they come from.

    A queue of that name with the same demonstrations and something left is continued instead.

    Raises:
        InvalidInput: There is no such pool, none is named, or one of them is not in it.
    """
    wanted = list(dict.fromkeys(ids))
    queues = studio.store.review_queues
    for queue in begun(studio, pool):
        if (queue.name, queue.size) == (name, len(wanted)) and queues.ids(queue.id) == wanted:
            return queue
    return queues.start(studio.store.pools.get(pool).id, name, wanted)


def begun(studio: Studio, pool: str) -> list[ReviewQueue]:
    """The pool's queues that have something left to decide, the latest first; one of each name."""
    found = studio.store.review_queues.of_pool(studio.store.pools.get(pool).id)
    latest: dict[str, ReviewQueue] = {}
    for queue in found:
        if queue.left:
            latest.setdefault(queue.name, queue)
    return list(latest.values())


def begin_with_the_rest(studio: Studio, pool: str) -> ReviewQueue:
    """A queue of every demonstration of the pool that nobody has reviewed.

    Raises:
        InvalidInput: There is no such pool, or all of them are reviewed.
    """
    ids = studio.store.review_queues.unreviewed(studio.store.pools.get(pool).id)
    return begin(studio, pool, "not reviewed yet", ids)


def queue_of(studio: Studio, pool: str, id: int) -> ReviewQueue | None:
    """The pool's queue of that id; None where it has none, or is no more."""
    try:
        queue = studio.store.review_queues.get(id)
        return queue if queue.pool_id == studio.store.pools.get(pool).id else None
    except InvalidInput:
        return None


def next_of(studio: Studio, queue: ReviewQueue) -> Demonstration | None:
    """The demonstration at the queue's place; None at its end, or where it was deleted."""
    id = studio.store.review_queues.at(queue.id, queue.place)
    if id is None:
        return None
    return next(iter(studio.store.demonstrations.present([id])), None)


def go(studio: Studio, queue: ReviewQueue, place: int) -> None:
    """Move to a place of the queue; one before it is its first place, one after it its end."""
    studio.store.review_queues.move(queue.id, place)


def first_left(studio: Studio, queue: ReviewQueue) -> int:
    """Where the first one is that nobody has reviewed since the queue began; its end for none."""
    return studio.store.review_queues.next_left(queue.id, 0)


def decide(
    studio: Studio,
    queue: ReviewQueue,
    shown: Demonstration,
    decision: Decision,
    found: PoolFindings | None = None,
) -> int:
    """Decide about the demonstration at the queue's place as it was shown.

    The queue moves to the next one that nobody has reviewed since it began, here or in another
    window, or to its end. A finding of the kind that is read is dismissed as part of the action
    when the last of its demonstrations is kept, none of them having been excluded or edited.

    Args:
        studio: The studio.
        queue: The queue.
        shown: The demonstration.
        decision: What is decided.
        found: The findings that the queue was made of; None settles none of them.

    Returns:
        The number of the action, which can be undone.

    Raises:
        StaleRevision: Somebody changed it since it was shown; the queue stays where it is.
        InvalidInput: It was deleted meanwhile.
    """
    status = Status.EXCLUDED if decision is Decision.EXCLUDE else shown.status
    if decision is Decision.KEEP and shown.status is Status.EXCLUDED:
        status = Status.INCLUDED
    time = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    done = "kept" if decision is Decision.KEEP else "excluded"
    what = f"reviewed and {done} {short(shown.query)!r}"
    settled = _settled(studio, queue, shown, found) if decision is Decision.KEEP else {}
    if settled:
        what += f", which dismissed {len({key for keys in settled.values() for key in keys})} of "
        what += f"its findings ({queue.name})"
    change = Change(
        shown.id,
        shown.revision,
        status=status,
        reviewed=(*shown.reviewed, time),
        dismissed=_with(shown, settled.pop(shown.id, ())),
    )
    others = studio.store.demonstrations.present(list(settled))
    dismissals = [
        Change(row.id, row.revision, dismissed=_with(row, settled[row.id])) for row in others
    ]
    action = studio.store.demonstrations.change([change, *dismissals], what=what)
    go(studio, queue, studio.store.review_queues.next_left(queue.id, queue.place + 1))
    return action


def check_of(queue: ReviewQueue) -> str | None:
    """The name of the check whose findings a queue has; None where it is another queue."""
    return next((name for name, check in CHECKS.items() if check.label == queue.name), None)


def _settled(
    studio: Studio, queue: ReviewQueue, shown: Demonstration, found: PoolFindings | None
) -> dict[int, tuple[str, ...]]:
    """By id the keys of the findings that are settled once the shown demonstration is kept."""
    if found is None:
        return {}
    check = check_of(queue)
    of_kind = [each for each in found.of_row.get(shown.id, ()) if each.check == check]
    ids = {id for each in of_kind for id in each.ids} - {shown.id}
    decided = ids & set(studio.store.review_queues.decided(queue.id)) if ids else set()
    rows = studio.store.demonstrations.present(sorted(decided))
    included = [row for row in rows if row.status is not Status.EXCLUDED]
    kept = {row.id for row in (shown, *included) if _is_as_found(row, found)}
    keys: dict[int, tuple[str, ...]] = {}
    for each in of_kind:
        if kept.issuperset(each.ids):
            keys |= {id: (*keys.get(id, ()), each.key) for id in each.ids}
    return keys


def _is_as_found(row: Demonstration, found: PoolFindings) -> bool:
    was = found.rows.get(row.id)
    return was is not None and (was.query, was.answer) == (row.query, row.answer)


def _with(row: Demonstration, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*row.dismissed, *keys)))


def take_back(studio: Studio, queue: ReviewQueue, place: int, action: int) -> None:
    """Undo a decision, and move to the place where it was made.

    Raises:
        StaleRevision: A later change touched the same demonstration.
    """
    undo(studio, action)
    go(studio, queue, place)


def known_of(
    studio: Studio,
    setup: Setup,
    view: PoolView | None,
    row: Demonstration,
    found: PoolFindings | None,
    check: str | None = None,
) -> Known:
    """What is known of a demonstration.

    Args:
        studio: Where it is.
        setup: The pool and its encoder.
        view: The pool's included demonstrations; None before they are embedded.
        row: The demonstration, included or not.
        found: The latest findings; None before there are any.
        check: The name of the check whose findings are read; None for none.
    """
    shares = {} if found is None or found.retrieved is None else found.retrieved.shares
    findings = () if found is None else found.of_row.get(row.id, ())
    checks = None if found is None else tuple(dict.fromkeys(each.check for each in findings))
    beside = {id for each in findings if each.check == check for id in each.ids} - {row.id}
    partners = tuple(studio.store.demonstrations.present(sorted(beside)[:NEIGHBOURS]))
    bias: float | None = None
    answers: tuple[str, ...] = ()
    near: tuple[Neighbour, ...] = ()
    if view is not None:
        places = view.positions([row.id])
        bias = defined(float(view.quality_bias[places[0]])) if len(places) else None
        same = view.same_query(row.query)
        answers = tuple(
            view.answers[place] for place in np.flatnonzero(same) if view.ids[place] != row.id
        )
        near = _neighbours(view, query_vector(studio, setup, row.query), same)
    return Known(
        answers=answers,
        neighbours=near,
        quality_bias=bias,
        retrieved=shares.get(row.id),
        checks=checks,
        partners=partners,
    )


def _neighbours(view: PoolView, vector: FloatArray, own: BoolArray) -> tuple[Neighbour, ...]:
    """The nearest one of each of the nearest queries, but for its own."""
    cosines = view.relevance(vector)
    ranked = np.argsort(-cosines, kind="stable")
    nearest = view.first_of_each_query(ranked[~own[ranked]])[:NEIGHBOURS]
    return tuple(
        Neighbour(
            int(view.ids[place]), view.queries[place], view.answers[place], float(cosines[place])
        )
        for place in nearest.tolist()
    )
