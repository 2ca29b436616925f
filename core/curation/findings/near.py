"""Texts that are much the same, in their words or in their meaning, pair by pair.

Pairs are looked for among the nearest by embedding, and among those that share most of their
trigrams by MinHash (Broder 1997), since an encoder may take a slip of the pen for another word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from ...errors import Cancelled
from ...faiss_loading import import_faiss
from ...retrieval.comparing.near_queries import LEAST, IsCut, nothing_cut
from ...retrieval.comparing.wording import Wording, same_words
from ...types import FloatArray, IntArray, IsCancelled, OnProgress

NEAREST = 20
"""Of each text so many of the nearest by embedding are looked at."""
BLOCK = 512
"""Texts whose nearest are looked for between two reports of progress."""
PERMUTATIONS = 64
"""Of a MinHash: the standard error of a Jaccard similarity of 0.7 is then 0.06."""
SHARED = 0.6
"""Pairs with about this Jaccard similarity of their trigrams, or more, are looked at."""


@dataclass(frozen=True, eq=False)
class NearTexts:
    """Pairs of texts that are much the same.

    Attributes:
        pairs: Positions of two texts each, the smaller first, shape (p, 2).
        words: Similarity of their words (`same_words`), shape (p,), in [0, 1].
        in_order: The same with the words in their order, shape (p,), in [0, 1].
        cosines: Of their embeddings, shape (p,), in [-1, 1]; 0 where the encoder did not read one
            of the two to its end, so that its embedding does not have all of it.
        nearest: Of each text the cosine with the nearest other one, shape (n,), in [-1, 1]; 1 for
            a text that is the only one.
    """

    pairs: IntArray
    words: FloatArray
    in_order: FloatArray
    cosines: FloatArray
    nearest: FloatArray

    @property
    def similarity(self) -> FloatArray:
        """The larger of `words` and `cosines`, shape (p,), at least `LEAST`."""
        return np.maximum(self.words, self.cosines)


def near_texts(
    texts: Sequence[str],
    embeddings: FloatArray,
    is_cut: IsCut = nothing_cut,
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> NearTexts:
    """All pairs of texts that are much the same, among those found near.

    Texts with other numbers or signs in them are never much the same: "page 3" is not "page 4".

    Args:
        texts: The texts, each a different one.
        embeddings: Their unit rows, shape (n, d).
        is_cut: Which texts are longer than what the encoder reads of one.
        on_progress: Called with how many texts were looked at, and of how many.
        cancelled: Asked between blocks of them.

    Raises:
        Cancelled: `cancelled` answered True.
    """
    wordings = [Wording.of(text) for text in texts]
    wanted = set(_near_by_words(wordings, cancelled))
    nearest: list[FloatArray] = [np.empty(0)]
    for block in _near_by_embedding(embeddings):
        if cancelled is not None and cancelled():
            raise Cancelled("Checking was stopped.")
        wanted.update(block.pairs)
        nearest.append(block.nearest)
        if on_progress is not None:
            on_progress(block.done, len(texts))
    pairs = [pair for pair in sorted(wanted) if wordings[pair[0]].exact == wordings[pair[1]].exact]
    looked_at = sorted({place for pair in pairs for place in pair})
    cut = set(compress(looked_at, is_cut([texts[place] for place in looked_at]).tolist()))
    found = []
    for one, other in pairs:
        ours, theirs = wordings[one], wordings[other]
        likeness = same_words(ours, theirs)
        cosine = 0.0 if cut & {one, other} else float(embeddings[one] @ embeddings[other])
        if max(likeness, cosine) >= LEAST:
            ordered = same_words(ours, theirs, in_order=True)
            found.append((one, other, likeness, ordered, min(cosine, 1.0)))
    kept = np.array([pair[:2] for pair in found], dtype=np.int64).reshape(-1, 2)
    values = np.array([pair[2:] for pair in found], dtype=np.float64).reshape(-1, 3)
    words, in_order, cosines = values[:, 0], values[:, 1], values[:, 2]
    return NearTexts(kept, words, in_order, cosines, np.minimum(np.concatenate(nearest), 1.0))


class _Block(NamedTuple):
    """How many texts are done, the near pairs of a block of them, its nearest cosines."""

    done: int
    pairs: list[tuple[int, int]]
    nearest: FloatArray


def _near_by_embedding(embeddings: FloatArray) -> Iterator[_Block]:
    faiss, rows = import_faiss(), np.ascontiguousarray(embeddings, dtype=np.float32)
    most = min(NEAREST + 1, len(rows))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        cosines, others = faiss.knn(block, rows, most, metric=faiss.METRIC_INNER_PRODUCT)
        ones = np.arange(start, start + len(block))[:, None]
        cosines = np.where(others == ones, -np.inf, cosines)
        place, column = np.nonzero(cosines >= LEAST)
        one, other = ones[place, 0], others[place, column]
        pairs = np.stack([np.minimum(one, other), np.maximum(one, other)], axis=1)
        nearest = cosines.max(axis=1) if most > 1 else np.ones(len(block))
        yield _Block(start + len(block), list(map(tuple, pairs.tolist())), nearest)


def _near_by_words(
    wordings: Sequence[Wording], cancelled: IsCancelled | None
) -> Iterator[tuple[int, int]]:
    """The pairs that share most of their trigrams, with a few that do not."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=SHARED, num_perm=PERMUTATIONS)
    for place, wording in enumerate(wordings):
        if cancelled is not None and place % BLOCK == 0 and cancelled():
            raise Cancelled("Checking was stopped.")
        sketch = MinHash(num_perm=PERMUTATIONS, seed=1)
        sketch.update_batch([gram.encode() for gram in wording.trigrams])
        for other in index.query(sketch):
            yield other, place
        index.insert(place, sketch)
