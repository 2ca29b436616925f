"""The map's points, kept so that a projection is computed once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...types import IntArray
from ..database import Database
from ..transfer.codec import utc_now
from .keyed_table import KeyedTable

KEPT = 16
"""Maps kept; every edit of a pool makes a new one, and the oldest are deleted."""


class Coordinates:
    """Points by a key that names everything from which they were computed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._table = KeyedTable(
            database,
            "coordinates",
            scope=(),
            key={"key": "text"},
            values={"ids": "bytes", "xy": "bytes"},
        )

    def put(self, key: str, ids: Sequence[int] | IntArray, xy: NDArray[np.float32]) -> None:
        """Keep the points under the key, in place of earlier ones.

        Args:
            key: Names pool version, encoder and projection.
            ids: The demonstrations, n of them.
            xy: Their points, shape (n, 2), finite.

        Raises:
            ValueError: The shapes disagree or a point is not finite.
        """
        numbers = np.asarray(ids, dtype=np.int64)
        points = np.ascontiguousarray(xy, dtype=np.float32)
        if points.shape != (len(numbers), 2) or not np.isfinite(points).all():
            raise ValueError(f"{len(numbers)} ids need as many finite points, got {points.shape}")
        with self._database.write() as cursor:
            cursor.execute("DELETE FROM coordinates WHERE key = ?", [key])
            cursor.execute(
                "INSERT INTO coordinates VALUES (?, ?, ?, ?)",
                [key, numbers.tobytes(), points.tobytes(), utc_now()],
            )
            cursor.execute(
                """DELETE FROM coordinates WHERE key NOT IN
                (SELECT key FROM coordinates ORDER BY happened DESC LIMIT ?)""",
                [KEPT],
            )

    def get(self, key: str) -> tuple[IntArray, NDArray[np.float32]] | None:
        """The ids (n,) and points (n, 2) under the key, or None when there are none."""
        found = self._table.rows((), [(key,)]).get((key,))
        if found is None:
            return None
        ids = np.frombuffer(found[0], dtype=np.int64).copy()
        return ids, np.frombuffer(found[1], dtype=np.float32).reshape(-1, 2).copy()
