"""What an index is, the checks and the order that all kinds share, and the file of each."""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..types import FloatArray, IntArray

Rows: TypeAlias = NDArray[np.float32]
Found: TypeAlias = tuple[IntArray, NDArray[np.float32]]
"""Indices (c',) int64 and values (c',) float32, best first, the lowest index first among equals."""


class VectorIndex(Protocol):
    """Finds the candidates of highest value `lambda_b * <query, row> + (1 - lambda_b) * bias`.

    Never changed once built, so that many threads may search it.
    """

    kind: ClassVar[str]
    label: ClassVar[str]
    explanation: ClassVar[str]
    exact: ClassVar[bool]

    @property
    def size(self) -> int:
        """Number of rows n."""

    @property
    def dimensions(self) -> int:
        """Length d of a row."""

    @property
    def biased(self) -> bool:
        """Whether the rows carry a quality bias, so that `lambda_b` below 1 is answered."""

    @classmethod
    def build(cls, embeddings: FloatArray, quality_bias: FloatArray | None = None) -> Self:
        """The index of these rows.

        Args:
            embeddings: Shape (n, d), unit rows; n may be 0.
            quality_bias: Shape (n,), finite; an approximate index ignores it.

        Raises:
            ValueError: The shapes disagree or a number is not finite.
        """

    def search(self, query: FloatArray, c: int, *, lambda_b: float = 1.0) -> Found:
        """Indices and values of the c best rows, best first; ties go to the lowest index.

        Args:
            query: Shape (d,), unit.
            c: How many candidates, >= 0; more than n gives n, an approximate index may give fewer.
            lambda_b: In [0, 1]: 1 = relevance only, 0 = quality bias only.

        Raises:
            ValueError: Wrong shape, not finite, c below 0, lambda_b outside [0, 1], or below 1
                on an index without quality bias.
        """

    def save(self, folder: Path, *, key: str = "") -> None:
        """Write the index into the folder, whole or not at all; `key` identifies its data."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The index that `save` wrote there.

        Raises:
            FileNotFoundError: There is none.
            ValueError: The file is damaged.
        """


def checked_rows(
    embeddings: FloatArray, quality_bias: FloatArray | None
) -> tuple[Rows, Rows | None]:
    """The arrays in float32, C order; ValueError when they do not fit or are not finite."""
    rows = np.ascontiguousarray(embeddings, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"embeddings must have shape (n, d) with d >= 1, not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("embeddings must be finite")
    if quality_bias is None:
        return rows, None
    bias = np.ascontiguousarray(quality_bias, dtype=np.float32)
    if bias.shape != (len(rows),):
        raise ValueError(f"quality_bias must have shape ({len(rows)},), not {bias.shape}")
    if not np.isfinite(bias).all():
        raise ValueError("quality_bias must be finite: score every demonstration first")
    return rows, bias


def checked_search(
    index: VectorIndex, query: FloatArray, c: int, lambda_b: float
) -> tuple[Rows, int]:
    """The query in float32 and c cut to n; raises ValueError as `VectorIndex.search` does."""
    vector = np.ascontiguousarray(query, dtype=np.float32)
    if vector.shape != (index.dimensions,):
        raise ValueError(f"query must have shape ({index.dimensions},), not {vector.shape}")
    if not np.isfinite(vector).all():
        raise ValueError("query must be finite")
    if c < 0:
        raise ValueError(f"c must be at least 0, not {c}")
    if not 0.0 <= lambda_b <= 1.0:
        raise ValueError(f"lambda_b must be in [0, 1], not {lambda_b}")
    if lambda_b < 1.0 and not index.biased:
        raise ValueError(
            f"lambda_b = {lambda_b} needs the quality bias, which this {index.kind} index lacks; "
            "use a flat index built with quality_bias, or lambda_b = 1"
        )
    return vector, min(c, index.size)


def best_first(indices: IntArray, values: Rows, c: int) -> Found:
    """The c best, sorted by value downwards, then by index upwards."""
    order = np.lexsort((indices, -values))[:c]
    return indices[order], values[order]


Arrays = dict[str, NDArray[Any]]


def index_file(folder: Path, kind: str) -> Path:
    """The file of an index of that kind."""
    return folder / f"{kind}.npz"


def write_index(folder: Path, kind: str, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays and their key under a temporary name, then rename: whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=f"{kind}-", suffix=".tmp", delete=False) as file:
        try:
            np.savez(file, allow_pickle=False, key=np.array(key), **arrays)
            file.close()
            os.replace(file.name, index_file(folder, kind))
        except BaseException:
            file.close()
            Path(file.name).unlink(missing_ok=True)
            raise


def read_key(folder: Path, kind: str) -> str | None:
    """The key of the saved index; None when there is none or it is damaged."""
    try:
        with np.load(index_file(folder, kind), allow_pickle=False) as stored:
            return str(stored["key"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def read_arrays(folder: Path, kind: str) -> Arrays:
    """The arrays of the saved index.

    Raises:
        FileNotFoundError: There is none.
        ValueError: The file is damaged.
    """
    path = index_file(folder, kind)
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files if name != "key"}
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise ValueError(f"the index file {path} is damaged: {fault}") from fault
