"""The greedy selection, pick by pick, and the weighed values that decide each."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray, FloatArray, IntArray
from .cosines import NEAR, exact_redundancy, fast_cosines
from .pool_arrays import checked_lambda

_CLOSE = 1e-9  # lines further apart than this cross within 1e-6 of where their rounded values do


def valued(
    relevance: NDArray[np.float64], quality_bias: NDArray[np.float64] | None, lambda_b: float
) -> NDArray[np.float64]:
    """The value before redundancy: v = lambda_b * relevance + (1 - lambda_b) * quality_bias.

    Raises:
        ValueError: lambda_b outside [0, 1], or below 1 without a quality bias.
    """
    weight = checked_lambda("lambda_b", lambda_b)
    if quality_bias is None:
        if weight < 1:
            raise ValueError(f"lambda_b is {weight} without quality_bias; give both or lambda_b=1")
        return relevance
    return weight * relevance + (1 - weight) * quality_bias


def weighed(
    values: NDArray[np.float64], redundancy: FloatArray, lambda_d: float | FloatArray
) -> NDArray[np.float64]:
    """The value that a step maximises: w = lambda_d * v - (1 - lambda_d) * redundancy, float64."""
    weights: NDArray[np.float64] = lambda_d * values - (1 - lambda_d) * redundancy
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values before redundancy, with the parts that they are made of; all of shape (n,)."""

    total: NDArray[np.float64]
    relevance: NDArray[np.float64]
    quality_bias: NDArray[np.float64] | None
    lambda_b: float

    @classmethod
    def of(
        cls,
        relevance: NDArray[np.float64],
        quality_bias: NDArray[np.float64] | None,
        lambda_b: float,
    ) -> "Values":
        """The values under lambda_b; raises as `valued` does."""
        return cls(valued(relevance, quality_bias, lambda_b), relevance, quality_bias, lambda_b)

    def ahead_of(self, row: int, rows: IntArray) -> NDArray[np.float64]:
        """How much the values of `rows` are above that of `row`.

        Differences of the parts come first: values that almost agree lose no digits that way.
        """
        relevance = self.relevance[rows] - self.relevance[row]
        bias = self.quality_bias
        return valued(relevance, None if bias is None else bias[rows] - bias[row], self.lambda_b)


def heaviest(
    values: Values, rows: IntArray, redundancy: NDArray[np.float64], lambda_d: float
) -> tuple[int, float]:
    """The place among `rows` of the largest weighed value, the first of equals, and that value.

    Two demonstrations whose values almost agree are compared by the differences of their parts,
    not by two weighed values rounded on their own: the choice then changes only where their lines
    cross, which `mmr_path` can compute.
    """
    weights = weighed(values.total[rows], redundancy, lambda_d)
    best = int(weights.argmax())
    largest = float(weights[best])
    close = weights > largest - _CLOSE
    if np.count_nonzero(close) > 1:
        ahead = values.ahead_of(int(rows[best]), rows)
        more_redundant = redundancy - redundancy[best]
        close &= np.abs(ahead) + np.abs(more_redundant) < _CLOSE
        leads = weighed(ahead, more_redundant, lambda_d)
        best = int(np.where(close, leads, -np.inf).argmax())
    return best, largest


def first_pick(values: Values, closed: BoolArray) -> int:
    """The most valued demonstration that is not closed, the lowest index among equals."""
    open_values = np.where(closed, -np.inf, values.total)
    if values.quality_bias is None:
        return int(np.argmax(open_values))
    near = np.flatnonzero(open_values > open_values.max() - _CLOSE)
    place, _ = heaviest(values, near, np.zeros(len(near)), 1.0)
    return int(near[place])


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
