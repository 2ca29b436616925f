"""Demonstrations: adding them in bulk, finding them, changing them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..demonstration.criteria import Criterion
from ..demonstration.demonstration import Demonstration, Draft, Status
from ..text import same_text
from ..types import IntArray
from .changes import NewValues, apply_changes, record_action
from .database import Database
from .demonstration_rows import (
    RECORDS,
    Row,
    key_of,
    lend_rows,
    new_ids,
    new_row,
    to_demonstrations,
    unknown,
)
from .exchange import integers, one_number, register_table
from .pools import create_pool, find_pool, require_pool, touch_pool
from .records import Additions, Change, Page, Pool
from .searching import SearchOrder, found_by, sorted_by

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BY_ID = SearchOrder()


OF_STATUS = """($status IS NULL OR status = $status
    OR ($status = 'included' AND status = 'pinned')) """
"""The rows of a status; pinned ones are included ones, too."""


class Demonstrations:
    """The demonstrations of all pools. Texts are kept as they were written.

    In a pool no two demonstrations have the same query and the same answer, and of one query's
    demonstrations at most one is best; texts are the same by `text.same_text`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, pool_id: int, drafts: Sequence[Draft], *, who: str = "you", what: str = "import"
    ) -> Additions:
        """Put the drafts that are no doubles into the pool: all of them, or none on an error.

        A double has the query and the answer of a demonstration in the pool or of an earlier
        draft, ignoring outer white space and invisible characters (`text.same_text`). A draft that
        is best yields to one that is already best for its query.

        Raises:
            InvalidInput: A draft's query or answer is empty, or there is no such pool.
        """
        with self._database.write() as cursor:
            added = _add(cursor, require_pool(cursor, pool_id), drafts, who, what)
        self._settle(added)
        return added

    def add_to_named(
        self, pool_name: str, drafts: Sequence[Draft], *, who: str = "you", what: str = "import"
    ) -> tuple[Pool, Additions]:
        """As `add`, and makes the pool when there is none: both or neither."""
        (added,) = self.add_to_several({pool_name: drafts}, who=who, what=what)
        return added

    def add_to_several(
        self, drafts: Mapping[str, Sequence[Draft]], *, who: str = "you", what: str = "import"
    ) -> list[tuple[Pool, Additions]]:
        """As `add_to_named` for each pool's name and its drafts: all of them or none."""
        results = []
        with self._database.write() as cursor:
            for name, one in drafts.items():
                pool = find_pool(cursor, name) or create_pool(cursor, name)
                added = _add(cursor, pool, one, who, what)
                results.append((require_pool(cursor, pool.id), added))
        for _, added in results:
            self._settle(added)
        return results

    def _settle(self, added: Additions) -> None:
        self._database.checkpoint_after(len(added.ids))

    def all(self, pool_id: int, *, status: Status | None = None) -> list[Demonstration]:
        """The pool's demonstrations, ordered by id; only those of one status if it is given.

        Pinned demonstrations are included ones, too, here and wherever a status is asked for.
        """
        return self.snapshot(pool_id, status=status)[1]

    def queries(self, pool_id: int, *, status: Status | None = None) -> list[str]:
        """The pool's distinct queries, in the order of the ids at which they first occur."""
        with self._database.read() as cursor:
            require_pool(cursor, pool_id)
            rows = cursor.execute(
                "SELECT query FROM demonstrations WHERE pool_id = $pool AND NOT deleted AND "  # noqa: S608 - no input
                + OF_STATUS
                + "GROUP BY query ORDER BY min(id)",
                {"pool": pool_id, "status": status and status.value},
            ).fetchall()
        return [query for (query,) in rows]

    def queries_without_incorrect(self, pool_id: int) -> int:
        """How many queries of the pool's included demonstrations have no incorrect answers."""
        with self._database.read() as cursor:
            require_pool(cursor, pool_id)
            return one_number(
                cursor,
                """SELECT count(*) FROM (
                    SELECT query_key FROM demonstrations
                    WHERE pool_id = ? AND NOT deleted AND status <> 'excluded'
                    GROUP BY query_key HAVING max(len(incorrect)) = 0
                )""",
                [pool_id],
            )

    def snapshot(
        self, pool_id: int, *, status: Status | None = None
    ) -> tuple[Pool, list[Demonstration]]:
        """The pool and its demonstrations as of one moment, so that its version fits them."""
        with self._database.read() as cursor:
            pool = require_pool(cursor, pool_id)
            rows = cursor.execute(
                RECORDS + f"WHERE pool_id = $pool AND NOT deleted AND {OF_STATUS} ORDER BY id",
                {"pool": pool_id, "status": status and status.value},
            ).fetchall()
        return pool, to_demonstrations(rows)

    def search(
        self,
        pool_id: int,
        criteria: Sequence[Criterion] = (),
        *,
        order: SearchOrder = BY_ID,
        limit: int | None = None,
        offset: int = 0,
    ) -> Page:
        """The demonstrations that meet every criterion given, in their order, one page of them.

        Args:
            pool_id: Where to look.
            criteria: Which of them; those that the store knows by itself: no `Like`, and of the
                measures only those that are stored.
            order: What all of them are sorted by before the page is cut; by default their ids.
            limit: Most rows on the page, >= 0. None: all.
            offset: Rows before the page, >= 0.

        Raises:
            InvalidInput: There is no such pool, or a text or a pattern cannot be looked for.
        """
        with self._database.read() as cursor:
            found = _search(cursor, pool_id, criteria, order)
            end = None if limit is None else offset + limit
            page = [int(one) for one in found[offset:end]]
            return Page(rows=_by_ids(cursor, page), total=len(found))

    def require_readable(self, criteria: Sequence[Criterion]) -> None:
        """Refuse what `search` would refuse, without a search.

        Raises:
            InvalidInput: A text or a pattern cannot be looked for.
        """
        with self._database.read() as cursor:
            found_by(cursor, 0, criteria)

    def found(self, pool_id: int, criteria: Sequence[Criterion]) -> list[int]:
        """The ids of the demonstrations that meet every criterion, in ascending order.

        Raises:
            InvalidInput: As `search`.
        """
        with self._database.read() as cursor:
            ids: list[int] = _search(cursor, pool_id, criteria, BY_ID).tolist()
            return ids

    def by_ids(self, ids: Sequence[int], *, deleted: bool = False) -> list[Demonstration]:
        """The demonstrations with these ids, in the order given, from whichever pools.

        Args:
            ids: Which; an id may be repeated.
            deleted: Whether deleted ones count as present.

        Raises:
            InvalidInput: An id is no demonstration's.
        """
        with self._database.read() as cursor:
            return _by_ids(cursor, ids, deleted=deleted)

    def present(self, ids: Sequence[int]) -> list[Demonstration]:
        """Those of the demonstrations that exist and are not deleted, in the order given."""
        with self._database.read() as cursor:
            found = _found(cursor, ids, deleted=False)
        return [found[number] for number in ids if number in found]

    def ids_of(self, pool_id: int, drafts: Sequence[Draft]) -> list[int]:
        """Ids of the pool's demonstrations with the drafts' queries and answers, in their order.

        Drafts that are not in the pool are left out.
        """
        wanted = [(same_text(draft.query), same_text(draft.answer)) for draft in drafts]
        with self._database.read() as cursor:
            rows = _of_queries(cursor, pool_id, [query for query, _ in wanted])
        id_of = {(query, same_text(answer)): number for number, query, answer, _ in rows}
        return [id_of[key] for key in dict.fromkeys(wanted) if key in id_of]

    def tags(self, pool_id: int) -> dict[str, int]:
        """Each tag of the pool and how many demonstrations carry it, ordered by tag."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                """SELECT tag, count(*) FROM (
                    SELECT unnest(tags) AS tag FROM demonstrations
                    WHERE pool_id = ? AND NOT deleted
                ) GROUP BY tag ORDER BY tag""",
                [pool_id],
            ).fetchall()
        return dict(rows)

    def dismissed(self, pool_id: int) -> frozenset[str]:
        """The keys of the pool's findings that were dismissed."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                """SELECT DISTINCT unnest(dismissed) FROM demonstrations
                WHERE pool_id = ? AND NOT deleted""",
                [pool_id],
            ).fetchall()
        return frozenset(key for (key,) in rows)

    def change(self, changes: Sequence[Change], *, who: str = "you", what: str) -> int:
        """Apply all changes as one action, or none of them; the action's id, for `undo`.

        A field that already has the new value is left alone, a row without any new value
        entirely. Naming an answer best clears `best` on the query's other demonstrations, as part
        of the same action.

        Raises:
            StaleRevision: A demonstration was changed since the writer read it.
            InvalidInput: No change or two for one row, an unknown row, rows of several pools, an
                empty query or answer, or a double of another demonstration.
        """
        with self._database.write() as cursor:
            return apply_changes(cursor, list(map(NewValues.of, changes)), who=who, what=what)


def _search(
    cursor: "DuckDBPyConnection", pool_id: int, criteria: Sequence[Criterion], order: SearchOrder
) -> IntArray:
    """The ids of what is found, in their order, shape (found,)."""
    require_pool(cursor, pool_id)
    ids, values = list(order.values), list(order.values.values())
    kinds = {"id": "integer", "value": "number"}
    register_table(cursor, "valued", kinds, {"id": ids, "value": values})
    statement, parameters = found_by(cursor, pool_id, criteria)
    return integers(cursor, statement + sorted_by(order), parameters)


def _by_ids(
    cursor: "DuckDBPyConnection", ids: Sequence[int], *, deleted: bool = False
) -> list[Demonstration]:
    found = _found(cursor, ids, deleted=deleted)
    for number in ids:
        if number not in found:
            raise unknown(number)
    return [found[number] for number in ids]


def _found(
    cursor: "DuckDBPyConnection", ids: Sequence[int], *, deleted: bool
) -> dict[int, Demonstration]:
    register_table(cursor, "wanted", {"id": "integer"}, {"id": list(ids)})
    rows = cursor.execute(
        RECORDS + "SEMI JOIN wanted USING (id) WHERE NOT deleted OR ?", [deleted]
    ).fetchall()
    return {found.id: found for found in to_demonstrations(rows)}


def _add(
    cursor: "DuckDBPyConnection", pool: Pool, drafts: Sequence[Draft], who: str, what: str
) -> Additions:
    placed = _new_rows(cursor, pool.id, drafts)
    rows = list(placed.values())
    doubles = len(drafts) - len(rows)
    if not rows:
        return Additions([], doubles, None)
    ids = new_ids(cursor, len(rows))
    for number, row in zip(ids, rows, strict=True):
        row["id"] = number
    lend_rows(cursor, "new_rows", rows)
    cursor.execute("INSERT INTO demonstrations BY NAME FROM new_rows")
    action = record_action(cursor, pool.id, who=who, what=what, demonstrations=len(rows))
    cursor.execute("INSERT INTO revisions SELECT ?, id, 1, NULL, NULL FROM new_rows", [action])
    touch_pool(cursor, pool.id, action)
    return Additions(ids, doubles, action, list(placed))


def _new_rows(
    cursor: "DuckDBPyConnection", pool_id: int, drafts: Sequence[Draft]
) -> dict[int, Row]:
    """The drafts as rows without doubles, by their places; at most one of a query is best."""
    keyed: dict[tuple[str, str], tuple[int, Row]] = {}
    for position, draft in enumerate(drafts):
        row = new_row(pool_id, draft, f"draft {position + 1}")
        keyed.setdefault(key_of(row), (position, row))
    there: set[tuple[str, str]] = set()
    have_best: set[str] = set()
    for _, query, answer, best in _of_queries(cursor, pool_id, [query for query, _ in keyed]):
        there.add((query, same_text(answer)))
        if best:
            have_best.add(query)
    new = dict(placed for key, placed in keyed.items() if key not in there)
    for row in new.values():
        if row["best"]:
            row["best"] = row["query_key"] not in have_best
            have_best.add(row["query_key"])
    return new


def _of_queries(
    cursor: "DuckDBPyConnection", pool_id: int, keys: Sequence[str]
) -> list[tuple[int, str, str, bool]]:
    """Id, query's key, answer and `best` of the pool's demonstrations of these queries."""
    register_table(cursor, "asked", {"query_key": "text"}, {"query_key": keys})
    return cursor.execute(
        """SELECT id, query_key, answer, best FROM demonstrations d
        SEMI JOIN asked USING (query_key) WHERE d.pool_id = ? AND NOT d.deleted""",
        [pool_id],
    ).fetchall()
