"""Runs of programs, by what was asked, and the records of what each of them did."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .database import Database
from .exchange import Json, aware, first_row, from_json, one_number, to_json, utc_now
from .records import ProgramRun

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_RUNS = "SELECT id, kind, key, asked, created, finished FROM program_runs "
"""The beginning of a statement whose rows are the fields of `ProgramRun`."""


class ProgramRuns:
    """Each run by its kind and key, so that one that was stopped or killed goes on.

    Records are JSON, numbered by whoever writes them; in them NaN and the infinities come back as
    None.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, kind: str, key: str, asked: Mapping[str, Json]) -> ProgramRun:
        """The run of that kind and key: the one that is there, finished or not, else a new one.

        Args:
            kind: What is done, such as `bootstrap`.
            key: The hash of everything that decides what comes out (`text.content_hash`).
            asked: What is kept with a new run; one that is there keeps its own.
        """
        with self._database.write() as cursor:
            row = first_row(cursor, _RUNS + "WHERE kind = ? AND key = ?", [kind, key])
            if row is None:
                row = first_row(
                    cursor,
                    """INSERT INTO program_runs
                    VALUES (nextval('program_run_ids'), ?, ?, ?, ?, NULL)
                    RETURNING id, kind, key, asked, created, finished""",
                    [kind, key, to_json(dict(asked)), utc_now()],
                )
            assert row is not None
        return _run(row)

    def append(self, run_id: int, number: int, record: Mapping[str, Json]) -> None:
        """Keep the run's record of that number, in place of the one that it may have.

        Raises:
            InvalidInput: There is no run with that id.
            TypeError: A part of the record is nothing that JSON knows.
        """
        text = to_json(dict(record))
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute(
                "DELETE FROM program_records WHERE run_id = ? AND number = ?", [run_id, number]
            )
            cursor.execute("INSERT INTO program_records VALUES (?, ?, ?)", [run_id, number, text])

    def finish(self, run_id: int) -> None:
        """Say that the run has all its records; the time of the first call counts.

        Raises:
            InvalidInput: There is no run with that id.
        """
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute(
                "UPDATE program_runs SET finished = ? WHERE id = ? AND finished IS NULL",
                [utc_now(), run_id],
            )

    def get(self, run_id: int) -> ProgramRun:
        """The run with that id.

        Raises:
            InvalidInput: There is none.
        """
        with self._database.read() as cursor:
            return _require(cursor, run_id)

    def latest(self, kind: str, *, limit: int | None = None) -> list[ProgramRun]:
        """The runs of a kind that were started last, the newest first; without a limit all."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                _RUNS + "WHERE kind = ? ORDER BY id DESC LIMIT ?", [kind, limit]
            ).fetchall()
        return [_run(row) for row in rows]

    def count(self, run_id: int) -> int:
        """How many records the run has; 0 where there is no such run."""
        with self._database.read() as cursor:
            return one_number(
                cursor, "SELECT count(*) FROM program_records WHERE run_id = ?", [run_id]
            )

    def records(self, run_id: int, *, since: int = 0) -> dict[int, Mapping[str, Json]]:
        """The run's records by their numbers, in the order of these.

        Args:
            run_id: The run.
            since: The least number that is read: 0 reads all, a larger one what came since.

        Raises:
            InvalidInput: There is no run with that id.
        """
        with self._database.read() as cursor:
            _require(cursor, run_id)
            rows = cursor.execute(
                """SELECT number, record FROM program_records
                WHERE run_id = ? AND number >= ? ORDER BY number""",
                [run_id, since],
            ).fetchall()
        return {number: from_json(record) for number, record in rows}

    def remove(self, run_id: int) -> None:
        """Remove the run with its records for good; texts that its model wrote are kept.

        Raises:
            InvalidInput: There is no run with that id.
        """
        with self._database.write() as cursor:
            _require(cursor, run_id)
            cursor.execute("DELETE FROM program_records WHERE run_id = ?", [run_id])
            cursor.execute("DELETE FROM program_runs WHERE id = ?", [run_id])


def _run(row: tuple[Any, ...]) -> ProgramRun:
    number, kind, key, asked, created, finished = row
    ended = None if finished is None else aware(finished)
    return ProgramRun(
        id=number,
        kind=kind,
        key=key,
        asked=from_json(asked),
        created=aware(created),
        finished=ended,
    )


def _require(cursor: "DuckDBPyConnection", run_id: int) -> ProgramRun:
    row = first_row(cursor, _RUNS + "WHERE id = ?", [run_id])
    if row is None:
        raise InvalidInput(
            f"There is no run of a program with the number {run_id}: choose one that is listed."
        )
    return _run(row)
