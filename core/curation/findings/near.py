"""Texts that are much the same, in their words or in their meaning; the nearest of each.

Pairs are looked for among the nearest by embedding, and among those that share most of their
trigrams by MinHash (Broder 1997), since an encoder may take a slip of the pen for another word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...native import import_faiss
from ...retrieval.near_queries import LEAST, IsCut, nothing_cut
from ...retrieval.wording import Wording, same_words
from ...types import FloatArray, IntArray
from ...watcher import NOBODY, Watcher

if TYPE_CHECKING:
    from datasketch import LeanMinHash


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
    embeddings: FloatArray, known: Nearest, places: IntArray, *, watcher: Watcher = NOBODY
) -> Nearest:
    """The nearest of each text, exactly.

    All others are looked at for a text that is new, or has lost one of its nearest; for any other
    text only the new ones.

    Args:
        embeddings: Unit rows of the texts, shape (n, d).
        known: The nearest of other texts, most of which may be among these.
        places: The position of each text in `known`, -1 where it is not there, shape (n,).
        watcher: Gets how many texts were looked at, and of how many; asked between blocks of them.

    Raises:
        Cancelled: The watcher asked to stop.
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
        watcher.checkpoint(STOPPED)
        of_new, which = _knn(rows[part], rows[new], min(most, len(new)))
        both = np.hstack([cosines[part], of_new])
        first = np.argsort(-both, axis=1, kind="stable")[:, :most]
        cosines[part] = np.take_along_axis(both, first, axis=1)
        others[part] = np.take_along_axis(np.hstack([others[part], new[which]]), first, axis=1)
        done += len(part)
        watcher.on_progress(done, len(rows))
    for part in _blocks(changed):
        watcher.checkpoint(STOPPED)
        cosines[part], others[part] = _knn(rows[part], rows, most)
        done += len(part)
        watcher.on_progress(done, len(rows))
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


STOPPED = "Checking was stopped."
PERMUTATIONS = 64
"""Of a MinHash: the standard error of a Jaccard similarity of 0.7 is then 0.06."""
SHARED = 0.6
"""Pairs with about this Jaccard similarity of their trigrams, or more, are looked at."""


@dataclass(frozen=True, eq=False)
class NearTextsState:
    """What is kept of texts that were compared, so that the next time only others are.

    Attributes:
        texts: The texts.
        nearest: The nearest of each by embedding.
        sketches: The MinHash of the trigrams of each.
    """

    texts: tuple[str, ...]
    nearest: Nearest
    sketches: tuple["LeanMinHash", ...]


NOTHING = NearTextsState((), Nearest.none(), ())


@dataclass(frozen=True, eq=False, kw_only=True)
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
        compared: What a later call may begin with.
    """

    pairs: IntArray
    words: FloatArray
    in_order: FloatArray
    cosines: FloatArray
    nearest: FloatArray
    compared: NearTextsState

    @property
    def similarity(self) -> FloatArray:
        """The larger of `words` and `cosines`, shape (p,), at least `LEAST`."""
        return np.maximum(self.words, self.cosines)


def near_texts(
    texts: Sequence[str],
    embeddings: FloatArray,
    is_cut: IsCut = nothing_cut,
    *,
    known: NearTextsState = NOTHING,
    watcher: Watcher = NOBODY,
) -> NearTexts:
    """All pairs of texts that are much the same, among those found near.

    Texts with other numbers or signs in them are never much the same: "page 3" is not "page 4".

    Args:
        texts: The texts, each a different one.
        embeddings: Their unit rows, shape (n, d).
        is_cut: Which texts are longer than what the encoder reads of one.
        known: What was kept of an earlier call with the same encoder. The result is the same
            without it.
        watcher: Gets how many texts were looked at, and of how many; asked between blocks of them.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    place_of = {text: place for place, text in enumerate(known.texts)}
    places = np.array([place_of.get(text, -1) for text in texts], dtype=np.int64)
    sketches = _sketches(texts, known, places, watcher)
    wanted = set(_share_trigrams(sketches, watcher))
    nearest = find_nearest(embeddings, known.nearest, places, watcher=watcher)
    pairs = sorted(wanted | nearest.pairs(LEAST))
    looked_at = sorted({place for pair in pairs for place in pair})
    wordings = {place: Wording.of(texts[place]) for place in looked_at}
    pairs = [(one, other) for one, other in pairs if wordings[one].exact == wordings[other].exact]
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
    compared = NearTextsState(tuple(texts), nearest, sketches)
    return NearTexts(
        pairs=kept,
        words=words,
        in_order=in_order,
        cosines=cosines,
        nearest=nearest.best,
        compared=compared,
    )


def _sketches(
    texts: Sequence[str], known: NearTextsState, places: IntArray, watcher: Watcher
) -> tuple["LeanMinHash", ...]:
    """The MinHash of each text's trigrams; known ones are taken over."""
    from datasketch import LeanMinHash, MinHash

    new = (Wording.of(texts[place]).trigrams for place in np.flatnonzero(places < 0).tolist())
    grams = ([gram.encode() for gram in trigrams] for trigrams in new)
    made = MinHash.generator(grams, num_perm=PERMUTATIONS, seed=1)
    sketches = []
    for place, before in enumerate(places.tolist()):
        if place % BLOCK == 0:
            watcher.checkpoint(STOPPED)
        sketches.append(LeanMinHash(next(made)) if before < 0 else known.sketches[before])
    return tuple(sketches)


def _share_trigrams(
    sketches: Sequence["LeanMinHash"], watcher: Watcher
) -> Iterator[tuple[int, int]]:
    """The pairs that share most of their trigrams, with a few that do not."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=SHARED, num_perm=PERMUTATIONS)
    for place, sketch in enumerate(sketches):
        if place % BLOCK == 0:
            watcher.checkpoint(STOPPED)
        for other in index.query(sketch):
            yield other, place
        index.insert(place, sketch)
