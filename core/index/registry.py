"""The kinds of index by name, and loading the one saved in the workspace."""

from pathlib import Path

from ..errors import InvalidInput
from ..recent import Recent
from ..types import FloatArray
from .approximate import HnswIndex, IvfIndex
from .base import VectorIndex
from .flat import FlatIndex
from .persistence import read_key

INDEXES: dict[str, type[VectorIndex]] = {
    index.kind: index for index in (FlatIndex, HnswIndex, IvfIndex)
}

KEPT = 2
"""Indexes that stay in memory: a pool's own, and the one it is compared with."""

RECENT = Recent[tuple[str, VectorIndex]](KEPT)
"""By folder and kind, each with its key: one of another key takes the place of the one there."""


def build_index(
    kind: str, embeddings: FloatArray, quality_bias: FloatArray | None = None
) -> VectorIndex:
    """A new index; the arrays are those of `VectorIndex.build`.

    Raises:
        InvalidInput: There is no such kind.
    """
    return _index_class(kind).build(embeddings, quality_bias)


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
