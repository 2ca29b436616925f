"""The mean of evaluation examples as an exact function of lambda_d: it changes in steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...metrics.registry import METRICS
from ...stretches import Piece
from .outcomes import Outcome

OutcomePath: TypeAlias = tuple[Piece[Outcome], ...]
"""One example's outcomes over all of lambda_d, ascending; neighbours differ."""


@dataclass(frozen=True, eq=False)
class Steps:
    """A function of lambda_d: `values[i]` from `lows[i]` up to `lows[i + 1]`, the last up to 1.

    Both have shape (s,), float64; `lows` ascends from 0. NaN where the metric is undefined.
    """

    lows: NDArray[np.float64]
    values: NDArray[np.float64]


def outcome_path(pieces: Sequence[Piece[Outcome]]) -> OutcomePath:
    """The pieces with neighbours of one outcome joined: the same set makes the same prompt."""
    joined: list[Piece[Outcome]] = []
    for piece in pieces:
        if joined and joined[-1].value.same_as(piece.value):
            joined[-1] = replace(joined[-1], high=piece.high)
        else:
            joined.append(piece)
    return tuple(joined)


def mean_steps(paths: Sequence[OutcomePath], metric: str) -> Steps:
    """A metric of the registry over the examples at every lambda_d at once.

    A metric is a ratio of sums over examples. Each example adds its own steps to both sums, so
    the mean changes where any example's outcome does and nowhere else.
    """
    changes = [_changes(path, metric) for path in paths if path]
    if not changes:
        return Steps(np.zeros(1), np.full(1, np.nan))
    rows = np.concatenate(changes)
    lows, place = np.unique(rows[:, 0], return_inverse=True)
    sums = np.zeros((len(lows), 3))
    np.add.at(sums, place, rows[:, 1:])
    numerators, denominators, infinite = sums.cumsum(axis=0).T
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(denominators > 0.5, numerators / denominators, np.nan)
    return Steps(lows, np.where(infinite > 0.5, np.inf, values))


def _changes(path: OutcomePath, metric: str) -> NDArray[np.float64]:
    """A row a piece, shape (p, 4): where it begins, and by how much each of the sums changes."""
    scores, info = [piece.value.scores for piece in path], METRICS[metric]
    numerators, denominators = info.numerators(scores), info.denominators(scores)
    infinite = np.isinf(numerators)
    sums = np.stack([np.where(infinite, 0.0, numerators), denominators, infinite], axis=1)
    lows = np.array([[piece.low] for piece in path])
    return np.hstack([lows, np.diff(sums, axis=0, prepend=0.0)])
