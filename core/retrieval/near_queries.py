"""Which queries of a pool ask much the same, and which demonstrations answer the same."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import compress
from typing import Self

import numpy as np

from ..settings import THRESHOLD
from ..text import normalised, same_text
from ..types import BoolArray, FloatArray, IntArray
from .wording import Wording, same_words

LEAST = 0.85
"""Queries are looked at from this cosine on, and pairs of texts are kept from this similarity."""
LOOKED_AT = 50
"""Where cosines are with other texts than queries, so many of the nearest are looked at."""

IsCut = Callable[[Sequence[str]], BoolArray]
"""Which texts are longer than what the encoder reads of one (`Encoder.cut`)."""


def nothing_cut(texts: Sequence[str]) -> BoolArray:
    """As of an encoder that reads texts of any length: all False, shape (n,)."""
    return np.zeros(len(texts), dtype=bool)


class NearQueries:
    """The queries of a pool, to be compared with others; what is needed is computed on demand.

    Args:
        queries: One a demonstration.
        groups: Shape (n,): which distinct query each demonstration has, by number.
    """

    def __init__(self, queries: Sequence[str], groups: IntArray) -> None:
        self._queries = queries
        self._groups = groups
        self._wording = cache(lambda group: Wording.of(self._text(group)))
        self._first: IntArray | None = None

    def of(self, query: str, cosines: FloatArray, is_cut: IsCut | None) -> BoolArray:
        """Mask (n,) of the demonstrations whose query is the same, or much the same, as this one.

        The similarity of two queries is that of their words (`same_words`) or, where it is larger,
        their cosine, unless the encoder cuts one of them; much the same is at least
        `settings.THRESHOLD`. Queries with other numbers or signs in them are never much the same.

        Args:
            query: Another query, or one of these.
            cosines: Of the demonstrations' embedded texts with it, shape (n,), in [-1, 1].
            is_cut: Tells which texts the encoder does not read to their end; None where those texts
                are not the queries, so that words alone decide.
        """
        if not len(cosines):
            return np.zeros(0, dtype=bool)
        near = list(self._near(query, cosines, is_cut))
        found: BoolArray = np.isin(self._groups, near)
        return found

    def _near(self, query: str, cosines: FloatArray, is_cut: IsCut | None) -> Iterator[int]:
        """The numbers of the queries that are much the same."""
        wording = Wording.of(query)
        for group, cosine in self._candidates(cosines, by_meaning=is_cut is not None).items():
            other = self._wording(group)
            if other.exact != wording.exact:
                continue
            same = (
                is_cut is not None
                and cosine >= THRESHOLD
                and not is_cut([query, self._text(group)]).any()
            )
            if same or same_words(wording, other) >= THRESHOLD:
                yield group

    def _candidates(self, cosines: FloatArray, *, by_meaning: bool) -> dict[int, float]:
        """The cosines of the queries to look at, by their numbers."""
        places = np.flatnonzero(cosines >= LEAST)
        if not by_meaning:
            places = np.argsort(-cosines, kind="stable")[:LOOKED_AT]
        return dict(zip(self._groups[places].tolist(), cosines[places].tolist(), strict=True))

    def _text(self, group: int) -> str:
        """The query with this number, as it is first written."""
        if self._first is None:
            self._first = np.unique(self._groups, return_index=True)[1]
        return self._queries[int(self._first[group])]


LABEL_QUERIES = 10
"""An answer of so many different queries is a label: "yes", a class, "I have no comment"."""
LABEL_SHARE = 0.1
"""So is one of this share of a pool's queries ..."""
LABEL_LEAST = 3
"""... if it is the answer of so many at least: a small pool has labels, too."""
LABEL_RULE = (
    f"an answer that {LABEL_QUERIES} or more queries of the pool share, or {LABEL_LEAST} or more "
    f"that are {LABEL_SHARE:.0%} of its queries, is a label, not a leak"
)

NEARLY_ALL = 0.95
"""In a classification pool at least this share of the answers are labels."""
MOST_LABELS = 100
"""With more different labels it is not classification."""


