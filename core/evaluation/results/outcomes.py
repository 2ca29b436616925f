"""The outcomes of one context request over the examples, their metrics, also by kind."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...demonstration.demonstration import EvaluationExample
from ...interval import Interval, defined
from ...metrics.bounds.intervals import (
    ALPHA,
    estimate,
    metric_interval,
    no_effect,
    paired,
    paired_difference,
)
from ...metrics.bounds.sequential import FIRST_LOOK, Look, alpha_for_every_look
from ...metrics.bounds.simultaneous import Family, family
from ...metrics.registry import METRICS, metrics_of
from ...metrics.scores import AnswerScores, OfAnswer, OfContext, OfLabels
from ...recorded import read
from ...retrieval.context import Context, Doubt
from ...retrieval.knobs import Knobs
from ...types import BoolArray
from .own_answer import AnswerCounts, OwnAnswer
from .run_figures import End, Leaks, RunFigures, leaks_in

Vector = NDArray[np.float64]

_OF_CONTEXT = tuple(OfContext.__annotations__)
_OF_LABELS = tuple(OfLabels.__annotations__)
_OF_ANSWER = tuple(OfAnswer.__annotations__)
_MEASURED = (*_OF_CONTEXT, *_OF_LABELS, *_OF_ANSWER)


@dataclass(frozen=True)
class Outcome:
    """One evaluation example under one context.

    `ids` are the demonstrations used, in the order chosen; `scores`, and what is measured of the
    context, are of the context as it was used; `left_out` counts what the window had no room for.
    `leaking` are those of the demonstrations that give a correct answer away under another query.
    `answer` is what the model itself answered, None where it was not asked to.
    `without_leaks` is the outcome of the same example with leaks left out, None where the context
    has none, or nobody asked; a run keeps it in a row of its own.
    `doubts` are reservations about the choice; a run's rows do not keep them.
    """

    ids: tuple[int, ...]
    left_out: int
    scores: AnswerScores
    _: KW_ONLY
    leaking: tuple[int, ...] = ()
    answer: OwnAnswer | None = None
    without_leaks: "Outcome | None" = field(default=None, compare=False)
    doubts: frozenset[Doubt] = field(default=frozenset(), compare=False)

    @classmethod
    def of(
        cls,
        context: Context,
        scores: AnswerScores,
        leaks: BoolArray | None,
        answer: OwnAnswer | None = None,
    ) -> "Outcome":
        """The outcome of the context as it was used, after shortening.

        `leaks`: mask (n,) of the pool's demonstrations that give an answer away
        (`LivePool.leaks`); None where nobody asks for it.
        """
        leaking = () if leaks is None else tuple(context.ids[leaks[context.indices]].tolist())
        ids = tuple(context.ids.tolist())
        return cls(
            ids, context.left_out, scores, leaking=leaking, answer=answer, doubts=context.doubts
        )

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The outcome that `to_json` wrote."""
        names = (each.name for each in fields(AnswerScores) if each.name not in _MEASURED)
        scores = {name: row[name] for name in names}
        for name in _MEASURED:  # None where undefined; not there without a label or an answer
            scores[name] = math.nan if row.get(name) is None else row[name]
        return cls(
            ids=tuple(row["ids"]),
            left_out=row["left_out"],
            scores=AnswerScores(**scores),
            leaking=tuple(row["leaking"]),
            answer=read(OwnAnswer | None, row.get("generated")),
        )

    def to_json(self) -> dict[str, Any]:
        """The same for the run's rows: log-probabilities in nats, None where undefined.

        Without label figures for an example that has no label, and without an answer and its
        figures where none was generated.
        """
        scores = self.scores
        labelled = {} if math.isnan(scores.label_chance) else _numbers(scores, _OF_LABELS)
        answered: dict[str, Any] = {}
        if self.answer is not None:
            answered = {"generated": self.answer.to_json()} | _numbers(scores, _OF_ANSWER)
        return {
            "ids": list(self.ids),
            **_numbers(scores, _OF_CONTEXT),
            **labelled,
            **answered,
            "left_out": self.left_out,
            "leaking": list(self.leaking),
            "best": scores.best,
            "correct": scores.correct.tolist(),
            "incorrect": scores.incorrect.tolist(),
            "correct_alone": scores.correct_alone.tolist(),
            "incorrect_alone": scores.incorrect_alone.tolist(),
            "correct_tokens": scores.correct_tokens.tolist(),
        }

    def same_as(self, other: "Outcome") -> bool:
        """Whether the same set of demonstrations made one and the same prompt."""
        return set(self.ids) == set(other.ids) and self.scores is other.scores


