"""The best of some settings on the examples nearest to a query, by a table of their scores.

Settings are ways of choosing a context. An example's score under each is known, so no model is
asked. With one neighbour a query gets the setting of the nearest example; with all of them every
query gets the one setting that is best over all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BoolArray, FloatArray, IntArray

EQUAL = 1e-9
"""Means no further apart are equal: they differ by rounding only."""


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of e examples under s settings, the higher the better.

    Attributes:
        scores: Shape (e, s), finite; NaN where an example was not scored under a setting.
        embeddings: Unit rows of the examples, shape (e, d).
        weights: How much each example counts in a mean, shape (e,), >= 0 and finite.

    Raises:
        ValueError: Shapes that disagree, no setting, or values that are not allowed.
    """

    scores: NDArray[np.float64]
    embeddings: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(
        cls, scores: ArrayLike, embeddings: ArrayLike, weights: ArrayLike | None = None
    ) -> "ScoreTable":
        """The table of these arrays; without weights all examples count for the same."""
        found = np.asarray(scores, dtype=np.float64)
        counted = np.ones(len(found)) if weights is None else weights
        return cls(
            found, np.asarray(embeddings, dtype=np.float64), np.asarray(counted, dtype=np.float64)
        )

    def __post_init__(self) -> None:
        if self.scores.ndim != 2 or not self.scores.shape[1]:
            raise ValueError(f"scores have shape {self.scores.shape}; give (examples, settings)")
        if self.embeddings.ndim != 2 or len(self.embeddings) != len(self.scores):
            raise ValueError(
                f"embeddings have shape {self.embeddings.shape} for {len(self.scores)} examples"
            )
        if self.weights.shape != (len(self.scores),):
            raise ValueError(f"weights have shape {self.weights.shape}, not {(len(self.scores),)}")
        if np.isinf(self.scores).any() or not np.isfinite(self.embeddings).all():
            raise ValueError("scores or embeddings contain a value that is infinite or NaN")
        if not (np.isfinite(self.weights).all() and (self.weights >= 0).all()):
            raise ValueError("weights must be finite and at least 0")

    @property
    def usable(self) -> BoolArray:
        """Mask (e,) of the examples that count: a weight above 0, and a score at all."""
        return (self.weights > 0) & ~np.isnan(self.scores).all(axis=1)

    def means(self, examples: BoolArray | IntArray) -> NDArray[np.float64]:
        """The weighted mean of each setting over these examples, shape (s,); NaN without any.

        Args:
            examples: Positions or a mask of the examples.
        """
        scores, weights = self.scores[examples], self.weights[examples]
        counted = np.where(np.isnan(scores), 0.0, weights[:, None])
        total = counted.sum(axis=0)
        sums = (np.nan_to_num(scores) * counted).sum(axis=0)
        found = np.full(len(total), np.nan)
        np.divide(sums, total, out=found, where=total > 0)
        return found


@dataclass(frozen=True, eq=False)
class ChosenSetting:
    """The setting of one query.

    Attributes:
        setting: Its position among the settings.
        neighbours: The positions of the examples that chose it, nearest first; as many as were
            asked for, or all there are.
        mean: Its mean score over them.
        overall: The position of the setting with the best mean over all allowed examples.
        overall_mean: That setting's mean over the neighbours.
    """

    setting: int
    neighbours: IntArray
    mean: float
    overall: int
    overall_mean: float


def nearest(
    embeddings: FloatArray, query: FloatArray, n: int, allowed: BoolArray | None = None
) -> IntArray:
    """The positions of the n rows with the highest cosine, nearest first, ties to the lowest one.

    Args:
        embeddings: Unit rows, shape (e, d).
        query: A unit vector, shape (d,).
        n: How many, >= 0; more than there are gives all.
        allowed: Mask (e,) of the rows that may be among them; None allows all.
    """
    # vecdot runs one dot product a row, so that equal rows have bit-equal cosines.
    cosines = np.vecdot(np.asarray(embeddings, np.float64), np.asarray(query, np.float64))
    places = np.arange(len(cosines)) if allowed is None else np.flatnonzero(allowed)
    ranked = places[np.argsort(-cosines[places], kind="stable")]
    return ranked[: max(n, 0)].astype(np.int64)


