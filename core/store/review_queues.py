"""Queues of demonstrations to be read one after the other, each with the place it has come to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .database import Database
from .exchange import aware, first_row, one_number, utc_now
from .pools import require_pool
from .records import ReviewQueue

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_QUEUES = """
    SELECT q.id, q.pool_id, q.name, count(*), q.place,
        count(*) FILTER (NOT d.deleted AND len(d.reviewed) <= r.reviewed), q.created
    FROM review_queues q
    JOIN review_queue_rows r ON r.queue_id = q.id
    JOIN demonstrations d ON d.id = r.demonstration_id
    WHERE {} GROUP BY ALL ORDER BY q.id DESC"""
"""A statement whose rows are the fields of `ReviewQueue`, the latest queue first."""


class ReviewQueues:
    """The queues of all pools; how often a demonstration was reviewed is one of its own fields."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, pool_id: int, name: str, ids: Sequence[int]) -> ReviewQueue:
        """A new queue of these demonstrations, each once, at its first place.

        Raises:
            InvalidInput: There is no such pool, none is named, or one of them is not in it.
        """
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            raise InvalidInput("There is nothing to review: no demonstration was named.")
        with self._database.write() as cursor:
            require_pool(cursor, pool_id)
            there = one_number(
                cursor,
                """SELECT count(*) FROM demonstrations
                WHERE pool_id = $pool AND id IN (SELECT unnest($ids::BIGINT[]))""",
                {"pool": pool_id, "ids": wanted},
            )
            if there != len(wanted):
                raise InvalidInput(
                    f"Of {len(wanted):,} demonstrations {len(wanted) - there:,} are not in this "
                    "pool; name only its own."
                )
            row = first_row(
                cursor,
                """INSERT INTO review_queues
                VALUES (nextval('review_queue_ids'), ?, ?, 0, ?) RETURNING id""",
                [pool_id, name, utc_now()],
            )
            assert row is not None
            cursor.execute(
                """INSERT INTO review_queue_rows
                SELECT $queue, wanted.place, d.id, len(d.reviewed) FROM demonstrations d JOIN (
                    SELECT generate_subscripts($ids::BIGINT[], 1) - 1 AS place,
                        unnest($ids::BIGINT[]) AS id
                ) wanted USING (id)""",
                {"queue": row[0], "ids": wanted},
            )
            return _get(cursor, row[0])

    def unreviewed(self, pool_id: int) -> list[int]:
        """The ids of the pool's demonstrations that nobody has reviewed, in ascending order."""
        with self._database.read() as cursor:
            return [
                number
                for (number,) in cursor.execute(
                    """SELECT id FROM demonstrations
                    WHERE pool_id = ? AND NOT deleted AND len(reviewed) = 0 ORDER BY id""",
                    [pool_id],
                ).fetchall()
            ]

    def get(self, id: int) -> ReviewQueue:
        """The queue with this id.

        Raises:
            InvalidInput: There is none.
        """
        with self._database.read() as cursor:
            return _get(cursor, id)

    def of_pool(self, pool_id: int) -> list[ReviewQueue]:
        """The pool's queues, the latest first."""
        with self._database.read() as cursor:
            rows = cursor.execute(_QUEUES.format("q.pool_id = ?"), [pool_id]).fetchall()
        return [_queue(row) for row in rows]

    def ids(self, id: int) -> list[int]:
        """The demonstrations of the queue in their order, also those that were deleted since."""
        with self._database.read() as cursor:
            return [
                number
                for (number,) in cursor.execute(
                    """SELECT demonstration_id FROM review_queue_rows
                    WHERE queue_id = ? ORDER BY place""",
                    [id],
                ).fetchall()
            ]

    def decided(self, id: int) -> list[int]:
        """Those of the queue that are reviewed since it began, but for those deleted since."""
        with self._database.read() as cursor:
            return [
                number
                for (number,) in cursor.execute(
                    """SELECT d.id FROM review_queue_rows r
                    JOIN demonstrations d ON d.id = r.demonstration_id
                    WHERE r.queue_id = ? AND NOT d.deleted AND len(d.reviewed) > r.reviewed""",
                    [id],
                ).fetchall()
            ]

    def at(self, id: int, place: int) -> int | None:
        """The demonstration at a place of the queue; None after its last one."""
        with self._database.read() as cursor:
            row = first_row(
                cursor,
                """SELECT demonstration_id FROM review_queue_rows
                WHERE queue_id = ? AND place = ?""",
                [id, place],
            )
        return None if row is None else int(row[0])

    def next_left(self, id: int, place: int) -> int:
        """The first place from this one on with one that is left; the queue's size for none.

        Raises:
            InvalidInput: There is no such queue.
        """
        with self._database.read() as cursor:
            row = first_row(
                cursor,
                """SELECT min(r.place) FROM review_queue_rows r
                JOIN demonstrations d ON d.id = r.demonstration_id
                WHERE r.queue_id = ? AND r.place >= ?
                    AND NOT d.deleted AND len(d.reviewed) <= r.reviewed""",
                [id, place],
            )
            size = _get(cursor, id).size
        return size if row is None or row[0] is None else int(row[0])

    def move(self, id: int, place: int) -> None:
        """Keep the place that the queue has come to, from 0 to the number of its demonstrations.

        Raises:
            InvalidInput: There is no such queue.
        """
        with self._database.write() as cursor:
            queue = _get(cursor, id)
            kept = min(max(place, 0), queue.size)
            cursor.execute("UPDATE review_queues SET place = ? WHERE id = ?", [kept, id])


def _get(cursor: "DuckDBPyConnection", id: int) -> ReviewQueue:
    row = first_row(cursor, _QUEUES.format("q.id = ?"), [id])
    if row is None:
        raise InvalidInput(f"There is no review queue {id}; it was removed, or never there.")
    return _queue(row)


def _queue(row: Sequence[Any]) -> ReviewQueue:
    id, pool_id, name, size, place, left, created = row
    return ReviewQueue(
        id=id, pool_id=pool_id, name=name, size=size, place=place, left=left, created=aware(created)
    )
