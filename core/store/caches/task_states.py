"""Task states, kept once for each model, prefix and text."""

from collections.abc import Sequence

import numpy as np

from ...types import FloatArray
from ..database import Database
from ..transfer.exchange import one_number, register_table

_AT_ONCE = 250
"""Texts looked up by one statement: for so few DuckDB uses the index, for more it scans."""


class TaskStates:
    """A row by (model, hash of the prefix, hash of the text), in single precision."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, prefix: str, hashes: Sequence[str]) -> dict[str, FloatArray]:
        """The states of these texts after the prefix, each (width,) float32; unknown ones absent.

        Args:
            model: The model's fingerprint.
            prefix: The hash of the text before them.
            hashes: The texts' hashes.
        """
        distinct = list(dict.fromkeys(hashes))
        found: dict[str, FloatArray] = {}
        with self._database.read() as cursor:
            if len(distinct) > _AT_ONCE:
                wanted = set(distinct)
                rows = cursor.execute(
                    "SELECT hash, state FROM task_states WHERE model = ? AND prefix = ?",
                    [model, prefix],
                ).fetchall()
                return {hash: _row(state) for hash, state in rows if hash in wanted}
            if distinct:
                # Only a list of values, with no condition beside it, is looked up in the index.
                places = ", ".join("?" * len(distinct))
                # Nothing but question marks is put into the statement.
                statement = f"SELECT * FROM task_states WHERE hash IN ({places})"  # noqa: S608
                for of_model, of_prefix, hash, state in cursor.execute(
                    statement, distinct
                ).fetchall():
                    if (of_model, of_prefix) == (model, prefix):
                        found[hash] = _row(state)
        return found

    def put(self, model: str, prefix: str, hashes: Sequence[str], states: FloatArray) -> None:
        """Keep a state for each text; a text that has one already keeps the old one.

        Args:
            model: The model's fingerprint.
            prefix: The hash of the text before them.
            hashes: The texts' hashes, m of them.
            states: Shape (m, width), finite.

        Raises:
            ValueError: The shapes disagree, or a value is not finite.
        """
        rows = np.ascontiguousarray(states, dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(hashes) or not np.isfinite(rows).all():
            raise ValueError(f"{len(hashes)} hashes need as many finite rows, got {rows.shape}")
        if not len(hashes):
            return
        with self._database.write() as cursor:
            register_table(
                cursor,
                "given",
                {"hash": "text", "state": "bytes"},
                {"hash": hashes, "state": [row.tobytes() for row in rows]},
            )
            cursor.execute(
                """INSERT INTO task_states
                SELECT $model, $prefix, g.hash, first(g.state) FROM given g
                ANTI JOIN (
                    SELECT hash FROM task_states WHERE model = $model AND prefix = $prefix
                ) t USING (hash)
                GROUP BY g.hash""",
                {"model": model, "prefix": prefix},
            )

    def count(self, model: str) -> int:
        """How many states this model has given."""
        with self._database.read() as cursor:
            return one_number(cursor, "SELECT count(*) FROM task_states WHERE model = ?", [model])


def _row(state: bytes) -> FloatArray:
    return np.frombuffer(state, dtype=np.float32)
