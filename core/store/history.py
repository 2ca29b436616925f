"""History: what was done to a pool, by whom, and how to undo it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, StaleRevision
from .changes import KEPT, NewValues, apply_changes, record_action
from .database import Database
from .demonstration_rows import Row, fetch_rows
from .exchange import Json, aware, first_row, from_json, register_table, to_json
from .pools import require_pool, touch_pool
from .records import Action, RevisionRow, RowChange

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_AFTER = """a.pool_id = $pool AND a.version IS DISTINCT FROM 0
AND coalesce(a.version > $version, a.happened > $moment)"""
"""Which actions a version did not have yet; one from before actions knew theirs goes by its time.
"""
_TIMES = {"undo: ": 1, "redo: ": 2}
"""How often what follows was taken back."""


class History:
    """Append-only: nothing is ever taken out, and an undo is an action of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def actions(self, pool_id: int, *, limit: int = 50) -> list[Action]:
        """The pool's latest actions, newest first, at most `limit`."""
        with self._database.read() as cursor:
            require_pool(cursor, pool_id)
            rows = cursor.execute(
                """SELECT id, happened, who, what, undoes, demonstrations + (id IN (
                    SELECT action_id FROM revisions WHERE demonstration_id = 0
                ))::INT FROM actions WHERE pool_id = ? ORDER BY id DESC LIMIT ?""",
                [pool_id, limit],
            ).fetchall()
            taken_back = _taken_back(cursor, pool_id)
        return [
            Action(
                id=number,
                pool_id=pool_id,
                when=aware(at),
                who=who,
                what=_in_words(what),
                changes=changes,
                undone=len(_chain(number, taken_back)) % 2 == 0,
                undoes=undoes,
            )
            for number, at, who, what, undoes, changes in rows
        ]

    def edits(self, pool_id: int) -> int:
        """How many actions after the pool's first one are in effect and changed a demonstration."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                "SELECT id FROM actions WHERE pool_id = ? AND undoes IS NULL AND demonstrations",
                [pool_id],
            ).fetchall()
            taken_back = _taken_back(cursor, pool_id)
        return max(0, sum(len(_chain(number, taken_back)) % 2 for (number,) in rows) - 1)

    def of(self, demonstration_id: int) -> list[RevisionRow]:
        """The life of a demonstration, oldest step first; deleted ones have theirs too.

        Raises:
            InvalidInput: There is no such demonstration.
        """
        with self._database.read() as cursor:
            now = fetch_rows(cursor, [demonstration_id])[demonstration_id]
            rows = cursor.execute(
                """SELECT r.action_id, r.revision, a.happened, a.who, a.what, r.before, r.after
                FROM revisions r JOIN actions a ON a.id = r.action_id
                WHERE r.demonstration_id = ? ORDER BY r.revision""",
                [int(demonstration_id)],
            ).fetchall()
        steps = [
            RevisionRow(
                action_id=action,
                revision=revision,
                when=aware(at),
                who=who,
                what=_in_words(what),
                before=from_json(before or "{}"),
                after=from_json(after or "{}"),
            )
            for action, revision, at, who, what, before, after in rows
        ]
        # Going back from now through every `before` gives the values at birth.
        for step in steps[:0:-1]:
            now |= step.before
        born = {field: now[field] for field in KEPT}
        return [replace(steps[0], after={**steps[0].after, **born}), *steps[1:]]

    def changes(self, action_id: int, *, limit: int) -> list[RowChange]:
        """What the action changed, row by row, ordered by id, at most `limit` rows.

        Of the pool's setting in use it is row 0, which has no query.
        """
        with self._database.read() as cursor:
            steps = cursor.execute(
                """SELECT demonstration_id, before, after FROM revisions
                WHERE action_id = ? ORDER BY demonstration_id LIMIT ?""",
                [action_id, limit],
            ).fetchall()
            left = fetch_rows(cursor, [number for number, *_ in steps])
            left |= _now_and_then(cursor, _later(cursor, action_id, limit))[1]
        return [
            _change(left[number], before) if number else _change_of_setting(before, after)
            for number, before, after in steps
        ]

    def changed(self, ids: Sequence[int]) -> dict[int, datetime]:
        """When each of the demonstrations was changed last; its import counts as a change."""
        with self._database.read() as cursor:
            register_table(cursor, "wanted", {"id": "integer"}, {"id": list(ids)})
            rows = cursor.execute(
                """SELECT r.demonstration_id, max(a.happened) FROM revisions r
                SEMI JOIN wanted w ON w.id = r.demonstration_id
                JOIN actions a ON a.id = r.action_id GROUP BY ALL"""
            ).fetchall()
        return {int(number): aware(at) for number, at in rows}

    def edits_since(self, pool_id: int, version: int | None, moment: datetime) -> int:
        """How many actions changed what figures are made of since the pool had that version.

        An action and its undo are none, wherever both came later. Choices of fixed demonstrations
        and of a task are one, however many there were.

        Args:
            pool_id: The pool.
            version: None where it is not known: then the moment decides.
            moment: A time at which the pool had it.
        """
        with self._database.read() as cursor:
            later = cursor.execute(
                f"SELECT a.id, a.undoes FROM actions a WHERE {_AFTER} ORDER BY a.id",  # noqa: S608
                _since(pool_id, version, moment),
            ).fetchall()
            chosen = first_row(cursor, "SELECT chosen FROM pools WHERE id = ?", [pool_id])
        undone: dict[int, int] = {}  # by the first of a chain of undos: how many of it came later
        first: dict[int, int] = {}
        for number, undoes in later:
            first[number] = first.get(undoes, number)
            undone[first[number]] = undone.get(first[number], 0) + 1
        return sum(count % 2 for count in undone.values()) + bool(
            version is not None and chosen and chosen[0] > version
        )

    def texts_changed(
        self, pool_id: int, ids: Sequence[int], version: int, moment: datetime
    ) -> set[int]:
        """Which of these demonstrations have another query or answer than at that version.

        The arguments are those of `edits_since`.
        """
        with self._database.read() as cursor:
            register_table(cursor, "wanted", {"id": "integer"}, {"id": list(ids)})
            earlier = cursor.execute(
                f"""SELECT r.demonstration_id, r.before FROM revisions r
                SEMI JOIN wanted w ON w.id = r.demonstration_id
                JOIN actions a ON a.id = r.action_id
                WHERE {_AFTER} AND r.before IS NOT NULL ORDER BY r.revision DESC""",  # noqa: S608
                _since(pool_id, version, moment),
            ).fetchall()
            now, then = _now_and_then(cursor, earlier)
        return {
            number
            for number, row in now.items()
            if any(row[name] != then[number][name] for name in ("query", "answer"))
        }

    def setting(self, pool_id: int) -> Mapping[str, Json]:
        """The setting that was put in use with the pool, as it was given; empty for none."""
        with self._database.read() as cursor:
            found: Mapping[str, Json] = from_json(_setting(cursor, pool_id))
            return found

    def use_setting(
        self, pool_id: int, setting: Mapping[str, Json], before: Mapping[str, Json], what: str
    ) -> int:
        """The id of the action `what`, which puts a setting in use; its undo brings `before`."""
        steps = (to_json(before), to_json(setting))
        with self._database.write() as cursor:
            require_pool(cursor, pool_id)
            return _use_setting(cursor, pool_id, steps, who="you", what=what)

    def undo(self, action_id: int, *, who: str = "you") -> int:
        """The id of a new action that restores what the rows of this action were before it.

        An import is undone by deleting its rows, a deletion by bringing them back. Undoing an
        undo is the redo; after it the first action is in effect again and may be undone again.

        Raises:
            StaleRevision: What the action changed was changed again since; nothing is written.
            InvalidInput: There is no such action, it is undone already, or a row to bring back
                would be a double of one that has come since.
        """
        with self._database.write() as cursor:
            pool_id, what = _action(cursor, action_id)
            chain = _chain(action_id, _taken_back(cursor, pool_id))
            if len(chain) % 2 == 0:
                raise InvalidInput(
                    f"The action {action_id} ({what}) is undone already: undo the action "
                    f"{chain[-1]} to redo it."
                )
            last = chain[-1]
            name = _in_words(_action(cursor, last)[1], taken_back=1)
            setting = first_row(
                cursor,
                "SELECT before, after FROM revisions WHERE action_id = ? AND demonstration_id = 0",
                [last],
            )
            if setting is None:
                return _undo(cursor, last, name, who)
            if setting[1] != _setting(cursor, pool_id):
                raise StaleRevision(
                    f"The action {action_id} cannot be undone, another setting is in use since: "
                    "undo the later choice first."
                )
            return _use_setting(cursor, pool_id, setting[::-1], who=who, what=name, undoes=last)


def _setting(cursor: "DuckDBPyConnection", pool_id: int) -> str:
    row = first_row(
        cursor,
        """SELECT r.after FROM revisions r JOIN actions a ON a.id = r.action_id
        WHERE a.pool_id = ? AND r.demonstration_id = 0 ORDER BY a.id DESC LIMIT 1""",
        [pool_id],
    )
    return str(row[0]) if row else "{}"


def _use_setting(
    cursor: "DuckDBPyConnection", pool_id: int, steps: Sequence[str], **of_action: Any
) -> int:
    """Record the setting before and after as a revision of the pool itself, which is number 0."""
    action = record_action(cursor, pool_id, demonstrations=0, **of_action)
    cursor.execute("INSERT INTO revisions VALUES (?, 0, 0, ?, ?)", [action, *steps])
    touch_pool(cursor, pool_id, action, version=False)
    return action


def _since(pool_id: int, version: int | None, moment: datetime) -> dict[str, object]:
    """The parameters of `_AFTER`."""
    naive = moment.astimezone(UTC).replace(tzinfo=None)
    return {"pool": pool_id, "version": version, "moment": naive}


def _action(cursor: "DuckDBPyConnection", action_id: int) -> tuple[int, str]:
    row = first_row(cursor, "SELECT pool_id, what FROM actions WHERE id = ?", [action_id])
    if row is None:
        raise InvalidInput(
            f"There is no action with the id {action_id}: choose one of the pool's history."
        )
    return row[0], row[1]


def _taken_back(cursor: "DuckDBPyConnection", pool_id: int) -> dict[int, int]:
    """For each action that was undone, the action that did so."""
    rows = cursor.execute(
        "SELECT undoes, id FROM actions WHERE pool_id = ? AND undoes IS NOT NULL", [pool_id]
    ).fetchall()
    return dict(rows)


def _chain(action_id: int, taken_back: dict[int, int]) -> list[int]:
    """The action, its undo, the undo of the undo, and so on; an odd length means: in effect."""
    chain = [action_id]
    while chain[-1] in taken_back:
        chain.append(taken_back[chain[-1]])
    return chain


def _undo(cursor: "DuckDBPyConnection", action_id: int, what: str, who: str) -> int:
    rows = cursor.execute(
        """SELECT demonstration_id, revision, before FROM revisions
        WHERE action_id = ? ORDER BY demonstration_id""",
        [action_id],
    ).fetchall()
    if not rows:
        raise InvalidInput(f"The action {action_id} changed no row: there is nothing to undo.")
    settled = _settled(cursor, action_id, {number: before for number, _, before in rows})
    changes = [
        NewValues(number, settled.get(number, revision), _restored(before))
        for number, revision, before in rows
    ]
    try:
        return apply_changes(cursor, changes, who=who, what=what, undoes=action_id)
    except StaleRevision as error:
        raise StaleRevision(
            f"The action {action_id} cannot be undone, a demonstration has changed since: undo the "
            f"later change first. {error}"
        ) from error


def _settled(
    cursor: "DuckDBPyConnection", action_id: int, before: dict[int, str | None]
) -> dict[int, int]:
    """The action's rows whose fields later changes left as the action did, with their revision now.

    An undo restores a row and yet gives it a new revision, and another field may have been edited
    since: what counts is whether the fields that the action changed are as it left them. For rows
    that it brought in, which its undo deletes, all fields count.
    """
    now, then = _now_and_then(cursor, _later(cursor, action_id))
    settled = {}
    for number, row in now.items():
        fields_before = before[number]
        fields = KEPT if fields_before is None else from_json(fields_before)
        if all(row[field] == then[number][field] for field in fields):
            settled[number] = row["revision"]
    return settled


def _now_and_then(
    cursor: "DuckDBPyConnection", steps: list[tuple[int, str]]
) -> tuple[dict[int, Row], dict[int, Row]]:
    """The rows as they are and as they were before these steps, which are given the last first."""
    now = fetch_rows(cursor, {number for number, _ in steps})
    then = {number: dict(row) for number, row in now.items()}
    for number, before in steps:
        then[number] |= from_json(before)
    return now, then


def _later(
    cursor: "DuckDBPyConnection", action_id: int, limit: int | None = None
) -> list[tuple[int, str]]:
    """The steps after the action of its rows, or of its first rows by id, the last step first."""
    return cursor.execute(
        """SELECT r.demonstration_id, r.before FROM revisions r
        JOIN (SELECT * FROM revisions WHERE action_id = ? AND demonstration_id > 0
            ORDER BY demonstration_id LIMIT ?) a
        ON a.demonstration_id = r.demonstration_id AND r.revision > a.revision
        ORDER BY r.revision DESC""",
        [action_id, limit],
    ).fetchall()


def _change(left: Row, before: str | None) -> RowChange:
    """The change of a row, as the action left it; of one that came or went all fields."""
    fields = _restored(before)
    was = left | fields
    names = KEPT[:-1] if was["deleted"] != left["deleted"] else [*fields]
    was, after = ({name: row[name] for name in names if not row["deleted"]} for row in (was, left))
    return RowChange(left["id"], left["query"], was, after)


def _change_of_setting(before: str, after: str) -> RowChange:
    was, left = from_json(before), from_json(after)
    names = [name for name in was | left if was.get(name) != left.get(name)]
    was, left = ({name: row.get(name) for name in names} for row in (was, left))
    return RowChange(0, "", was, left)


def _in_words(what: str, *, taken_back: int = 0) -> str:
    """What an action is called: "redo" where it undoes an undo, "undo" again where it undoes that.

    Older workspaces have "undo: undo: ..." for the former.
    """
    while what[:6] in _TIMES:
        taken_back += _TIMES[what[:6]]
        what = what[6:]
    return f"{'undo' if taken_back % 2 else 'redo'}: {what}" if taken_back else what


def _restored(before: str | None) -> Row:
    values: Row = {"deleted": True} if before is None else from_json(before)
    return values
