"""Pools: their names, their seeds, their sizes, and the demonstrations that are always shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..text import same_text
from .database import Database
from .exchange import first_row, integers, one_number, register_table, storable, utc_now
from .records import Pool, PoolSummary

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

POOLS = "SELECT id, name, seed, version, edition FROM pools "
"""The beginning of a statement whose rows are the fields of `Pool`."""


class Pools:
    """The pools of a workspace, by name. The names are distinct, letter for letter."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pools: tuple[int, dict[str, Pool]] = (-1, {})
        self._counted: dict[int, PoolSummary] = {}

    def create(self, name: str, *, seed: int = 0) -> Pool:
        """A new empty pool; `seed` is what its random choices start from.

        Raises:
            InvalidInput: The name is empty or taken.
        """
        with self._database.write() as cursor:
            if find_pool(cursor, name) is not None:
                raise InvalidInput(
                    f"There is a pool named {_clean(name)!r} already: choose another name."
                )
            return create_pool(cursor, name, seed)

    def get(self, name: str) -> Pool:
        """The pool of that name.

        Raises:
            InvalidInput: There is none; the message lists the pools there are.
        """
        return _of(self._by_name(), name)

    def all(self) -> list[PoolSummary]:
        """A summary of each pool, ordered by name."""
        return [self._summary(pool) for pool in self._by_name().values()]

    def summary(self, name: str) -> PoolSummary:
        """How much is in the pool of that name."""
        return self._summary(self.get(name))

    def _by_name(self) -> dict[str, Pool]:
        # A page asks a dozen times: nothing is read twice between two commits.
        commits, (read_at, pools) = self._database.commits, self._pools
        if commits != read_at:
            with self._database.read() as cursor:
                pools = _by_name(cursor)
            self._pools = (commits, pools)
        return pools

    def _summary(self, pool: Pool) -> PoolSummary:
        # Counting 146,000 rows takes a moment and a page asks often; a version never comes back.
        known = self._counted.get(pool.id)
        if known is not None and (known.version, known.name) == (pool.version, pool.name):
            return known
        with self._database.read() as cursor:
            counted = _count(cursor, pool)
        self._counted[pool.id] = counted
        return counted

    def delete(self, name: str) -> None:
        """Remove the pool with its demonstrations, history and runs for good."""
        with self._database.write() as cursor:
            pool = _of(_by_name(cursor), name)
            for statement in (
                "DELETE FROM run_rows WHERE run_id IN (SELECT id FROM runs WHERE pool_id = ?)",
                "DELETE FROM runs WHERE pool_id = ?",
                "DELETE FROM revisions WHERE action_id IN "
                "(SELECT id FROM actions WHERE pool_id = ?)",
                "DELETE FROM actions WHERE pool_id = ?",
                "DELETE FROM fixed_demonstrations WHERE pool_id = ?",
                "DELETE FROM pool_tasks WHERE pool_id = ?",
                "DELETE FROM review_queue_rows WHERE queue_id IN "
                "(SELECT id FROM review_queues WHERE pool_id = ?)",
                "DELETE FROM review_queues WHERE pool_id = ?",
                "DELETE FROM searches WHERE pool_id = ?",
                "DELETE FROM demonstrations WHERE pool_id = ?",
                "DELETE FROM pools WHERE id = ?",
            ):
                cursor.execute(statement, [pool.id])
        self._counted.pop(pool.id, None)
        self._database.checkpoint()

    def rename(self, old: str, new: str) -> Pool:
        """The pool under its new name; its content, version and edition stay.

        Raises:
            InvalidInput: There is no pool `old`, or `new` is empty or another pool's.
        """
        with self._database.write() as cursor:
            pool = _of(_by_name(cursor), old)
            taken = find_pool(cursor, new)
            if taken is not None and taken.id != pool.id:
                raise InvalidInput(
                    f"There is a pool named {taken.name!r} already: choose another name."
                )
            cursor.execute("UPDATE pools SET name = ? WHERE id = ?", [_new_name(new), pool.id])
            return replace(pool, name=_new_name(new))

    def fixed_ids(self, pool_id: int) -> list[int]:
        """The demonstrations of the method `fix`, in their order; deleted ones are left out."""
        with self._database.read() as cursor:
            return _fixed_ids(cursor, pool_id)

    def set_fixed_ids(self, pool_id: int, ids: Sequence[int]) -> None:
        """Name the demonstrations that the method `fix` uses, in that order; none is allowed.

        Raises:
            InvalidInput: An id is not a demonstration of this pool, or is repeated.
        """
        wanted = [int(one) for one in ids]
        with self._database.write() as cursor:
            there = integers(
                cursor,
                """SELECT id FROM demonstrations
                WHERE pool_id = ? AND NOT deleted AND list_contains(?::BIGINT[], id)""",
                [pool_id, wanted],
            )
            strangers = sorted(set(wanted) - set(there.tolist()))
            if strangers or len(set(wanted)) < len(wanted):
                which = f"{strangers[0]} is not in this pool" if strangers else "one is repeated"
                raise InvalidInput(
                    f"The fixed demonstrations {wanted} cannot be used, {which}: "
                    "name distinct demonstrations of this pool."
                )
            _write_fixed(cursor, pool_id, wanted)
            touch_pool(cursor, pool_id, None)

    def task(self, pool_id: int) -> str:
        """The task that was chosen for the pool, as it was written; "" for none."""
        with self._database.read() as cursor:
            row = first_row(cursor, "SELECT task FROM pool_tasks WHERE pool_id = ?", [pool_id])
            return str(row[0]) if row else ""

    def set_task(self, pool_id: int, task: str) -> None:
        """Record the task chosen for the pool; "" for none. The pool gets a new version."""
        with self._database.write() as cursor:
            require_pool(cursor, pool_id)
            cursor.execute("DELETE FROM pool_tasks WHERE pool_id = ?", [pool_id])
            if task:
                cursor.execute("INSERT INTO pool_tasks VALUES (?, ?)", [pool_id, task])
            touch_pool(cursor, pool_id, None)

    def searches(self, pool_id: int) -> dict[str, str]:
        """The text of each search that was saved for the pool, by its name, ordered by name."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                "SELECT name, text FROM searches WHERE pool_id = ? ORDER BY lower(name), name",
                [pool_id],
            ).fetchall()
        return dict(rows)

    def save_search(self, pool_id: int, name: str, text: str) -> None:
        """Keep a search of the pool by a name; one of that name is replaced, "" removes it.

        Raises:
            InvalidInput: There is no such pool, or the name is empty.
        """
        clean = _clean(storable(name, "name of a search"))
        if not clean:
            raise InvalidInput("The search has no name: give it one, such as 'to shorten'.")
        with self._database.write() as cursor:
            require_pool(cursor, pool_id)
            cursor.execute("DELETE FROM searches WHERE pool_id = ? AND name = ?", [pool_id, clean])
            if kept := storable(text.strip(), "search"):
                cursor.execute("INSERT INTO searches VALUES (?, ?, ?)", [pool_id, clean, kept])

    def keep_drawn_ids(self, pool: Pool, ids: Sequence[int]) -> None:
        """Keep what was drawn as `fix`'s demonstrations for a pool of this version.

        The version stays, because the draw follows from the content and the seed that it
        identifies. Nothing is written when the pool has changed or has fixed ones by now.
        """
        with self._database.write() as cursor:
            found = first_row(cursor, "SELECT version FROM pools WHERE id = ?", [pool.id])
            if found == (pool.version,) and not _fixed_ids(cursor, pool.id):
                _write_fixed(cursor, pool.id, ids)


def _fixed_ids(cursor: "DuckDBPyConnection", pool_id: int) -> list[int]:
    found = integers(
        cursor,
        """SELECT f.demonstration_id FROM fixed_demonstrations f
        JOIN demonstrations d ON d.id = f.demonstration_id AND NOT d.deleted
        WHERE f.pool_id = ? ORDER BY f.position""",
        [pool_id],
    )
    return [int(one) for one in found]


def _write_fixed(cursor: "DuckDBPyConnection", pool_id: int, ids: Sequence[int]) -> None:
    cursor.execute("DELETE FROM fixed_demonstrations WHERE pool_id = ?", [pool_id])
    cursor.execute(
        """INSERT INTO fixed_demonstrations
        SELECT ?, generate_subscripts(x, 1), unnest(x) FROM (SELECT ?::BIGINT[] AS x)""",
        [pool_id, list(ids)],
    )


def find_pool(cursor: "DuckDBPyConnection", name: str) -> Pool | None:
    """The pool of that name, or None. Runs inside the caller's transaction."""
    row = first_row(cursor, POOLS + "WHERE name = ?", [_clean(name)])
    return Pool(*row) if row else None


