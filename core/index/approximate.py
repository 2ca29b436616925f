"""Approximate search for large pools: a graph (HNSW) or lists (IVF), over relevance alone.

The quality bias has no place here: as a column it makes the norms unequal, on which both lose
recall. Equal rows are stored once, because a graph whose links all lead to doubles falls apart.
"""

import math
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..native import import_faiss
from ..types import FloatArray, IntArray
from .base import Found, Rows, best_first, checked_rows, checked_search, read_arrays, write_index

HNSW_LINKS = 32
HNSW_BUILD_WIDTH = 80
HNSW_SEARCH_WIDTH = 200
"""100,000 rows: 41 s to build, recall 0.96 of the best 100 in 0.4 ms."""

IVF_ROWS_A_LIST = 39
"""FAISS's own least number of rows to learn a list's centre from."""

IVF_PROBED_SHARE = 1 / 8
IVF_LEAST_ROWS = 2_000
IVF_ROWS_A_CANDIDATE = 10
"""An eighth of the lists is probed, and enough of them to read this many rows: with the lists
alone, recall fell from 0.79 of 100 candidates to 0.47 of 1,000 (8,000 questions)."""


class ApproximateIndex:
    """What HNSW and IVF share: equal rows are stored once, and all are found with that one."""

    kind: ClassVar[str]
    label: ClassVar[str]
    explanation: ClassVar[str]
    exact: ClassVar[bool] = False
    biased: ClassVar[bool] = False

    def __init__(self, searcher: Any, groups: IntArray) -> None:
        self._searcher = searcher
        self._groups = groups  # (n,): the stored row of each row
        self._members = np.argsort(groups, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(groups))])
        self.size = len(groups)
        self.dimensions = int(searcher.d)

    @classmethod
    def build(cls, embeddings: FloatArray, quality_bias: FloatArray | None = None) -> Self:
        """The index of these rows; the quality bias is checked and otherwise ignored."""
        rows, _ = checked_rows(embeddings, quality_bias)
        distinct, groups = _distinct(rows)
        return cls(cls._searcher_of(distinct), groups)

    @classmethod
    def _searcher_of(cls, distinct: Rows) -> Any:
        raise NotImplementedError

    def _parameters(self, c: int) -> Any:
        raise NotImplementedError

    def search(self, query: FloatArray, c: int, *, lambda_b: float = 1.0) -> Found:
        """About the c best rows; see `VectorIndex.search`. A lambda_b below 1 is refused."""
        vector, c = checked_search(self, query, c, lambda_b)
        if c == 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        wanted = min(c, int(self._searcher.ntotal))
        values, stored = self._searcher.search(
            vector[np.newaxis], wanted, params=self._parameters(wanted)
        )
        found = stored[0] >= 0  # FAISS fills up with -1 when it reaches too few
        members = [
            self._members[self._starts[row] : self._starts[row + 1]] for row in stored[0][found]
        ]
        if not members:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        spread = np.repeat(values[0][found], [len(member) for member in members])
        return best_first(np.concatenate(members), spread, c)

    def save(self, folder: Path, *, key: str = "") -> None:
        """Write the index into the folder; see `VectorIndex.save`."""
        data = import_faiss().serialize_index(self._searcher)
        write_index(folder, self.kind, key, {"searcher": data, "groups": self._groups})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The index that `save` wrote there; see `VectorIndex.load`."""
        arrays = read_arrays(folder, cls.kind)
        if not {"searcher", "groups"} <= arrays.keys():
            raise ValueError(f"the index in {folder} is damaged: a part is missing")
        try:
            searcher = import_faiss().deserialize_index(arrays["searcher"])
        except RuntimeError as fault:
            raise ValueError(f"the index in {folder} is damaged: {fault}") from fault
        return cls(searcher, arrays["groups"])


class HnswIndex(ApproximateIndex):
    """A graph of near neighbours: the best recall, slow to build."""

    kind: ClassVar[str] = "hnsw"
    label: ClassVar[str] = "Approximate (HNSW graph)"
    explanation: ClassVar[str] = (
        "Follows a graph of neighbours: misses a few candidates, ignores quality bias; "
        "builds in about a minute for 100,000 demonstrations."
    )

    @classmethod
    def _searcher_of(cls, distinct: Rows) -> Any:
        faiss = import_faiss()
        searcher = faiss.IndexHNSWFlat(distinct.shape[1], HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        searcher.hnsw.efConstruction = HNSW_BUILD_WIDTH
        if len(distinct):
            searcher.add(distinct)
        return searcher

    def _parameters(self, c: int) -> Any:
        return import_faiss().SearchParametersHNSW(efSearch=max(HNSW_SEARCH_WIDTH, 2 * c))


class IvfIndex(ApproximateIndex):
    """Lists around learned centres: quick to build, recall a little below HNSW's."""

    kind: ClassVar[str] = "ivf"
    label: ClassVar[str] = "Approximate (IVF lists)"
    explanation: ClassVar[str] = (
        "Reads only the lists near the query: misses a few candidates, ignores quality bias; "
        "builds in seconds for 100,000 demonstrations."
    )

    @classmethod
    def _searcher_of(cls, distinct: Rows) -> Any:
        faiss = import_faiss()
        n, d = distinct.shape
        lists = max(1, min(int(4 * np.sqrt(n)), n // IVF_ROWS_A_LIST))
        searcher = faiss.IndexIVFFlat(faiss.IndexFlatIP(d), d, lists, faiss.METRIC_INNER_PRODUCT)
        if n:
            searcher.train(distinct)
            searcher.add(distinct)
        return searcher

    def _parameters(self, c: int) -> Any:
        lists = int(self._searcher.nlist)
        rows = max(IVF_LEAST_ROWS, IVF_ROWS_A_CANDIDATE * c)
        share = max(IVF_PROBED_SHARE, rows / int(self._searcher.ntotal))
        return import_faiss().SearchParametersIVF(nprobe=math.ceil(lists * min(1.0, share)))


def _distinct(rows: Rows) -> tuple[Rows, IntArray]:
    """The distinct rows in order of first appearance, and each row's place among them."""
    places: dict[bytes, int] = {}
    groups = np.fromiter(
        (places.setdefault(row.tobytes(), len(places)) for row in rows), np.int64, len(rows)
    )
    _, first = np.unique(groups, return_index=True)
    return rows[first], groups
