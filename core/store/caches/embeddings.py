"""Embeddings, kept once for each text and encoder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ..database import Database
from ..transfer.arrow import to_arrow
from ..transfer.exchange import first_row, one_number, register_positions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Embeddings:
    """Rows by (encoder, text hash). Encoders may have different numbers of dimensions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self, encoder: str, hashes: Sequence[str]) -> list[str]:
        """Those of the hashes that have no row yet, each once, in the order given."""
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", "hash", list(dict.fromkeys(hashes)))
            rows = cursor.execute(
                """SELECT w.hash FROM wanted w
                ANTI JOIN (SELECT hash FROM embeddings WHERE encoder = ?) e USING (hash)
                ORDER BY w.position""",
                [encoder],
            ).fetchall()
        return [row[0] for row in rows]

    def put(self, encoder: str, hashes: Sequence[str], rows: NDArray[np.float32]) -> None:
        """Keep one row for each hash; a hash that has one already keeps the old one.

        Args:
            encoder: The encoder's fingerprint.
            hashes: The texts' hashes, m of them.
            rows: Embeddings, shape (m, d), finite, none of them zero.

        Raises:
            ValueError: The shapes disagree.
            InvalidInput: A row is zero or not finite, or d is not the encoder's.
        """
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(hashes):
            raise ValueError(f"{len(hashes)} hashes need as many rows, got shape {rows.shape}")
        if not len(hashes):
            return
        _refuse_useless(hashes, rows)
        with self._database.write() as cursor:
            known = _dimensions(cursor, encoder)
            if known not in (0, rows.shape[1]):
                raise InvalidInput(
                    f"The encoder {encoder} has given {known} dimensions so far and now gives "
                    f"{rows.shape[1]}: give another encoder another name."
                )
            cursor.register("given", _as_table(hashes, rows))
            cursor.execute(
                """INSERT INTO embeddings
                SELECT ?, g.hash, any_value(g.row) FROM given g
                ANTI JOIN (SELECT hash FROM embeddings WHERE encoder = ?) e USING (hash)
                GROUP BY g.hash""",
                [encoder, encoder],
            )
        self._database.checkpoint_after(len(hashes))

    def get(self, encoder: str, hashes: Sequence[str]) -> NDArray[np.float32]:
        """The rows of the hashes, shape (m, d), in the order given; a hash may be repeated.

        Raises:
            InvalidInput: A hash has no row.
        """
        distinct = list(dict.fromkeys(hashes))
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", "hash", distinct)
            found = cursor.sql(
                """SELECT w.position, e.row FROM wanted w
                JOIN (SELECT hash, row FROM embeddings WHERE encoder = $encoder) e USING (hash)""",
                params={"encoder": encoder},
            ).to_arrow_table()
            dimensions = _dimensions(cursor, encoder)
        assert found is not None
        if found.num_rows < len(distinct):
            raise InvalidInput(
                f"{len(distinct) - found.num_rows} of {len(distinct)} texts have no embedding by "
                f"{encoder} yet: embed the pool first."
            )
        rows = np.empty((len(distinct), dimensions), dtype=np.float32)
        for batch in found.to_batches():
            rows[_integers(batch["position"])] = _as_array(batch["row"], dimensions)
        if len(distinct) == len(hashes):
            return rows
        place = {one: position for position, one in enumerate(distinct)}
        gathered: NDArray[np.float32] = rows[[place[one] for one in hashes]]
        return gathered

    def count(self, encoder: str) -> int:
        """How many rows the encoder has."""
        with self._database.read() as cursor:
            return one_number(
                cursor, "SELECT count(*) FROM embeddings WHERE encoder = ?", [encoder]
            )


def _refuse_useless(hashes: Sequence[str], rows: NDArray[np.float32]) -> None:
    useless = np.flatnonzero(~np.isfinite(rows).all(axis=1) | ~rows.any(axis=1))
    if len(useless):
        raise InvalidInput(
            f"The embedding of text {hashes[useless[0]]} is zero or not finite ({len(useless)} "
            "such rows): only finite vectors with a direction are allowed, so mend these texts or "
            "choose another encoder."
        )


def _dimensions(cursor: "DuckDBPyConnection", encoder: str) -> int:
    row = first_row(
        cursor, "SELECT octet_length(row) // 4 FROM embeddings WHERE encoder = ? LIMIT 1", [encoder]
    )
    return int(row[0]) if row else 0


def _as_table(hashes: Sequence[str], rows: NDArray[np.float32]) -> Any:
    """Hashes and rows as an Arrow table; a row is the bytes of its float32 values."""
    import pyarrow as pa

    ends = np.arange(len(rows) + 1, dtype=np.int64) * (rows.shape[1] * rows.itemsize)
    # Large, since past 2 GiB the offsets of plain binary overflow.
    cells = pa.Array.from_buffers(
        pa.large_binary(), len(rows), [None, pa.py_buffer(ends), pa.py_buffer(rows)]
    )
    return pa.Table.from_arrays([to_arrow("text", hashes), cells], names=["hash", "row"])


def _integers(column: Any) -> NDArray[np.int64]:
    """The values of an Arrow array of 64-bit integers without nulls, shape (values,)."""
    start = column.offset * np.dtype(np.int64).itemsize
    return np.frombuffer(column.buffers()[1], dtype=np.int64, count=len(column), offset=start)


def _as_array(cells: Any, dimensions: int) -> NDArray[np.float32]:
    """The float32 values in an Arrow array of equally long binary cells, shape (cells, d)."""
    if not len(cells):
        return np.empty((0, dimensions), dtype=np.float32)
    _, offsets, values = cells.buffers()
    wide = np.int64 if "large" in str(cells.type) else np.int32
    start = np.frombuffer(offsets, dtype=wide)[cells.offset]
    flat = np.frombuffer(values, dtype=np.float32, count=len(cells) * dimensions, offset=start)
    return flat.reshape(len(cells), dimensions)