def best_setting(means: ArrayLike, then_by: ArrayLike | None = None) -> int:
    """The position of the highest mean, or -1 where all are NaN.

    Equal ones (within 1e-9) go to the higher value of `then_by`, shape (s,), then to the first.
    """
    values = np.asarray(means, dtype=np.float64)
    first = _highest(values, np.flatnonzero(~np.isnan(values)))
    if not len(first):
        return -1
    if then_by is not None:
        second = np.asarray(then_by, dtype=np.float64)
        first = _highest(second, first[~np.isnan(second[first])])
    return int(first[0])


def best_on_neighbours(
    table: ScoreTable, query: FloatArray, neighbours: int, allowed: BoolArray | None = None
) -> ChosenSetting:
    """The setting that did best on the examples nearest to the query.

    Equal means (within 1e-9) go to the setting with the higher mean over all allowed examples, then
    to the first one. A setting that was scored on none of the neighbours is not chosen.

    Args:
        table: The scores.
        query: Its unit vector, shape (d,), in the space of the table's embeddings.
        neighbours: How many examples, >= 1. At 1 the nearest example decides alone; with as many as
            there are, every query gets the one setting that is best over all.
        allowed: Mask (e,) of the examples that may be neighbours and count in the mean over all;
            None allows all. Those that count for nothing never are.

    Raises:
        ValueError: `neighbours` is below 1, or no example is allowed that has a score.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3.
    """
    if neighbours < 1:
        raise ValueError(f"neighbours is {neighbours}; it must be 1 or more")
    open_to = table.usable if allowed is None else table.usable & allowed
    if not open_to.any():
        raise ValueError("no example is allowed that has a score")
    overall_means = table.means(open_to)
    near = nearest(table.embeddings, query, neighbours, open_to)
    # In the order of the table, so that all of them give the very mean over all.
    means = table.means(np.sort(near))
    setting, overall = best_setting(means, overall_means), best_setting(overall_means)
    return ChosenSetting(setting, near, float(means[setting]), overall, float(means[overall]))


def chosen_across_folds(
    table: ScoreTable, neighbours: int, folds: IntArray
) -> tuple[IntArray, IntArray]:
    """What each example would have got, had its fold not been scored.

    Args:
        table: The scores.
        neighbours: How many of the other folds' examples choose, >= 1.
        folds: Shape (e,): the number of each example's fold. Examples that give each other away
            belong in one fold.

    Returns:
        Two arrays of positions of settings, shape (e,): the one chosen on the nearest examples of
        the other folds, and the one that is best over all of those. With all of them as neighbours
        the two are the same. Both are -1 where the other folds have no score.

    Raises:
        ValueError: `neighbours` is below 1, or the folds have another shape.
    """
    if folds.shape != (len(table.scores),):
        raise ValueError(f"folds have shape {folds.shape} for {len(table.scores)} examples")
    chosen = np.full((2, len(folds)), -1, dtype=np.int64)
    for place, fold in enumerate(folds.tolist()):
        allowed = folds != fold
        if (table.usable & allowed).any():
            found = best_on_neighbours(table, table.embeddings[place], neighbours, allowed)
            chosen[:, place] = found.setting, found.overall
    return chosen[0], chosen[1]


def _highest(values: NDArray[np.float64], places: IntArray) -> IntArray:
    """Those of the places whose value is the highest, within rounding."""
    if not len(places):
        return places
    highest = float(values[places].max())
    found: IntArray = places[values[places] >= highest - EQUAL * max(1.0, abs(highest))]
    return found
