"""The demonstrations whose texts share words with the query, rare ones first: no embedding."""

import logging
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...types import FloatArray
from ..context import Context
from ..method import Method, MethodInput
from ..wording import words_of

if TYPE_CHECKING:
    from bm25s import BM25


def choose(asked: MethodInput) -> Context:
    """The k of the highest score; equals, also those that share no word, by id."""
    ids, scores = asked.view.ids, bm25_scores(asked.view.texts, asked.query)
    allowed = np.flatnonzero(~asked.excluded)
    ranked = allowed[np.lexsort((ids[allowed], -scores[allowed]))]
    chosen = asked.first_k(ranked).astype(np.int64)
    without_word = tuple(ids[chosen[scores[chosen] == 0.0]].tolist())
    return replace(asked.context(chosen), values=scores[chosen], without_word=without_word)


def bm25_scores(texts: tuple[str, ...], query: str) -> FloatArray:
    """The score of each text for the query, shape (n,), 0 where they share no word.

    Words are those of `words_of` without English stop words; k1 = 1.5 and b = 0.75, the library's
    defaults.
    """
    index = _index(texts)
    known = [] if index is None else [word for word in _words(query) if word in index.vocab_dict]
    if index is None or not known:
        return np.zeros(len(texts))
    scores: FloatArray = index.get_scores(known).astype(np.float64)
    return scores


def _words(text: str) -> list[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return [word for word in words_of(text) if word not in STOPWORDS_EN]


@lru_cache(maxsize=4)
def _index(texts: tuple[str, ...]) -> "BM25 | None":
    """The index of these texts, kept for the last few pools; None where no text has a word."""
    import bm25s

    # The library sets its logger to report every step, and our own handler would print that.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    words = [_words(text) for text in texts]
    if not any(words):
        return None
    index = bm25s.BM25()
    index.index(words, show_progress=False)
    return index


METHOD = Method(
    "bm25",
    "Words in common",
    "The k demonstrations whose queries share words with the query, rare words counting more.",
    "Robertson and Zaragoza 2009; VRSD's baseline",
    choose,
    value="BM25 score",
    value_note="higher shares more",
)
