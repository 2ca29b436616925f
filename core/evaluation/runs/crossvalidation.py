"""What a setting for each query is worth, or a set for all, on examples that did not choose it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...interval import Interval, Sign
from ...metrics.bounds.intervals import estimate, mean_interval, paired_difference, paired_interval
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...recorded import Recorded
from ...selection.best_on_neighbours import ScoreTable, best_setting, chosen_across_folds
from ...types import FloatArray, IntArray
from .recorded_scores import FOLDS, LEAST, RecordedScores, folds_of


class Payoff(StrEnum):
    """What a choice gains over another, as far as its interval shows it."""

    GAINS = "gains"
    LOSES = "loses"
    UNCLEAR = "unclear"
    SAME = "same"
    """The two never differ."""
    TOO_FEW = "too few"
    """There are too few examples for an interval, or the metric has none."""


@dataclass(frozen=True)
class SettingUse(Recorded):
    """One setting: its metric over all examples, and for how many it would have been chosen.

    `chosen` counts the examples that got it by their neighbours, `overall` those that got it as the
    one setting of the other folds, `best` those whose own score is highest under it (of equal ones
    the setting that is better over all).
    """

    name: str
    value: Interval
    chosen: int
    overall: int
    best: int


@dataclass(frozen=True, kw_only=True)
class ChoicePerQuery(Recorded):
    """Choosing a setting for each query by its neighbours against one setting for all.

    Both are chosen on the same examples: those of the other folds. A fold has whole groups, so that
    neither an example nor one that gives it away has a part in its own choice.

    Attributes:
        run: The run whose scores are read.
        pool: Its pool.
        model: Its language model.
        metric: The metric that settings are chosen and judged by.
        neighbours: How many examples choose a query's setting, at most.
        examples: On how many examples this is based: those with a score under every setting.
        groups: How many groups of examples they are.
        folds: How many parts the groups were dealt into.
        settings: The settings, in the run's order.
        left_out: Settings of the run that no query can get.
        per_query: The metric under the setting that the neighbours chose.
        overall: The metric under the one setting that is best on the other folds.
        gain: The first less the second, paired over the examples.
        ceiling: The metric under each example's own best setting. An oracle: only who knows every
            score beforehand could choose so.
        worth: What choosing per query gains.
    """

    run: int
    pool: str
    model: str
    metric: str
    neighbours: int
    examples: int
    groups: int
    folds: int
    settings: tuple[SettingUse, ...]
    left_out: tuple[str, ...]
    per_query: Interval
    overall: Interval
    gain: Interval
    ceiling: Interval
    worth: Payoff

    @property
    def room(self) -> float | None:
        """How far the ceiling is from one setting for all; None where either is undefined."""
        if self.ceiling.mean is None or self.overall.mean is None:
            return None
        return abs(self.ceiling.mean - self.overall.mean)

    @property
    def best_overall(self) -> str:
        """The setting that most folds chose for all queries."""
        return max(self.settings, key=lambda each: each.overall).name


def choice_per_query(
    recorded: RecordedScores, names: Sequence[str], embeddings: FloatArray, neighbours: int
) -> ChoicePerQuery:
    """Cross-validate the choice by neighbours against the one setting that is best over all.

    Args:
        recorded: A run's scores.
        names: The settings to choose among, at least two.
        embeddings: Unit rows of the run's examples, shape (e, d).
        neighbours: How many examples choose a query's setting, >= 1; with as many as there are the
            two choices are the same.

    Raises:
        InvalidInput: Fewer than two settings, fewer than two groups of examples with a score under
            each, or `neighbours` is below 1.
    """
    if neighbours < 1:
        raise InvalidInput(f"The number of nearest examples is {neighbours}; it must be 1 or more.")
    kept = _scored_under_all(recorded, names)
    groups = np.unique(recorded.groups[kept], return_inverse=True)[1]
    if len(names) < LEAST or groups.max(initial=0) + 1 < LEAST:
        raise InvalidInput(
            f"Run {recorded.run} has {len(names)} settings that a query can get and {len(kept)} "
            f"examples with a score under each that do not give each other away; compare {LEAST} "
            "settings or more on more examples."
        )
    examples = [recorded.examples[place] for place in kept]
    folds = folds_of(examples, groups, recorded.settings.seed)
    scores, weights = recorded.table(names)
    table = ScoreTable.of(scores[kept], embeddings[kept], weights[kept])
    chosen, overall = chosen_across_folds(table, neighbours, folds)
    best = _own_best(table)
    by_setting = [[recorded.scores[place][name] for place in kept] for name in names]

    def under(settings: IntArray) -> list[AnswerScores]:
        return [by_setting[setting][at] for at, setting in enumerate(settings.tolist())]

    metric = METRICS[recorded.metric]
    gain = paired_difference(metric, under(chosen), under(overall))
    return ChoicePerQuery(
        run=recorded.run,
        pool=recorded.settings.pool,
        model=recorded.settings.model,
        metric=recorded.metric,
        neighbours=min(neighbours, len(kept) - int(np.bincount(folds).min())),
        examples=len(kept),
        groups=int(groups.max()) + 1,
        folds=min(FOLDS, int(folds.max()) + 1),
        settings=tuple(
            SettingUse(
                name,
                estimate(metric, by_setting[place]),
                chosen=int((chosen == place).sum()),
                overall=int((overall == place).sum()),
                best=int((best == place).sum()),
            )
            for place, name in enumerate(names)
        ),
        left_out=tuple(name for name in recorded.requests if name not in names),
        per_query=estimate(metric, under(chosen)),
        overall=estimate(metric, under(overall)),
        gain=gain,
        ceiling=estimate(metric, under(best)),
        worth=worth_of(gain, recorded.sign, same=bool((chosen == overall).all())),
    )


def worth_of(gain: Interval, sign: float = 1.0, *, same: bool = False) -> Payoff:
    """What a paired difference shows; `sign` -1 where a lower metric is better."""
    if same:
        return Payoff.SAME
    seen = gain.sign
    if seen is Sign.UNCLEAR:
        return Payoff.UNCLEAR
    if seen in (Sign.POSITIVE, Sign.NEGATIVE):
        return Payoff.GAINS if (seen is Sign.POSITIVE) == (sign > 0) else Payoff.LOSES
    return Payoff.TOO_FEW


def _scored_under_all(recorded: RecordedScores, names: Sequence[str]) -> IntArray:
    """The positions of the examples that have the metric under each of the settings."""
    scores, weights = recorded.table(names)
    return np.flatnonzero(~np.isnan(scores).any(axis=1) & (weights > 0)).astype(np.int64)


def _own_best(table: ScoreTable) -> IntArray:
    """The setting with the highest score of each example, shape (e,); ties as `best_setting`."""
    overall = table.means(table.usable)
    return np.array([best_setting(row, overall) for row in table.scores], dtype=np.int64)


@dataclass(frozen=True)
class FixedSet(Recorded):
    """A set of demonstrations with its mean score on the examples that are not in it.

    Attributes:
        ids: The demonstrations, in the order drawn.
        value: The mean over the examples, each of which counts once.
    """

    ids: tuple[int, ...]
    value: Interval


@dataclass(frozen=True, kw_only=True)
class FixedSets(Recorded):
    """Random sets, the best of them by some examples, and its score on others.

    Attributes:
        pool: The pool that the sets are drawn from.
        model: The language model that scored them.
        metric: The metric of each example by itself.
        seed: Of the sets and of what is held out.
        sets: All of them, the best first, ties in the order drawn.
        choosing: How many examples the sets were drawn from and chosen on.
        held_out: How many examples had no part in the choice.
        set_aside: Examples of the pool that were not used, since another one gives them away, the
            metric is undefined for them or the model's window has no room for them.
        mean: The mean of all sets on the examples that chose.
        value: The best set on the held-out examples: an honest figure, where the one in `sets` is
            that of the best of many on the very examples that chose it.
        present: The ids that the pool's `fix` shows now.
        present_value: Those on the held-out examples.
        gain: The best set less the present one on the held-out examples, paired.
        worth: What the best set gains over the present one.
    """

    pool: str
    model: str
    metric: str
    seed: int
    sets: tuple[FixedSet, ...]
    choosing: int
    held_out: int
    set_aside: int
    mean: float
    value: Interval
    present: tuple[int, ...]
    present_value: Interval
    gain: Interval
    worth: Payoff

    @property
    def best(self) -> FixedSet:
        """The set with the highest mean on the examples that chose."""
        return self.sets[0]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of two sets on examples that chose neither, shape (e,) each."""

    best: NDArray[np.float64]
    present: NDArray[np.float64]

    @classmethod
    def of(cls, best: Sequence[float], present: Sequence[float]) -> Self:
        """The scores as arrays."""
        return cls(np.array(best, dtype=np.float64), np.array(present, dtype=np.float64))

    @property
    def gain(self) -> Interval:
        """The best less the present one, paired over the examples."""
        return paired_interval(np.array([self.best, self.present]), np.ones(len(self.best)))

    @property
    def worth(self) -> Payoff:
        """What the best gains."""
        return worth_of(self.gain, same=bool(np.array_equal(self.best, self.present)))


def ranked_sets(ids: Sequence[Sequence[int]], table: FloatArray) -> tuple[FixedSet, ...]:
    """The sets with their means, the best first, ties in their order.

    Args:
        ids: The demonstrations of each set.
        table: Shape (sets, examples), NaN where an example is in the set.
    """
    means = np.nanmean(table, axis=1)
    order = np.argsort(-means, kind="stable").tolist()
    return tuple(FixedSet(tuple(ids[place]), mean_interval(table[place])) for place in order)
