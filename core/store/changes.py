"""The only way to change demonstrations: checked, written and recorded as one action."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Self

from ..demonstration.demonstration import COLUMNS as INCORRECT
from ..demonstration.demonstration import distinct, edited, from_columns, to_columns
from ..demonstration.fields import COLUMNS, FIELDS
from ..errors import InvalidInput, StaleRevision
from ..text import same_text
from .demonstration_rows import Row, clean, fetch_rows, key_of, lend_rows, named
from .exchange import one_number, register_table, to_json, utc_now
from .pools import touch_pool
from .records import Change

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

KEPT = (*COLUMNS, "deleted")
"""What may change, and what history keeps."""

_UNVERSIONED = {field.name for field in FIELDS if not field.versioned}
_WRITTEN = ", ".join(f"{name} = w.{name}" for name in (*KEPT, "revision", "query_key"))
# Nothing but names of columns from `fields` and from this file is put into the statement.
_WRITE = f"UPDATE demonstrations d SET {_WRITTEN} FROM written w WHERE d.id = w.id"  # noqa: S608


@dataclass(frozen=True, slots=True)
class NewValues:
    """New values of some of `KEPT` for one demonstration, which the writer read at `revision`."""

    id: int
    revision: int
    values: Row

    @classmethod
    def of(cls, change: Change) -> Self:
        """The values that the change names."""
        values: Row = dict(change.values)
        if "incorrect" in values:
            values |= to_columns(values["incorrect"])
        return cls(change.id, change.revision, values)


def apply_changes(
    cursor: "DuckDBPyConnection",
    changes: Sequence[NewValues],
    *,
    who: str,
    what: str,
    undoes: int | None = None,
) -> int:
    """The id of the action that made these changes. Runs inside the caller's transaction.

    Raises:
        StaleRevision: A row's revision is not the one that its change names.
        InvalidInput: See `Demonstrations.change`.
    """
    if not changes:
        raise InvalidInput("No demonstration was named: choose at least one to change.")
    before = fetch_rows(cursor, [change.id for change in changes])
    if len(before) < len(changes):
        raise InvalidInput("A demonstration is named twice in one change: name each of them once.")
    pools = {row["pool_id"] for row in before.values()}
    if len(pools) > 1:
        raise InvalidInput("The demonstrations are of several pools: change one pool at a time.")
    after = {change.id: _changed(before[change.id], change) for change in changes}
    _clear_other_best(cursor, before, after)
    differing = {number: _differing(before[number], row) for number, row in after.items()}
    written = [after[number] for number, fields in differing.items() if fields]
    _refuse_doubles(cursor, before, after)
    (pool_id,) = pools
    action = record_action(
        cursor, pool_id, who=who, what=what, demonstrations=len(written), undoes=undoes
    )
    if written:
        _write(cursor, action, before, written, differing)
        versioned = not _UNVERSIONED.issuperset(chain(*differing.values()))
        touch_pool(cursor, pool_id, action, version=versioned)
    return action


def record_action(
    cursor: "DuckDBPyConnection",
    pool_id: int,
    *,
    who: str,
    what: str,
    demonstrations: int,
    undoes: int | None = None,
) -> int:
    """The id of a new action; its rows are the caller's to write."""
    return one_number(
        cursor,
        "INSERT INTO actions VALUES (nextval('action_ids'), ?, ?, ?, ?, ?, ?, 0) RETURNING id",
        [pool_id, utc_now(), who, what, demonstrations, undoes],
    )


def _changed(row: Row, change: NewValues) -> Row:
    if row["revision"] != change.revision:
        raise StaleRevision(
            f"{named(row)} was changed by someone else since you read it (it has revision "
            f"{row['revision']}, you have {change.revision}): nothing was written, so read it "
            "again and make your change there."
        )
    new = row | _cleaned(change.values, row)
    if new["query"] != row["query"]:
        new["query_key"] = same_text(new["query"])
    return new


def _cleaned(given: Row, row: Row) -> Row:
    """The new values as the table keeps them."""
    values = dict(given)
    clean(values, named(row))
    if not values.keys().isdisjoint(INCORRECT):
        values |= to_columns(distinct(edited(from_columns(row), values)))
    return values


