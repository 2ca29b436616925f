"""Which queries of a pool ask much the same as another one."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from ...settings import THRESHOLD
from ...types import BoolArray, FloatArray, IntArray
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
        is_cut: Tells which texts the encoder does not read to their end.
    """

    def __init__(self, queries: Sequence[str], groups: IntArray, is_cut: IsCut) -> None:
        self._queries = queries
        self._groups = groups
        self._is_cut = is_cut
        self._wording = cache(lambda group: Wording.of(self._text(group)))
        self._first: IntArray | None = None

    def of(self, query: str, cosines: FloatArray, *, by_meaning: bool) -> BoolArray:
        """Mask (n,) of the demonstrations whose query is the same, or much the same, as this one.

        The similarity of two queries is that of their words (`same_words`) or, where it is larger,
        their cosine, unless the encoder cuts one of them; much the same is at least
        `settings.THRESHOLD`. Queries with other numbers or signs in them are never much the same.

        Args:
            query: Another query, or one of these.
            cosines: Of the demonstrations' embedded texts with it, shape (n,), in [-1, 1].
            by_meaning: Whether those texts are the queries; else words alone decide.
        """
        if not len(cosines):
            return np.zeros(0, dtype=bool)
        near = list(self._near(query, cosines, by_meaning=by_meaning))
        found: BoolArray = np.isin(self._groups, near)
        return found

    def _near(self, query: str, cosines: FloatArray, *, by_meaning: bool) -> Iterator[int]:
        """The numbers of the queries that are much the same."""
        wording = Wording.of(query)
        for group, cosine in self._candidates(cosines, by_meaning=by_meaning).items():
            other = self._wording(group)
            if other.exact != wording.exact:
                continue
            same = by_meaning and cosine >= THRESHOLD and not self._either_is_cut(query, group)
            if same or same_words(wording, other) >= THRESHOLD:
                yield group

    def _either_is_cut(self, query: str, group: int) -> bool:
        return bool(self._is_cut([query, self._text(group)]).any())

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
