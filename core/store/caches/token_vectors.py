"""Token vectors, kept once for each text and encoder."""

from collections.abc import Sequence

import numpy as np

from ...types import FloatArray
from ..database import Database
from ..transfer.exchange import one_number, register_table

_AT_ONCE = 250
"""Texts looked up by one statement: for so few DuckDB uses the index, for more it scans."""


class TokenVectors:
    """Unit rows of a text's tokens by (encoder, text hash), in half precision.

    Half precision moves a cosine by some 1e-4 and halves the space of a text: 9 KB for a query of
    twelve tokens of 384 dimensions.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, encoder: str, hashes: Sequence[str]) -> dict[str, FloatArray]:
        """The rows of these texts, each (t, d), float32 and of unit length; unknown ones absent.

        They are what `put` was given, rounded to half precision and made unit length again.
        """
        distinct = list(dict.fromkeys(hashes))
        found: dict[str, FloatArray] = {}
        with self._database.read() as cursor:
            for start in range(0, len(distinct), _AT_ONCE):
                some = distinct[start : start + _AT_ONCE]
                # Only a list of values, with no condition beside it, is looked up in the index.
                places = ", ".join("?" * len(some))
                # Nothing but question marks is put into the statement.
                statement = f"SELECT * FROM token_vectors WHERE hash IN ({places})"  # noqa: S608
                for of, hash, dimensions, vectors in cursor.execute(statement, some).fetchall():
                    if of == encoder:
                        found[hash] = _unit(vectors, dimensions)
        return found

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
        if not len(hashes):
            return
        with self._database.write() as cursor:
            register_table(
                cursor,
                "given",
                {"hash": "text", "dimensions": "integer", "vectors": "bytes"},
                {
                    "hash": hashes,
                    "dimensions": [of_text.shape[1] for of_text in rows],
                    "vectors": [of_text.astype(np.float16).tobytes() for of_text in rows],
                },
            )
            cursor.execute(
                """INSERT INTO token_vectors
                SELECT $encoder, g.hash, first(g.dimensions), first(g.vectors) FROM given g
                ANTI JOIN (SELECT hash FROM token_vectors WHERE encoder = $encoder) e USING (hash)
                GROUP BY g.hash""",
                {"encoder": encoder},
            )

    def count(self, encoder: str) -> int:
        """How many texts of this encoder have rows."""
        with self._database.read() as cursor:
            return one_number(
                cursor, "SELECT count(*) FROM token_vectors WHERE encoder = ?", [encoder]
            )


def _unit(vectors: bytes, dimensions: int) -> FloatArray:
    tokens = len(vectors) // (2 * dimensions)
    rows = np.frombuffer(vectors, dtype=np.float16).reshape(tokens, dimensions).astype(np.float32)
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
