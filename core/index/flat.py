"""Exact search: every row is read, the quality bias is one more column."""

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..faiss_loading import import_faiss
from ..types import FloatArray
from .base import Found, Rows, best_first, checked_rows, checked_search
from .persistence import read_arrays, write_index


class FlatIndex:
    """Inner products over (E, b): one index answers every lambda_b.

    `<(lambda_b Q, 1 - lambda_b), (E_i, b_i)>` is a demonstration's value, so nothing is rebuilt
    when lambda_b moves.

    Source: RAGSys, section 3.3.3, for the value.
    """

    kind: ClassVar[str] = "flat"
    label: ClassVar[str] = "Exact (flat)"
    explanation: ClassVar[str] = "Reads every demonstration: always right, and quick up to 100,000."
    exact: ClassVar[bool] = True

    def __init__(self, searcher: Any, dimensions: int) -> None:
        self._searcher = searcher
        self.dimensions = dimensions
        self.size = int(searcher.ntotal)
        self.biased = int(searcher.d) == dimensions + 1

    @classmethod
    def build(cls, embeddings: FloatArray, quality_bias: FloatArray | None = None) -> Self:
        """The index of these rows; see `VectorIndex.build`."""
        rows, bias = checked_rows(embeddings, quality_bias)
        dimensions = rows.shape[1]
        if bias is not None:
            rows = np.column_stack([rows, bias])  # (n, d + 1)
        searcher = import_faiss().IndexFlatIP(rows.shape[1])
        searcher.add(rows)
        return cls(searcher, dimensions)

    def search(self, query: FloatArray, c: int, *, lambda_b: float = 1.0) -> Found:
        """The c best rows, exactly; see `VectorIndex.search`."""
        vector, c = checked_search(self, query, c, lambda_b)
        if c == 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if self.biased:
            vector = np.append(lambda_b * vector, np.float32(1.0 - lambda_b)).astype(np.float32)
        # One more than requested shows whether equals are on both sides of the border.
        values, indices = self._searcher.search(vector[np.newaxis], min(c + 1, self.size))
        values, indices = values[0], indices[0]
        if self.size > c and values[c - 1] == values[c]:
            indices, values = self._all_from(vector, values[c])
        return best_first(indices, values, c)

    def _all_from(self, vector: Rows, lowest: np.float32) -> Found:
        """Every row whose value is at least `lowest`: FAISS keeps any of the equal ones."""
        below = float(np.nextafter(lowest, np.float32(-np.inf)))
        _, values, indices = self._searcher.range_search(vector[np.newaxis], below)
        return indices, values

    def save(self, folder: Path, *, key: str = "") -> None:
        """Write the index into the folder; see `VectorIndex.save`."""
        rows = self._searcher.reconstruct_n(0, self.size) if self.size else self._no_rows()
        write_index(folder, self.kind, key, {"rows": rows, "dimensions": np.array(self.dimensions)})

    def _no_rows(self) -> Rows:
        return np.empty((0, int(self._searcher.d)), np.float32)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The index that `save` wrote there; see `VectorIndex.load`."""
        arrays = read_arrays(folder, cls.kind)
        if not {"rows", "dimensions"} <= arrays.keys() or arrays["rows"].ndim != 2:
            raise ValueError(f"the index in {folder} is damaged: it has no rows")
        rows = np.ascontiguousarray(arrays["rows"], dtype=np.float32)
        searcher = import_faiss().IndexFlatIP(rows.shape[1])
        searcher.add(rows)
        return cls(searcher, int(arrays["dimensions"]))
