"""What the checks look at: the included demonstrations of a pool, and what several of them need."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...demonstration.demonstration import Demonstration
from ...retrieval.pool_view import PoolView
from ...retrieval.retrieved import Retrieved
from ...text import normalised, same_text
from ...types import FloatArray
from .near import NearTexts

_LONGER = re.compile(r"[^\W\d_]{3}")
_CASELESS = {"no", "ok", "on", "up", "ja", "oh", "da", "да", "не", "sí"}
"""Words of two letters that are answers, and mean the same in capitals."""


@dataclass(frozen=True, eq=False)
class Checked:
    """The included demonstrations of a pool.

    Attributes:
        rows: The demonstrations, in the order of the view.
        view: The same as arrays.
        near: The distinct queries (`view.groups`) that are much the same, pair by pair.
        retrieved: How often each is retrieved; None where that is not counted.
        threshold: From which similarity on two texts are much the same, in [0, 1].
    """

    rows: Sequence[Demonstration]
    view: PoolView
    near: NearTexts
    retrieved: Retrieved | None
    threshold: float

    @cached_property
    def of_group(self) -> dict[int, list[int]]:
        """The positions of the demonstrations of each normalised query, by its number."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for place, group in enumerate(self.view.groups.tolist()):
            found[group].append(place)
        return dict(found)

    @property
    def distance_to_nearest(self) -> FloatArray:
        """Of each query, by its number, 1 - cosine with the nearest other one, in [0, 2]."""
        return 1.0 - self.near.nearest

    @cached_property
    def answers(self) -> list[str]:
        """Each answer as it is compared."""
        return [compared(row.answer) for row in self.rows]

    @cached_property
    def incorrect(self) -> list[set[str]]:
        """The incorrect answers of each demonstration as they are compared."""
        return [{compared(each.text) for each in row.incorrect} for row in self.rows]

    def queries_side_by_side(self, *, by_words: bool = False) -> Iterator[tuple[int, int, float]]:
        """Pairs of query numbers to compare demonstrations of, with their similarity.

        Every query with itself at 1, then those that are much the same.

        Args:
            by_words: In their words and the order of these. Else their meaning, by the embeddings,
                or their words in another order, are enough; either may be another question.
        """
        for group in self.of_group:
            yield group, group, 1.0
        similarity = self.near.in_order if by_words else self.near.similarity
        near = similarity >= self.threshold
        for (one, other), value in zip(
            self.near.pairs[near].tolist(), similarity[near], strict=True
        ):
            yield one, other, float(value)


def compared(answer: str) -> str:
    """An answer by the loose fold (`text.normalised`), without a full stop at its end.

    No more of its punctuation: "C++" and "C" are two answers, and so are "-5" and "5". Its case is
    kept where it has no longer word: "Bb" and "BB" are two answers as well, but "no" and "NO" are
    one.
    """
    folded = normalised(answer).removesuffix(".")
    if folded in _CASELESS or _LONGER.search(answer):
        return folded
    return same_text(answer).removesuffix(".")
