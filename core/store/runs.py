"""Runs: what was computed with which settings, row by row, so that a killed one can resume."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..errors import Cancelled, InvalidInput
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
from .records import StoredRun

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STATES = ("running", "finished", "cancelled", "failed")
_RUNS = """SELECT id, kind, pool_id, key, settings, state, message, started, updated, result
FROM runs """
"""The beginning of a statement whose rows are the fields of `StoredRun`."""
_OF_POOL = _RUNS + "WHERE kind = ? AND pool_id IS NOT DISTINCT FROM ?"
_OVER = "result IS NOT NULL AND state IN ('finished', 'cancelled')"
_NEWEST_FIRST = " ORDER BY started DESC, id DESC LIMIT ?"


class Runs:
    """All long work on pools: evaluations, calibrations, programs and the like.

    A run has settings, rows and in the end a result, all JSON; in them NaN and the infinities come
    back as None. One with a key is the only one of its kind with that key, so that the same request
    goes on where it was stopped or killed; its rows are numbered by whoever writes them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(
        self,
        kind: str,
        pool_id: int | None,
        settings: Mapping[str, Json],
        *,
        key: str | None = None,
    ) -> int:
        """The id of a run in the state running: the one that has the key, else a new one.

        Args:
            kind: What is done, such as `evaluate`.
            pool_id: The pool that it is about, if any.
            settings: What is kept for showing it and for going on.
            key: The hash of everything that decides what comes out (`text.content_hash`); None
                makes a new run in any case.
        """
        values = [pool_id, to_json(dict(settings)), utc_now(), self._database.session]
        with self._database.write() as cursor:
            known = first_row(cursor, "SELECT id FROM runs WHERE kind = ? AND key = ?", [kind, key])
            if known is None:
                return one_number(
                    cursor,
                    """INSERT INTO runs BY NAME SELECT nextval('run_ids') AS id, $1 AS pool_id,
                    $2 AS settings, $3::TIMESTAMP AS started, $3::TIMESTAMP AS updated,
                    $4 AS session, $5 AS kind, $6 AS key, 'running' AS state, '' AS message
                    RETURNING id""",
                    [*values, kind, key],
                )
            cursor.execute(
                """UPDATE runs SET pool_id = $1, settings = $2, started = $3, updated = $3,
                session = $4, state = 'running', message = '' WHERE id = $5""",
                [*values, known[0]],
            )
            return int(known[0])

    @contextmanager
    def recording(
        self,
        kind: str,
        pool_id: int | None,
        settings: Mapping[str, Json],
        *,
        key: str | None = None,
    ) -> Iterator[int]:
        """The id of a run that is running while the block runs, and then has its outcome.

        A run that a killed process leaves behind is still recorded as running; started again, the
        work takes from the store whatever was computed before. The arguments are those of `start`.
        """
        run_id = self.start(kind, pool_id, settings, key=key)
        try:
            yield run_id
        except (Cancelled, KeyboardInterrupt):
            self.set_state(run_id, "cancelled")
            raise
        except Exception as error:  # whatever it was, the run is over; it is raised again
            message = str(error) if isinstance(error, InvalidInput) else repr(error)
            self.set_state(run_id, "failed", message=message)
            raise
        self.set_state(run_id, "finished")

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

    def put(self, run_id: int, number: int, row: Mapping[str, Json]) -> None:
        """Keep the run's row of that number, in place of the one that it may have.

        Raises:
            InvalidInput: There is no run with that id.
            TypeError: A part of the row is nothing that JSON knows.
        """
        text = to_json(dict(row))
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute(
                "DELETE FROM run_rows WHERE run_id = ? AND position = ?", [run_id, number]
            )
            cursor.execute("INSERT INTO run_rows VALUES (?, ?, ?)", [run_id, number, text])
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

    def begun(self, run_id: int) -> tuple[int | None, datetime]:
        """The run's pool, if any, and when it was started last.

        Raises:
            InvalidInput: There is no run with that id.
        """
        with self._database.read() as cursor:
            row = first_row(cursor, "SELECT pool_id, started FROM runs WHERE id = ?", [run_id])
        if row is None:
            raise _no_run(run_id)
        return row[0], aware(row[1])

    def rows(self, run_id: int) -> list[Mapping[str, Json]]:
        """The run's rows in their order."""
        return list(self.numbered_rows(run_id).values())

    def numbered_rows(self, run_id: int) -> dict[int, Mapping[str, Json]]:
        """The run's rows by their numbers, in the order of these.

        Raises:
            InvalidInput: There is no run with that id.
        """
        with self._database.read() as cursor:
            _require(cursor, run_id)
            found = cursor.execute(
                "SELECT position, content FROM run_rows WHERE run_id = ? ORDER BY position",
                [run_id],
            ).fetchall()
        return {number: from_json(content) for number, content in found}

    def latest(self, kind: str, pool_id: int | None, *, limit: int = 20) -> list[StoredRun]:
        """The runs of a kind on a pool that were started last, the newest first."""
        with self._database.read() as cursor:
            found = cursor.execute(_OF_POOL + _NEWEST_FIRST, [kind, pool_id, limit]).fetchall()
        return [_run(row) for row in found]

    def with_results(self, kind: str, pool_id: int, limit: int) -> list[tuple[int, datetime]]:
        """The ids of a pool's last runs of a kind that are over and have a result, newest first.

        Each with when it was last changed.
        """
        with self._database.read() as cursor:
            found = cursor.execute(
                f"""SELECT id, updated FROM runs WHERE kind = ? AND pool_id = ? AND {_OVER}
                {_NEWEST_FIRST}""",  # noqa: S608
                [kind, pool_id, limit],
            ).fetchall()
        return [(number, aware(updated)) for number, updated in found]

    def latest_to_show(self, kind: str, pool_id: int | None) -> StoredRun | None:
        """A pool's newest run of a kind that has something to show.

        One with a key always has: its rows so far. Another one has it when it is over and has a
        result.
        """
        to_show = f" AND (key IS NOT NULL OR {_OVER})"
        with self._database.read() as cursor:
            row = first_row(cursor, _OF_POOL + to_show + _NEWEST_FIRST, [kind, pool_id, 1])
        return None if row is None else _run(row)


def _run(row: tuple[Any, ...]) -> StoredRun:
    number, kind, pool_id, key, settings, state, message, started, updated, result = row
    return StoredRun(
        id=number,
        kind=kind,
        pool_id=pool_id,
        key=key,
        state=state,
        message=message,
        started=aware(started),
        updated=aware(updated),
        settings_text=settings,
        result_text=result,
    )


def _require(cursor: "DuckDBPyConnection", run_id: int) -> StoredRun:
    row = first_row(cursor, _RUNS + "WHERE id = ?", [run_id])
    if row is None:
        raise _no_run(run_id)
    return _run(row)


def _no_run(run_id: int) -> InvalidInput:
    return InvalidInput(f"There is no run with the id {run_id}: choose one that is listed.")