def _differing(before: Row, after: Row) -> list[str]:
    """The fields that changed; with the texts of incorrect answers also their kinds."""
    changed = [field for field in KEPT if before[field] != after[field]]
    texts, *others = INCORRECT
    if texts in changed:
        changed += [
            other for other in others if other not in changed and (before[other] or after[other])
        ]
    return changed


def _is_best(row: Row) -> bool:
    return bool(row["best"]) and not row["deleted"]


def _clear_other_best(
    cursor: "DuckDBPyConnection", before: dict[int, Row], after: dict[int, Row]
) -> None:
    """Take `best` from the other demonstrations of each query that gets a new best answer."""
    winners: dict[str, int] = {}
    for number, row in after.items():
        query = row["query_key"]
        was = before[number]
        if not _is_best(row) or (_is_best(was) and was["query_key"] == query):
            continue
        if query in winners:
            raise InvalidInput(
                f"Two answers of {row['query']!r:.60} are named best: choose one of them."
            )
        winners[query] = number
    if not winners:
        return
    (pool_id,) = {row["pool_id"] for row in before.values()}
    register_table(cursor, "winners", {"query_key": "text"}, {"query_key": list(winners)})
    losers = cursor.execute(
        """SELECT id FROM demonstrations d SEMI JOIN winners USING (query_key)
        WHERE d.pool_id = ? AND d.best AND NOT d.deleted""",
        [pool_id],
    ).fetchall()
    before |= fetch_rows(cursor, [row[0] for row in losers if row[0] not in before])
    for (number,) in losers:
        row = after.setdefault(number, dict(before[number]))
        if winners.get(row["query_key"]) != number:
            row["best"] = False


def _refuse_doubles(
    cursor: "DuckDBPyConnection", before: dict[int, Row], after: dict[int, Row]
) -> None:
    """Refuse changes that leave two demonstrations with the same query and the same answer."""
    present = [row for row in after.values() if not row["deleted"]]
    moved = [
        row
        for row in present
        if before[row["id"]]["deleted"] or key_of(before[row["id"]]) != key_of(row)
    ]
    if not moved:
        return
    seen: dict[tuple[str, str], Row] = {}
    for row in present:
        if key_of(row) in seen:
            raise _double(row, seen[key_of(row)]["id"])
        seen[key_of(row)] = row
    lend_rows(cursor, "moved", moved)
    register_table(cursor, "changing", {"id": "integer"}, {"id": list(after)})
    others = cursor.execute(
        """SELECT d.id, d.query_key, d.answer FROM demonstrations d
        SEMI JOIN moved USING (pool_id, query_key)
        ANTI JOIN changing c ON c.id = d.id
        WHERE NOT d.deleted""",
    ).fetchall()
    id_of = {(query, same_text(answer)): number for number, query, answer in others}
    for row in moved:
        if key_of(row) in id_of:
            raise _double(row, id_of[key_of(row)])


def _double(row: Row, other: int) -> InvalidInput:
    return InvalidInput(
        f"{named(row)} would have the query and the answer of demonstration {other}: nothing was "
        "written, so change one of the two, or delete it."
    )


def _write(
    cursor: "DuckDBPyConnection",
    action: int,
    before: dict[int, Row],
    rows: Iterable[Row],
    differing: dict[int, list[str]],
) -> None:
    written = [row | {"revision": row["revision"] + 1} for row in rows]
    lend_rows(cursor, "written", written)
    cursor.execute(_WRITE)
    parts = [(before[row["id"]], row, differing[row["id"]]) for row in written]
    register_table(
        cursor,
        "steps",
        {"id": "integer", "revision": "integer", "before": "text", "after": "text"},
        {
            "id": [row["id"] for row in written],
            "revision": [row["revision"] for row in written],
            "before": [to_json({name: was[name] for name in names}) for was, _, names in parts],
            "after": [to_json({name: row[name] for name in names}) for _, row, names in parts],
        },
    )
    cursor.execute("INSERT INTO revisions SELECT ?, * FROM steps", [action])
