"""Of each text the nearest ones by embedding, looked for only where texts came or went."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Cancelled
from ...faiss_loading import import_faiss
from ...types import FloatArray, IntArray, IsCancelled, OnProgress

NEAREST = 20
"""Of each text so many others are kept."""
BLOCK = 512
"""Texts whose nearest are looked for between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest of each of n texts, the text itself among them: m = min(NEAREST + 1, n).

    Where more than m have the same embedding, the text itself may be missing.

    Attributes:
        others: Their positions, the nearest first, shape (n, m).
        cosines: Their cosines, shape (n, m), in [-1, 1].
    """

    others: NDArray[np.int32]
    cosines: NDArray[np.float32]

    @classmethod
    def none(cls) -> "Nearest":
        """That of no text."""
        return cls(np.empty((0, 0), dtype=np.int32), np.empty((0, 0), dtype=np.float32))

    @property
    def to_others(self) -> FloatArray:
        """The cosines, those of the texts with themselves minus infinity, shape (n, m)."""
        own = self.others == np.arange(len(self.others))[:, None]
        return np.where(own, -np.inf, self.cosines)

    def pairs(self, least: float) -> set[tuple[int, int]]:
        """Positions of two texts, the smaller first, whose cosine is `least` or more."""
        one, column = np.nonzero(self.to_others >= least)
        other = self.others[one, column]
        pairs = np.stack([np.minimum(one, other), np.maximum(one, other)], axis=1)
        return set(map(tuple, pairs.tolist()))

    @property
    def best(self) -> FloatArray:
        """Of each text the cosine with the nearest other one, shape (n,); 1 for an only text."""
        n = len(self.others)
        return np.ones(n) if n < 2 else np.minimum(self.to_others.max(axis=1), 1.0)


def find_nearest(
    embeddings: FloatArray,
    known: Nearest,
    places: IntArray,
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> Nearest:
    """The nearest of each text, exactly.

    All others are looked at for a text that is new, or has lost one of its nearest; for any other
    text only the new ones.

    Args:
        embeddings: Unit rows of the texts, shape (n, d).
        known: The nearest of other texts, most of which may be among these.
        places: The position of each text in `known`, -1 where it is not there, shape (n,).
        on_progress: Called with how many texts were looked at, and of how many.
        cancelled: Asked between blocks of them.

    Raises:
        Cancelled: `cancelled` answered True.
    """
    rows = np.ascontiguousarray(embeddings, dtype=np.float32)
    most = min(NEAREST + 1, len(rows))
    if known.others.shape[1] != most:
        places = np.full(len(rows), -1)
    stay, others, cosines = _kept(known, places, most)
    new = np.flatnonzero(places < 0)
    changed = np.setdiff1d(np.arange(len(rows)), stay)
    may_gain = stay if len(new) else stay[:0]
    done = len(stay) - len(may_gain)
    for part in _blocks(may_gain):
        _ask(cancelled)
        of_new, which = _knn(rows[part], rows[new], min(most, len(new)))
        both = np.hstack([cosines[part], of_new])
        first = np.argsort(-both, axis=1, kind="stable")[:, :most]
        cosines[part] = np.take_along_axis(both, first, axis=1)
        others[part] = np.take_along_axis(np.hstack([others[part], new[which]]), first, axis=1)
        done += len(part)
        if on_progress is not None:
            on_progress(done, len(rows))
    for part in _blocks(changed):
        _ask(cancelled)
        cosines[part], others[part] = _knn(rows[part], rows, most)
        done += len(part)
        if on_progress is not None:
            on_progress(done, len(rows))
    return Nearest(others, cosines)


def _kept(
    known: Nearest, places: IntArray, most: int
) -> tuple[IntArray, NDArray[np.int32], NDArray[np.float32]]:
    """Which texts have all of their nearest still, and arrays with the nearest of these."""
    others = np.zeros((len(places), most), dtype=np.int32)
    cosines = np.zeros((len(places), most), dtype=np.float32)
    kept = np.flatnonzero(places >= 0)
    now = np.full(len(known.others), -1)
    now[places[kept]] = kept
    if len(kept):
        before = now[known.others[places[kept]]]
        whole = (before >= 0).all(axis=1)
        kept = kept[whole]
        others[kept], cosines[kept] = before[whole], known.cosines[places[kept]]
    return kept, others, cosines


def _blocks(places: IntArray) -> Iterator[IntArray]:
    for start in range(0, len(places), BLOCK):
        yield places[start : start + BLOCK]


def _knn(some: FloatArray, rows: FloatArray, most: int) -> tuple[FloatArray, IntArray]:
    faiss = import_faiss()
    cosines, others = faiss.knn(some, rows, most, metric=faiss.METRIC_INNER_PRODUCT)
    return cosines, others


def _ask(cancelled: IsCancelled | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Checking was stopped.")