@dataclass(frozen=True)
class RequestResult:
    """One context request over the examples: an outcome each, in the order of the examples.

    `request` has the knobs as the method used them.
    Metrics are computed on demand, so that a partial result costs nothing until it is read.
    """

    request: Knobs
    outcomes: tuple[Outcome, ...]
    _known: dict[tuple[str, bool], Interval] = field(
        default_factory=dict, repr=False, compare=False
    )
    _sums: dict[str, tuple[Vector, Vector]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def k(self) -> int:
        """How many demonstrations were asked for."""
        return self.request.k

    @property
    def lambda_d(self) -> float:
        """Relevance (1) against diversity (0), as the method used it."""
        return self.request.lambda_d

    @property
    def lambda_b(self) -> float:
        """Relevance (1) against quality bias (0), as the method used it."""
        return self.request.lambda_b

    @property
    def shortened(self) -> int:
        """Examples whose context had to be shortened to fit the window."""
        return sum(outcome.left_out > 0 for outcome in self.outcomes)

    @property
    def left_out(self) -> int:
        """Demonstrations left out of the contexts for lack of room, all examples together."""
        return sum(outcome.left_out for outcome in self.outcomes)

    @property
    def leaks(self) -> Leaks:
        """How many contexts give a correct answer away under another query, and the effect."""
        return leaks_in([(bool(each.leaking), each.scores) for each in self.outcomes])

    @property
    def without_leaks(self) -> "RequestResult | None":
        """The same with leaks left out of every context; None where none was measured that way."""
        if all(each.without_leaks is None for each in self.outcomes):
            return None
        outcomes = tuple(each.without_leaks or each for each in self.outcomes)
        return RequestResult(self.request, outcomes)

    def leakage(self, name: str, *, every_look: bool = False) -> Interval | None:
        """This metric minus the same with leaks left out, paired; None where it was not measured.

        The interval is as that of `metric`.
        """
        other, n = self.without_leaks, len(self.outcomes)
        if other is None:
            return None
        found = self.difference(other, name, alpha_for_every_look(n) if every_look else ALPHA)
        return found.without_ends(FIRST_LOOK) if every_look and n < FIRST_LOOK else found

    @property
    def doubts(self) -> dict[Doubt, int]:
        """How many contexts each doubt is about; doubts about none are left out."""
        found = Counter(doubt for outcome in self.outcomes for doubt in outcome.doubts)
        return {doubt: found[doubt] for doubt in Doubt if doubt in found}

    @property
    def metrics(self) -> dict[str, Interval]:
        """Every metric of the run with its 95 % interval."""
        return {name: self.metric(name) for name in metrics_of(generated=bool(self.answers))}

    @property
    def answers(self) -> tuple[OwnAnswer, ...]:
        """What the model itself answered, example by example; empty where it was not asked to."""
        return tuple(each.answer for each in self.outcomes if each.answer is not None)

    @property
    def answer_counts(self) -> AnswerCounts | None:
        """How many of these answers are right; None without any."""
        return AnswerCounts.of(self.answers) if self.answers else None

    def sums(self, name: str) -> tuple[Vector, Vector]:
        """Numerators and denominators of a metric of the registry, one an example, shape (q,)."""
        if name not in self._sums:
            metric, scores = METRICS[name], _scores(self.outcomes)
            self._sums[name] = metric.numerators(scores), metric.denominators(scores)
        return self._sums[name]

    def metric(self, name: str, *, every_look: bool = False) -> Interval:
        """One metric of the registry; NaN where it is defined for no example.

        The interval is valid at this one number of examples, or with `every_look` at all of them
        simultaneously, from `FIRST_LOOK` on.
        """
        if (name, every_look) not in self._known:
            self._known[name, every_look] = self._interval(name, every_look)
        return self._known[name, every_look]

    def _interval(self, name: str, every_look: bool) -> Interval:
        n = len(self.outcomes)
        alpha = alpha_for_every_look(n) if every_look and n else ALPHA
        idle = no_effect(METRICS[name], _scores(self.outcomes))
        found = metric_interval(METRICS[name], *self.sums(name), alpha, idle=idle)
        if every_look and n < FIRST_LOOK:
            return found.without_ends(FIRST_LOOK)
        return found

    def difference(self, other: "RequestResult", name: str, alpha: float = ALPHA) -> Interval:
        """This result's metric minus the other's, paired over the same examples.

        The interval is that of one difference; for several read together, see `together`.
        """
        ours, theirs = _scores(self.outcomes), _scores(other.outcomes)
        return paired_difference(METRICS[name], ours, theirs, alpha)


def together(results: Sequence[RequestResult], name: str, look: Look) -> Family:
    """All differences among the results in a metric, by the examples of that look.

    They are valid simultaneously with confidence 1 - alpha of the look. Before the first look they
    have no bounds, nor do those of an unbounded metric; a result for which the metric is undefined
    has no differences.
    """
    metric = METRICS[name]
    seen = slice(look.n or None)
    sums = [result.sums(name) for result in results]
    numerators = np.array([above[seen] for above, _ in sums])
    denominators = np.array([below[seen] for _, below in sums])
    numerators, counted = paired(numerators, denominators)
    unbounded = metric.spread == "unbounded"
    found = family(
        numerators,
        counted,
        share=metric.spread == "share",
        idle=no_effect(metric, _scores(results[0].outcomes[seen])),
        alpha=0.0 if unbounded else look.alpha,
    ).without((denominators == 0).all(axis=1))
    return found if look.n or unbounded else found.unbounded(FIRST_LOOK)


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """An evaluation or a calibration with the outcomes of each example, whole or so far.

    `examples` are those used, in the order in which they came; `figures` has their number and what
    else the results are based on.
    """

    examples: tuple[EvaluationExample, ...]
    figures: RunFigures

    def ended(self, end: End) -> Self:
        """The same as of a run that ended so."""
        return replace(self, figures=self.figures.ended(end))

    def summary(self) -> RunFigures:
        """The figures without the examples themselves."""
        return self.figures


def _numbers(scores: AnswerScores, names: Sequence[str]) -> dict[str, float | None]:
    return {name: defined(getattr(scores, name)) for name in names}


def _scores(outcomes: Sequence[Outcome]) -> list[AnswerScores]:
    return [outcome.scores for outcome in outcomes]


def dpo_by_kind(
    examples: Sequence[EvaluationExample], scores: Sequence[AnswerScores]
) -> dict[str, Interval]:
    """DPO per triple over the incorrect answers of one kind at a time, in nats, with its interval.

    Ordered by kind. An example without an incorrect answer of a kind does not count for that kind,
    and incorrect answers without a kind count in none; all of them count in the metric itself.

    Args:
        examples: Evaluation examples.
        scores: Their scores under one context each, in the same order.
    """
    kinds = sorted({wrong.kind for example in examples for wrong in example.incorrect} - {""})
    return {
        kind: estimate(
            METRICS["dpo_per_triple"],
            [
                _against(kind, example, score)
                for example, score in zip(examples, scores, strict=True)
                if any(wrong.kind == kind for wrong in example.incorrect)
            ],
        )
        for kind in kinds
    }


def _against(kind: str, example: EvaluationExample, scores: AnswerScores) -> AnswerScores:
    """The scores with the incorrect answers of this kind alone."""
    chosen = np.array([wrong.kind == kind for wrong in example.incorrect], dtype=bool)  # (b,)
    return replace(
        scores, incorrect=scores.incorrect[chosen], incorrect_alone=scores.incorrect_alone[chosen]
    )