class AnswerIndex:
    """The answers of a pool, compared by the loose fold (`text.normalised`); computed on demand.

    Args:
        answers: One a demonstration.
        queries: Shape (n,): which distinct query each demonstration has, by number.
    """

    def __init__(self, answers: Sequence[str], queries: IntArray) -> None:
        self._answers = answers
        self._queries = queries

    @classmethod
    def of_texts(cls, answers: Sequence[str], queries: Sequence[str]) -> Self:
        """The index of demonstrations whose queries are texts, the same by the loose fold.

        Args:
            answers: One a demonstration.
            queries: One a demonstration.
        """
        number_of: dict[str, int] = {}
        folded = {query: normalised(query) for query in set(queries)}
        numbers = [number_of.setdefault(folded[query], len(number_of)) for query in queries]
        return cls(answers, np.array(numbers, dtype=np.int64))

    def same_answer(self, answers: Sequence[str]) -> BoolArray:
        """Mask (n,) of the demonstrations with one of these answers, labels left out."""
        groups, group_of, labels = self._table
        found = {group_of.get(normalised(answer), -1) for answer in answers} - {-1}
        wanted = [group for group in found if not labels[group]]
        if not wanted:
            return np.zeros(len(groups), dtype=bool)
        return np.isin(groups, wanted)

    def having(self, answers: Sequence[str]) -> BoolArray:
        """Mask (n,) of the demonstrations with one of these answers, labels among them."""
        groups, group_of, _ = self._table
        found = {group_of.get(normalised(answer), -1) for answer in answers}
        return np.isin(groups, list(found))

    @property
    def labels(self) -> BoolArray:
        """Mask (n,) of the demonstrations whose answer many queries share (`LABEL_RULE`)."""
        groups, _, labels = self._table
        return labels[groups]

    @cached_property
    def _table(self) -> tuple[IntArray, dict[str, int], BoolArray]:
        """The number of each demonstration's answer (n,), numbers by text, which are labels."""
        group_of: dict[str, int] = {}
        groups = np.array(
            [group_of.setdefault(normalised(text), len(group_of)) for text in self._answers],
            dtype=np.int64,
        )
        pairs = np.unique(np.stack([groups, self._queries], axis=1), axis=0)
        shared = np.bincount(pairs[:, 0], minlength=len(group_of))
        share = LABEL_SHARE * len(np.unique(self._queries))
        labels = (shared >= LABEL_QUERIES) | (shared >= max(LABEL_LEAST, share))
        return groups, group_of, labels


def is_classified(index: AnswerIndex) -> bool:
    """Whether nearly all answers are labels (`LABEL_RULE`)."""
    labels = index.labels
    return bool(len(labels)) and bool(labels.mean() >= NEARLY_ALL)


def label_counts(answers: Sequence[str], index: AnswerIndex) -> dict[str, int]:
    """How many demonstrations have each label, in the labels' order.

    Where nearly all answers are labels, those of `LABEL_LEAST` demonstrations are labels too, for
    some are rare: 9 of TREC's 500 test questions ask for an abbreviation. Spellings with the same
    loose fold are one label, in its most frequent spelling; of two equally frequent ones, in the
    first of them in the alphabet. The order is that of the folded texts, so it is the same
    whatever the pool's order.

    Args:
        answers: One a demonstration.
        index: Of these answers.
    """
    every = is_classified(index)
    ways: dict[str, Counter[str]] = {}
    for answer, count in Counter(answers if every else compress(answers, index.labels)).items():
        ways.setdefault(normalised(answer), Counter())[same_text(answer)] += count
    return {
        max(sorted(found), key=found.__getitem__): found.total()
        for found in (ways[key] for key in sorted(ways))
        if not every or found.total() >= LABEL_LEAST
    }


def labels_of(answers: Sequence[str], index: AnswerIndex) -> tuple[str, ...]:
    """The labels of a classification pool as `label_counts` orders them; () for another pool.

    A pool is one where nearly all answers are labels, two at least.

    Args:
        answers: One a demonstration.
        index: Of these answers.
    """
    if not is_classified(index):
        return ()
    labels = tuple(label_counts(answers, index))
    return labels if 2 <= len(labels) <= MOST_LABELS else ()
