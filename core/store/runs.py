"""Runs: what was computed with which settings, row by row, so that a killed one can resume."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .database import Database
from .exchange import (
    Json,
    aware,
    first_row,
    from_json,
    one_number,
    register_table,
    to_json,
    utc_now,
)
from .records import StoredResult, StoredRun

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STATES = ("running", "finished", "cancelled", "failed")


class Runs:
    """Evaluations, calibrations and the like. NaN and the infinities come back as None."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, kind: str, pool_id: int | None, settings: Mapping[str, Json]) -> int:
        """The id of a new run, in the state running."""
        now = utc_now()
        with self._database.write() as cursor:
            return one_number(
                cursor,
                """INSERT INTO runs VALUES
                (nextval('run_ids'), ?, ?, ?, 'running', '', ?, ?, NULL, ?) RETURNING id""",
                [kind, pool_id, to_json(dict(settings)), now, now, self._database.session],
            )

    def append(self, run_id: int, rows: Sequence[Mapping[str, Json]]) -> None:
        """Append rows to those that the run has."""
        if not rows:
            return
        with self._database.write() as cursor:
            _require(cursor, run_id)
            register_table(
                cursor,
                "given",
                {"position": "integer", "content": "text"},
                {
                    "position": list(range(len(rows))),
                    "content": [to_json(dict(row)) for row in rows],
                },
            )
            cursor.execute(
                """INSERT INTO run_rows
                SELECT $run, position + (
                    SELECT coalesce(max(position) + 1, 0) FROM run_rows WHERE run_id = $run
                ), content FROM given""",
                {"run": run_id},
            )
            cursor.execute("UPDATE runs SET updated = ? WHERE id = ?", [utc_now(), run_id])

    def set_state(self, run_id: int, state: str, *, message: str = "") -> None:
        """Record the run's state; running again makes it a run of this process.

        Raises:
            ValueError: The state is none of running, finished, cancelled and failed.
        """
        if state not in STATES:
            raise ValueError(f"state must be one of {STATES}, got {state!r}")
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute(
                "UPDATE runs SET state = ?, message = ?, updated = ?, session = ? WHERE id = ?",
                [state, message, utc_now(), self._database.session, run_id],
            )

    def save_result(self, run_id: int, result: Mapping[str, Json]) -> None:
        """Keep what came out, in place of an earlier result."""
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute(
                "UPDATE runs SET result = ?, updated = ? WHERE id = ?",
                [to_json(dict(result)), utc_now(), run_id],
            )

    def get(self, run_id: int) -> StoredRun:
        """The run with that id.

        Raises:
            InvalidInput: There is none.
        """
        with self._database.read() as cursor:
            return _require(cursor, run_id)

    def rows(self, run_id: int) -> list[Mapping[str, Json]]:
        """The run's rows in the order in which they were appended."""
        with self._database.read() as cursor:
            _require(cursor, run_id)
            found = cursor.execute(
                "SELECT content FROM run_rows WHERE run_id = ? ORDER BY position", [run_id]
            ).fetchall()
        return [from_json(row[0]) for row in found]

    def latest(self, kind: str, pool_id: int | None, *, limit: int = 20) -> list[StoredRun]:
        """The newest runs of a kind on a pool, newest first."""
        with self._database.read() as cursor:
            found = cursor.execute(
                """SELECT id, kind, pool_id, settings, state, message, started, updated, result
                FROM runs WHERE kind = ? AND pool_id IS NOT DISTINCT FROM ?
                ORDER BY id DESC LIMIT ?""",
                [kind, pool_id, limit],
            ).fetchall()
        return [_run(row) for row in found]

    def latest_result(self, kind: str, pool_id: int | None) -> StoredResult | None:
        """The result of a pool's newest run of a kind that is over and has one."""
        with self._database.read() as cursor:
            row = first_row(
                cursor,
                """SELECT id, updated, result FROM runs
                WHERE kind = ? AND pool_id IS NOT DISTINCT FROM ? AND result IS NOT NULL
                AND state IN ('finished', 'cancelled') ORDER BY id DESC LIMIT 1""",
                [kind, pool_id],
            )
        return None if row is None else StoredResult(row[0], aware(row[1]), row[2])


def _run(row: tuple[Any, ...]) -> StoredRun:
    number, kind, pool_id, settings, state, message, started, updated, result = row
    return StoredRun(
        id=number,
        kind=kind,
        pool_id=pool_id,
        settings=from_json(settings),
        state=state,
        message=message,
        started=aware(started),
        updated=aware(updated),
        result=None if result is None else from_json(result),
    )


def _require(cursor: "DuckDBPyConnection", run_id: int) -> StoredRun:
    row = first_row(
        cursor,
        """SELECT id, kind, pool_id, settings, state, message, started, updated, result
        FROM runs WHERE id = ?""",
        [run_id],
    )
    if row is None:
        raise InvalidInput(f"There is no run with the id {run_id}: choose one that is listed.")
    return _run(row)
