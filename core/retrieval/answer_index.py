"""Which demonstrations give the same answer, and which answers are labels of many queries."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..text import normalised
from ..types import BoolArray, IntArray

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


class AnswerIndex:
    """The answers of a pool, compared by the loose fold (`text.normalised`); worked out when asked.

    Args:
        answers: One a demonstration.
        queries: Shape (n,): which distinct query each demonstration has, by number.
    """

    def __init__(self, answers: Sequence[str], queries: IntArray) -> None:
        self._answers = answers
        self._queries = queries

    def same_answer(self, answers: Sequence[str]) -> BoolArray:
        """Mask (n,) of the demonstrations with one of these answers, labels left out."""
        groups, group_of, labels = self._table
        found = {group_of.get(normalised(answer), -1) for answer in answers} - {-1}
        wanted = [group for group in found if not labels[group]]
        if not wanted:
            return np.zeros(len(groups), dtype=bool)
        return np.isin(groups, wanted)

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
