"""Vectors by the text's hash: embeddings, tokens' vectors, task states, points of maps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...types import FloatArray, IntArray
from ..database import Database
from ..exchange import to_arrow, utc_now
from .keyed_table import KeyedTable, OneTable

_MANY = 250
"""Task states of more texts than this are read with all of their prefix: the index is slower."""


class Embeddings(OneTable):
    """Rows by (encoder, text hash). Encoders may have different numbers of dimensions."""

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "embeddings",
            scope=("encoder",),
            key={"hash": "text"},
            values={"row": "bytes"},
        )

    def missing(self, encoder: str, hashes: Sequence[str]) -> list[str]:
        """Those of the hashes that have no row yet, each once, in the order given."""
        return self._table.missing((encoder,), hashes)

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
        known = self._dimensions(encoder)
        if known not in (0, rows.shape[1]):
            raise InvalidInput(
                f"The encoder {encoder} has given {known} dimensions so far and now gives "
                f"{rows.shape[1]}: give another encoder another name."
            )
        self._table.add_many((encoder,), _as_table(hashes, rows))

    def get(self, encoder: str, hashes: Sequence[str]) -> NDArray[np.float32]:
        """The rows of the hashes, shape (m, d), in the order given; a hash may be repeated.

        Raises:
            InvalidInput: A hash has no row.
        """
        distinct = list(dict.fromkeys(hashes))
        found = self._table.columns((encoder,), distinct)
        if found.num_rows < len(distinct):
            raise InvalidInput(
                f"{len(distinct) - found.num_rows} of {len(distinct)} texts have no embedding by "
                f"{encoder} yet: embed the pool first."
            )
        dimensions = self._dimensions(encoder)
        rows = np.empty((len(distinct), dimensions), dtype=np.float32)
        for batch in found.to_batches():
            rows[_integers(batch["position"])] = _as_array(batch["row"], dimensions)
        if len(distinct) == len(hashes):
            return rows
        place = {one: position for position, one in enumerate(distinct)}
        gathered: NDArray[np.float32] = rows[[place[one] for one in hashes]]
        return gathered

    def _dimensions(self, encoder: str) -> int:
        (row,) = self._table.any_row((encoder,)) or (b"",)
        return len(row) // 4


def _refuse_useless(hashes: Sequence[str], rows: NDArray[np.float32]) -> None:
    useless = np.flatnonzero(~np.isfinite(rows).all(axis=1) | ~rows.any(axis=1))
    if len(useless):
        raise InvalidInput(
            f"The embedding of text {hashes[useless[0]]} is zero or not finite ({len(useless)} "
            "such rows): only finite vectors with a direction are allowed, so mend these texts or "
            "choose another encoder."
        )


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


class TokenVectors(OneTable):
    """Unit rows of a text's tokens by (encoder, text hash), in half precision.

    Half precision moves a cosine by some 1e-4 and halves the space of a text: 9 KB for a query of
    twelve tokens of 384 dimensions.
    """

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "token_vectors",
            scope=("encoder",),
            key={"hash": "text"},
            values={"dimensions": "integer", "vectors": "bytes"},
        )

    def get(self, encoder: str, hashes: Sequence[str]) -> dict[str, FloatArray]:
        """The rows of these texts, each (t, d), float32 and of unit length; unknown ones absent.

        They are what `put` was given, rounded to half precision and made unit length again.
        """
        found = self._table.rows((encoder,), ((hash,) for hash in hashes))
        return {
            hash: _unit(vectors, dimensions) for (hash,), (dimensions, vectors) in found.items()
        }

    def put(self, encoder: str, hashes: Sequence[str], rows: Sequence[FloatArray]) -> None:
        """Keep the rows of each text; a text that has some already keeps those.

        Args:
            encoder: The encoder's fingerprint.
            hashes: The texts' hashes, m of them.
            rows: For each text its tokens' unit rows, shape (t, d); t may be 0.

        Raises:
            ValueError: There are not as many arrays as hashes, or one is not two-dimensional or
                has a value that is not finite.
        """
        if len(rows) != len(hashes):
            raise ValueError(f"{len(hashes)} hashes need as many arrays, got {len(rows)}")
        for hash, of_text in zip(hashes, rows, strict=True):
            if of_text.ndim != 2 or not np.isfinite(of_text).all():
                raise ValueError(f"{hash} has rows of shape {of_text.shape}; give finite (t, d)")
        self._table.add(
            (encoder,),
            {
                "hash": hashes,
                "dimensions": [of_text.shape[1] for of_text in rows],
                "vectors": [of_text.astype(np.float16).tobytes() for of_text in rows],
            },
        )


def _unit(vectors: bytes, dimensions: int) -> FloatArray:
    tokens = len(vectors) // (2 * dimensions)
    rows = np.frombuffer(vectors, dtype=np.float16).reshape(tokens, dimensions).astype(np.float32)
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


class TaskStates(OneTable):
    """A row by (model, hash of the prefix, hash of the text), in single precision."""

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "task_states",
            scope=("model", "prefix"),
            key={"hash": "text"},
            values={"state": "bytes"},
        )

    def get(self, model: str, prefix: str, hashes: Sequence[str]) -> dict[str, FloatArray]:
        """The states of these texts after the prefix, each (width,) float32; unknown ones absent.

        Args:
            model: The model's fingerprint.
            prefix: The hash of the text before them.
            hashes: The texts' hashes.
        """
        distinct = list(dict.fromkeys(hashes))
        if len(distinct) > _MANY:
            found = self._table.columns((model, prefix), distinct)
            places, states = found["position"].to_pylist(), found["state"].to_pylist()
            return {
                distinct[place]: np.frombuffer(state, np.float32)
                for place, state in zip(places, states, strict=True)
            }
        rows = self._table.rows((model, prefix), ((hash,) for hash in distinct))
        return {hash: np.frombuffer(state, np.float32) for (hash,), (state,) in rows.items()}

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
        self._table.add((model, prefix), {"hash": hashes, "state": [row.tobytes() for row in rows]})


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
