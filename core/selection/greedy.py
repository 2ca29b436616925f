"""The greedy selection, pick by pick."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray, FloatArray, IntArray
from .cosines import NEAR, exact_redundancy, fast_cosines
from .weighing import Values, heaviest, weighed


@dataclass(frozen=True, slots=True, eq=False)
class Picks:
    """What was chosen, in order: rows, winning values, redundancies."""

    indices: IntArray  # (k,)
    values: NDArray[np.float64]  # (k,)
    redundancy: NDArray[np.float64]  # (k,), the first is NaN


class Greedy:
    """A selection under way: the picks so far, and the rows among which it goes on.

    It begins with the `first` ones, at least one.
    """

    def __init__(
        self,
        embeddings: FloatArray,
        values: Values,
        closed: BoolArray,
        first: Sequence[int],
        lambda_d: float,
        groups: IntArray | None = None,
    ) -> None:
        self.embeddings, self.values, self.lambda_d = embeddings, values, lambda_d
        self.groups = groups  # of each at most one is chosen
        self.indices = [first[0]]
        self.winning = [float(values.total[first[0]])]
        self.redundancies = [np.nan]
        # The rows, all at first, and for each of them the following:
        self.rows: IntArray | None = None  # ascending; None = all
        self.vectors, self.total, self.closed = embeddings, values.total, closed.copy()
        self.redundancy: FloatArray | None = None  # fast, with every pick that was met
        self._close(first[0])
        for row in first[1:]:
            self.meet()
            near = np.array([row])
            exact = exact_redundancy(embeddings, near, np.array(self.indices))
            weight = weighed(values.total[near], exact, lambda_d)
            self._take(row, row, float(weight[0]), float(exact[0]))

    def among(self, rows: IntArray) -> "Greedy":
        """The same selection, going on among fewer rows; they ascend, as places in these."""
        fewer = copy(self)
        fewer.indices, fewer.winning = self.indices.copy(), self.winning.copy()
        fewer.redundancies = self.redundancies.copy()
        fewer.rows = rows if self.rows is None else self.rows[rows]
        fewer.vectors, fewer.total = self.vectors[rows], self.total[rows]
        fewer.closed = self.closed[rows]
        fewer.groups = None if self.groups is None else self.groups[rows]
        if self.redundancy is not None:
            fewer.redundancy = self.redundancy[rows]
        return fewer

    def meet(self) -> NDArray[np.float64]:
        """Each row's weighed value after the newest pick, by fast cosines: one pass over the rows.

        Minus infinity where a row is closed or was picked.
        """
        cosines = fast_cosines(self.vectors, self.embeddings[self.indices[-1]])
        if self.redundancy is not None:  # only the newest pick can raise a redundancy
            np.maximum(cosines, self.redundancy, out=cosines)
        self.redundancy = cosines
        weights = weighed(self.total, cosines, self.lambda_d)
        weights[self.closed] = -np.inf
        return weights

    def pick(self, weights: NDArray[np.float64]) -> None:
        """Choose the heaviest row; those nearly as heavy are compared in float64."""
        near = np.flatnonzero(weights >= weights.max() - NEAR)
        rows = near if self.rows is None else self.rows[near]  # ascending
        exact = exact_redundancy(self.embeddings, rows, np.array(self.indices))
        best, weight = heaviest(self.values, rows, exact, self.lambda_d)
        self._take(int(rows[best]), int(near[best]), weight, float(exact[best]))

    def _take(self, row: int, place: int, weight: float, redundancy: float) -> None:
        self.indices.append(row)
        self.winning.append(weight)
        self.redundancies.append(redundancy)
        self._close(place)

    def _close(self, place: int) -> None:
        """Exclude the row at this place, and those of its group, from later picks."""
        self.closed[place] = True
        if self.groups is not None:
            self.closed |= self.groups == self.groups[place]

    def picks(self) -> Picks:
        """Everything chosen so far."""
        return Picks(
            np.array(self.indices, dtype=np.int64),
            np.array(self.winning),
            np.array(self.redundancies),
        )

    def finish(self, k: int) -> Picks:
        """The first k picks, with one pass over the rows for each that is missing."""
        while len(self.indices) < k:
            self.pick(self.meet())
        return self.picks()
