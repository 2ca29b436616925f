"""The kinds of index by name, exact search among them, and loading the one that was saved."""

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InvalidInput
from ..native import import_faiss
from ..recent import Recent
from ..types import FloatArray
from .approximate import HnswIndex, IvfIndex
from .base import (
    Found,
    Rows,
    VectorIndex,
    best_first,
    checked_rows,
    checked_search,
    read_arrays,
    read_key,
    write_index,
)


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


INDEXES: dict[str, type[VectorIndex]] = {
    index.kind: index for index in (FlatIndex, HnswIndex, IvfIndex)
}

KEPT = 2
"""Indexes that stay in memory: a pool's own, and the one it is compared with."""

RECENT = Recent[tuple[str, VectorIndex]](KEPT)
"""By folder and kind, each with its key: one of another key takes the place of the one there."""


def in_memory(folder: Path, kind: str, key: str) -> bool:
    """Whether `load_or_build` has the index of that kind and key without reading or building."""
    kept = RECENT.peek((folder.resolve(), kind))
    return kept is not None and kept[0] == key


def load_or_build(
    folder: Path,
    kind: str,
    key: str,
    embeddings: FloatArray,
    quality_bias: FloatArray | None = None,
) -> VectorIndex:
    """The index of that kind and key: from memory, from the folder, or built and saved there.

    Rebuilt when the key differs, the file is damaged, or the sizes do not match. Two threads that
    need it at the same time build it once.

    Args:
        folder: The folder of the pool's indexes; made when missing.
        kind: A name in `INDEXES`.
        key: Identifies everything the index is built from: pool, version, encoder, quality bias.
        embeddings: Shape (n, d), unit rows.
        quality_bias: Shape (n,) or None.

    Raises:
        InvalidInput: There is no such kind.
    """
    index_class = _index_class(kind)

    def renewed(kept: tuple[str, VectorIndex] | None) -> tuple[str, VectorIndex]:
        if kept is not None and kept[0] == key:
            return kept
        index = _load(index_class, folder, key, embeddings.shape)
        if index is None:
            index = index_class.build(embeddings, quality_bias)
            index.save(folder, key=key)
        return key, index

    return RECENT.renew((folder.resolve(), kind), renewed)[1]


def _load(
    index_class: type[VectorIndex], folder: Path, key: str, shape: tuple[int, ...]
) -> VectorIndex | None:
    """The saved index, or None when it has to be built."""
    if read_key(folder, index_class.kind) != key:
        return None
    try:
        index = index_class.load(folder)
    except (FileNotFoundError, ValueError):
        return None
    return index if (index.size, index.dimensions) == shape else None


def _index_class(kind: str) -> type[VectorIndex]:
    if kind not in INDEXES:
        raise InvalidInput(
            f"There is no index of the kind {kind!r}; choose one of {', '.join(INDEXES)}."
        )
    return INDEXES[kind]


EQUAL_WITHIN = 1e-6
"""Two float32 inner products this close are the same value: either row may be found."""


def measure_recall(
    index: VectorIndex, embeddings: FloatArray, queries: FloatArray, c: int
) -> float:
    """Mean share of the c most relevant rows that the index finds, in [0, 1]; 1 = misses nothing.

    Args:
        index: Built over `embeddings`.
        embeddings: Shape (n, d), n >= 1, unit rows.
        queries: Shape (q, d), q >= 1, unit rows: a sample.
        c: Candidates to find, >= 1.

    Raises:
        ValueError: There is nothing to measure.
    """
    c = min(c, len(embeddings))
    if c < 1 or len(queries) == 0:
        raise ValueError("recall needs at least one row, one query and one candidate")
    shares = []
    for query in queries:
        relevance = embeddings @ query  # (n,)
        least = np.partition(relevance, -c)[-c]
        found, _ = index.search(query, c)
        shares.append(np.count_nonzero(relevance[found] >= least - EQUAL_WITHIN) / c)
    return float(np.mean(shares))