def create_pool(cursor: "DuckDBPyConnection", name: str, seed: int = 0) -> Pool:
    """Insert a pool whose name is known to be free. Runs inside the caller's transaction."""
    clean, version = _new_name(name), _next_version(cursor)
    id = one_number(
        cursor,
        "INSERT INTO pools VALUES (nextval('pool_ids'), ?, ?, ?, ?, ?, 0) RETURNING id",
        [clean, seed, version, utc_now(), version],
    )
    return Pool(id, clean, seed, version, version)


def _new_name(name: str) -> str:
    clean = _clean(name)
    if not clean:
        raise InvalidInput("The pool's name is empty: give it one, such as 'truthfulqa'.")
    return clean


def touch_pool(
    cursor: "DuckDBPyConnection", pool_id: int, action: int | None, *, version: bool = True
) -> None:
    """Give the pool an edition that no pool had before. Runs inside the caller's transaction.

    With `version` it is its version too; without, only notes or tags have changed. `action` is the
    one that did it, None for a choice of fixed demonstrations or of a task, which are none.
    """
    new = _next_version(cursor)
    cursor.execute(
        """UPDATE pools SET edition = $new, version = if($version, $new, version),
        chosen = if($chosen, $new, chosen) WHERE id = $id""",
        {"new": new, "version": version, "chosen": action is None, "id": pool_id},
    )
    if version and action is not None:
        cursor.execute("UPDATE actions SET version = ? WHERE id = ?", [new, action])


