"""Texts that are much the same, in their words or in their meaning, pair by pair.

Pairs are looked for among the nearest by embedding, and among those that share most of their
trigrams by MinHash (Broder 1997), since an encoder may take a slip of the pen for another word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Cancelled
from ...retrieval.comparing.near_queries import LEAST, IsCut, nothing_cut
from ...retrieval.comparing.wording import Wording, same_words
from ...types import FloatArray, IntArray, IsCancelled, OnProgress
from .nearest import BLOCK, Nearest, find_nearest

if TYPE_CHECKING:
    from datasketch import LeanMinHash

PERMUTATIONS = 64
"""Of a MinHash: the standard error of a Jaccard similarity of 0.7 is then 0.06."""
SHARED = 0.6
"""Pairs with about this Jaccard similarity of their trigrams, or more, are looked at."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What is kept of texts that were compared, so that the next time only others are.

    Attributes:
        texts: The texts.
        nearest: The nearest of each by embedding.
        sketches: The MinHash of the trigrams of each.
    """

    texts: tuple[str, ...]
    nearest: Nearest
    sketches: tuple["LeanMinHash", ...]


NOTHING = Compared((), Nearest.none(), ())


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
        compared: What a later call may begin with.
    """

    pairs: IntArray
    words: FloatArray
    in_order: FloatArray
    cosines: FloatArray
    nearest: FloatArray
    compared: Compared

    @property
    def similarity(self) -> FloatArray:
        """The larger of `words` and `cosines`, shape (p,), at least `LEAST`."""
        return np.maximum(self.words, self.cosines)


def near_texts(
    texts: Sequence[str],
    embeddings: FloatArray,
    is_cut: IsCut = nothing_cut,
    *,
    known: Compared = NOTHING,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> NearTexts:
    """All pairs of texts that are much the same, among those found near.

    Texts with other numbers or signs in them are never much the same: "page 3" is not "page 4".

    Args:
        texts: The texts, each a different one.
        embeddings: Their unit rows, shape (n, d).
        is_cut: Which texts are longer than what the encoder reads of one.
        known: What was kept of an earlier call with the same encoder. The result is the same
            without it.
        on_progress: Called with how many texts were looked at, and of how many.
        cancelled: Asked between blocks of them.

    Raises:
        Cancelled: `cancelled` answered True.
    """
    place_of = {text: place for place, text in enumerate(known.texts)}
    places = np.array([place_of.get(text, -1) for text in texts], dtype=np.int64)
    sketches = _sketches(texts, known, places, cancelled)
    wanted = set(_share_trigrams(sketches, cancelled))
    nearest = find_nearest(
        embeddings, known.nearest, places, on_progress=on_progress, cancelled=cancelled
    )
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
    compared = Compared(tuple(texts), nearest, sketches)
    return NearTexts(kept, words, in_order, cosines, nearest.best, compared)


def _sketches(
    texts: Sequence[str], known: Compared, places: IntArray, cancelled: IsCancelled | None
) -> tuple["LeanMinHash", ...]:
    """The MinHash of each text's trigrams; known ones are taken over."""
    from datasketch import LeanMinHash, MinHash

    new = (Wording.of(texts[place]).trigrams for place in np.flatnonzero(places < 0).tolist())
    grams = ([gram.encode() for gram in trigrams] for trigrams in new)
    made = MinHash.generator(grams, num_perm=PERMUTATIONS, seed=1)
    sketches = []
    for place, before in enumerate(places.tolist()):
        _ask(cancelled, place)
        sketches.append(LeanMinHash(next(made)) if before < 0 else known.sketches[before])
    return tuple(sketches)


def _share_trigrams(
    sketches: Sequence["LeanMinHash"], cancelled: IsCancelled | None
) -> Iterator[tuple[int, int]]:
    """The pairs that share most of their trigrams, with a few that do not."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=SHARED, num_perm=PERMUTATIONS)
    for place, sketch in enumerate(sketches):
        _ask(cancelled, place)
        for other in index.query(sketch):
            yield other, place
        index.insert(place, sketch)


def _ask(cancelled: IsCancelled | None, place: int) -> None:
    """Stop if that is wanted; asked once a block."""
    if cancelled is not None and place % BLOCK == 0 and cancelled():
        raise Cancelled("Checking was stopped.")
