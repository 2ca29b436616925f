"""Label figures of a comparison: consistency against chance, and its link with right answers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval, defined
from ...metrics.bounds.intervals import ALPHA, estimate
from ...metrics.bounds.sequential import FIRST_LOOK, Look, alpha_for_every_look
from ...metrics.labels import chance_denominators, chance_numerators
from ...metrics.pairs import own_values, rank_correlation
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores, ratio
from ...recorded import Recorded, same
from ...retrieval.choosing import find_method
from ...retrieval.knobs import Knobs
from ..plan.examples import PoolLabels
from .outcomes import RequestResult, Vector
from .verdict import Sorting, sorting_of

CONSISTENCY = "label_consistency"
"""The metric of the registry."""


@dataclass(frozen=True)
class Consistent(Recorded):
    """The queries of which exactly `count` demonstrations in the context have the query's label.

    `accuracy` is MC1 over those of them that have incorrect answers, `accuracy.n` of them, with an
    interval of its own; undefined where there are none.

    Source: PGRA, figure 2.
    """

    count: int
    queries: int
    accuracy: Interval


@dataclass(frozen=True)
class LabelsOfRow(Recorded):
    """The labels of one row's contexts.

    `by_consistent` counts the queries by how many demonstrations have the query's label, from 0 to
    k. `link` is Spearman's rank correlation of the label consistency with the right answers, in
    [-1, 1], over the queries that have both, with the interval of this one row.
    """

    by_consistent: tuple[Consistent, ...]
    link: Interval


@dataclass(frozen=True)
class TaskSorting(Recorded):
    """A row that sorts by task states, against the row that ranks as its first stage does.

    `first_stage` is that row's name and `ranked_by` its method. `difference` is the label
    consistency of `row` minus that of `first_stage`, bounded together with all differences among
    the rows.
    """

    KEYS = same("row", "first_stage", "ranked_by", "difference", "verdict")
    row: str
    first_stage: str
    ranked_by: str
    difference: Interval

    @property
    def verdict(self) -> Sorting:
        """Whether the states sort better than what fetched the candidates."""
        return sorting_of(self.difference)


@dataclass(frozen=True, kw_only=True)
class LabelFigures(Recorded):
    """The label figures of a comparison, in a pool that has a task.

    Attributes:
        task: The name of the pool's task.
        examples: How many of the examples have a label.
        chance: The label consistency of contexts drawn blindly from all other queries: the mean
            share of the query's label, in [0, 1]; None without an example that has one.
        all_offered: Whether every example has all other labels as incorrect answers, so that MC1
            is the accuracy of choosing the label.
        rows: By row that shows demonstrations, how consistent its contexts are.
        sorted: The rows that sort by task states, where there is a row that ranks as their first
            stage does.
    """

    task: str
    examples: int
    chance: float | None
    all_offered: bool
    rows: Mapping[str, LabelsOfRow] = field(default_factory=dict)
    sorted: tuple[TaskSorting, ...] = ()


RIGHT = "mc1"
"""The metric of whether an example is answered right."""
STAGE_1, BM25, BY_EMBEDDING = "stage_1", "bm25", "rel"
"""A method's knob that names its first stage, and the methods that rank as the stages do."""


def label_figures(
    labels: PoolLabels | None,
    examples: Sequence[EvaluationExample],
    results: Mapping[str, RequestResult],
    look: Look,
    difference: Callable[[str, str], Interval],
) -> LabelFigures | None:
    """The label figures of the outcomes; None in a pool without a task.

    Args:
        labels: The labels of the pool; None where it has no task.
        examples: The evaluation examples.
        results: The rows' outcomes over them.
        look: How often the run is looked at: intervals are valid at every look unless it is fixed.
        difference: A row's label consistency minus that of another one, by their names.
    """
    if labels is None:
        return None
    scores = [[each.scores for each in result.outcomes] for result in results.values()]
    counted = chance_denominators(scores[0]) if scores else np.zeros(0)
    chance = ratio(chance_numerators(scores[0]), counted) if scores else math.nan
    return LabelFigures(
        task=labels.task,
        examples=int(counted.sum()),
        chance=defined(chance),
        all_offered=labels.all_offered(examples),
        rows={
            name: _of_row(result, look)
            for name, result in results.items()
            if find_method(result.request.method).chooses
        },
        sorted=_sorted(results, difference),
    )


def _of_row(result: RequestResult, look: Look) -> LabelsOfRow:
    shares = own_values(*result.sums(CONSISTENCY))
    # A window that is too small leaves a context fewer demonstrations than k.
    shown = np.array([len(outcome.ids) for outcome in result.outcomes], dtype=np.float64)
    counts = np.rint(shares * shown)
    found = tuple(
        _consistent(count, result, np.flatnonzero(counts == count).tolist(), look)
        for count in range(result.k + 1)
    )
    return LabelsOfRow(found, _link(result, shares, look))


def _consistent(count: int, result: RequestResult, places: Sequence[int], look: Look) -> Consistent:
    scores: list[AnswerScores] = [result.outcomes[place].scores for place in places]
    alpha, bounded = _alpha(len(result.outcomes), look)
    found = estimate(METRICS[RIGHT], scores, alpha)
    return Consistent(count, len(places), found if bounded else found.without_ends(FIRST_LOOK))


def _link(result: RequestResult, shares: Vector, look: Look) -> Interval:
    right = own_values(*result.sums(RIGHT))
    alpha, bounded = _alpha(len(right), look)
    found = rank_correlation(shares, right, alpha)
    return found if bounded else found.without_ends(FIRST_LOOK)


def _alpha(n: int, look: Look) -> tuple[float, bool]:
    """The level of an interval over n examples, and whether there is one yet."""
    if look.fixed or not n:
        return ALPHA, True
    return alpha_for_every_look(n), n >= FIRST_LOOK


def _sorted(
    results: Mapping[str, RequestResult], difference: Callable[[str, str], Interval]
) -> tuple[TaskSorting, ...]:
    found = []
    for row, result in results.items():
        if find_method(result.request.method).reads is None:
            continue
        stage = first_stage_among(result.request, results)
        if stage is not None:
            ranked_by = results[stage].request.method
            found.append(TaskSorting(row, stage, ranked_by, difference(row, stage)))
    return tuple(found)


def first_stage_among(knobs: Knobs, results: Mapping[str, RequestResult]) -> str | None:
    """The row that ranks as the first stage of these knobs does and keeps as many; None for none.

    By embeddings that is `rel`, by shared words `bm25`. The knobs are as the method uses them.
    """
    own = dict(knobs.own_values)
    wanted = BM25 if own.get(STAGE_1) == BM25 else BY_EMBEDDING
    same = ("k", "embed", "one_per_query")
    return next(
        (
            name
            for name, each in results.items()
            if each.request.method == wanted
            and not each.request.candidates
            and all(getattr(each.request, knob) == getattr(knobs, knob) for knob in same)
        ),
        None,
    )
