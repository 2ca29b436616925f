"""The weighed values of maximal marginal relevance, and the largest among near equals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray, FloatArray, IntArray
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