def _next_version(cursor: "DuckDBPyConnection") -> int:
    return one_number(cursor, "SELECT nextval('pool_versions')")


def require_pool(cursor: "DuckDBPyConnection", pool_id: int) -> Pool:
    """The pool with that id.

    Raises:
        InvalidInput: There is none, or no longer.
    """
    row = first_row(cursor, POOLS + "WHERE id = ?", [pool_id])
    if row is None:
        raise InvalidInput(f"There is no pool with the id {pool_id}: it may have been deleted.")
    return Pool(*row)


def _clean(name: str) -> str:
    return " ".join(storable(name, "pool's name").split())


def _by_name(cursor: "DuckDBPyConnection") -> dict[str, Pool]:
    rows = cursor.execute(POOLS + "ORDER BY name").fetchall()
    return {pool.name: pool for pool in (Pool(*row) for row in rows)}


def _of(pools: Mapping[str, Pool], name: str) -> Pool:
    pool = pools.get(_clean(name))
    if pool is None:
        there = f"there are {', '.join(map(repr, pools))}" if pools else "there is none yet"
        raise InvalidInput(
            f"There is no pool named {_clean(name)!r} ({there}): name one of them, or import one."
        )
    return pool


def _count(cursor: "DuckDBPyConnection", pool: Pool) -> PoolSummary:
    _lend_folded(cursor, pool.id)
    row = first_row(
        cursor,
        """
        WITH present AS (
            SELECT * FROM demonstrations WHERE pool_id = ? AND NOT deleted
        ), answers AS (
            SELECT query_key, count(DISTINCT coalesce(key, answer)) AS many
            FROM present LEFT JOIN folded ON answer = text GROUP BY ALL
        ), wrong AS (
            SELECT query_key, unnest(incorrect) AS answer FROM present
        ), incorrect_answers AS (
            SELECT query_key, count(DISTINCT coalesce(key, answer)) AS many
            FROM wrong LEFT JOIN folded ON answer = text GROUP BY ALL
        )
        SELECT
            (SELECT count(*) FROM present),
            (SELECT count(*) FROM answers),
            (SELECT coalesce(sum(a.many * i.many), 0)::BIGINT
             FROM answers a JOIN incorrect_answers i USING (query_key)),
            (SELECT count(*) FROM present WHERE status = 'excluded')
        """,
        [pool.id],
    )
    assert row is not None
    demonstrations, queries, triples, excluded = row
    return PoolSummary(
        name=pool.name,
        demonstrations=demonstrations,
        queries=queries,
        triples=triples,
        excluded=excluded,
        version=pool.version,
    )


def _lend_folded(cursor: "DuckDBPyConnection", pool_id: int) -> None:
    """Lend the pool's answers that `same_text` changes, each with the changed text.

    Plain ASCII without white space around it stays as it is, and need not leave the database.
    """
    rows = cursor.execute(
        """
        WITH texts AS (
            SELECT unnest(list_append(incorrect, answer)) AS text FROM demonstrations
            WHERE pool_id = ? AND NOT deleted
        )
        SELECT DISTINCT text FROM texts WHERE NOT regexp_full_match(text, '[!-~]|[!-~][ -~]*[!-~]')
        """,
        [pool_id],
    ).fetchall()
    folded = {text: key for (text,) in rows if (key := same_text(text)) != text}
    register_table(
        cursor,
        "folded",
        {"text": "text", "key": "text"},
        {"text": list(folded), "key": list(folded.values())},
    )
