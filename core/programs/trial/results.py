"""What a trial shows: each row's scores with intervals, and how the rows differ in pairs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...generation import EndedBy
from ...interval import Interval
from ...metrics.bounds.intervals import share_interval
from ...metrics.bounds.simultaneous import Family, family
from ...recorded import Recorded
from .records import MEASURES, Answer, Cost, Demonstrated, Scores
from .running import Record, TrialRow

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SeedScores(Recorded):
    """The means over the questions of one seed, `n` of them."""

    seed: int
    n: int
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class RowResult(Recorded):
    """What one row reached.

    Attributes:
        name: The row's.
        program: The program's name.
        knobs: The values of its knobs.
        without: The part that is left out; "" where none is.
        em: The share of exact matches, with its exact interval.
        f1: The mean F1 with its interval; None for its ends below 20 questions.
        nf1: The mean nF1, likewise.
        by_seed: The same for each seed: how far the training examples matter.
        errors: Questions that failed; they count as wrong.
        no_answers: Questions to which the model gave no answer, by what it did instead; they count
            as wrong.
        cost: Of the answers.
        demonstrating: Of the demonstrations, which other rows may share.
        augmented: Demonstrations with their steps, over all seeds.
        attempts: Attempts at them, likewise.
    """

    name: str
    program: str
    knobs: Mapping[str, int]
    without: str
    em: Interval
    f1: Interval
    nf1: Interval
    by_seed: tuple[SeedScores, ...]
    errors: int
    cost: Cost
    demonstrating: Cost
    augmented: int
    attempts: int
    no_answers: Mapping[EndedBy, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference(Recorded):
    """A row less the reference over the same questions.

    With 95 % all differences of a measure are within their intervals together.
    """

    row: str
    reference: str
    em: Interval
    f1: Interval
    nf1: Interval


@dataclass(frozen=True, slots=True)
class Trial(Recorded):
    """A trial: its rows, how they differ from the first one, and everything that was recorded.

    Attributes:
        rows: In the order asked for.
        differences: Of the other rows from the first one.
        answers: Seed by seed, row by row.
        demonstrations: Seed by seed.
        cost: Of everything: demonstrations that rows share count once.
    """

    rows: tuple[RowResult, ...]
    differences: tuple[Difference, ...]
    answers: tuple[Answer, ...]
    demonstrations: tuple[Demonstrated, ...]
    cost: Cost

    @property
    def judged(self) -> bool:
        """Whether the accepted answers of every question are known."""
        return all(each.answers for each in self.answers)


def summarised(rows: Sequence[TrialRow], records: Sequence[Record]) -> Trial:
    """The trial of these records.

    The intervals are over questions, given the training examples that the seeds drew; `by_seed`
    shows what these matter.

    Args:
        rows: As they were run.
        records: As `run_trial` gives them: every row answered the same questions.
    """
    answers = tuple(each for each in records if isinstance(each, Answer))
    made = tuple(each for each in records if isinstance(each, Demonstrated))
    of_row = {row.name: [each for each in answers if each.row == row.name] for row in rows}
    values = {
        name: np.array([[getattr(a.scores, name) for a in of_row[row.name]] for row in rows])
        for name in MEASURES
    }
    total = sum((each.cost for each in records), Cost())
    return Trial(
        tuple(
            _row(row, of_row[row.name], {name: values[name][place] for name in MEASURES}, made)
            for place, row in enumerate(rows)
        ),
        _differences(rows, values),
        answers,
        made,
        total,
    )


def _row(
    row: TrialRow,
    answers: Sequence[Answer],
    values: Mapping[str, Vector],
    made: Sequence[Demonstrated],
) -> RowResult:
    own = [
        each
        for each in made
        if (each.program, dict(each.knobs)) == (row.program.name, dict(row.demonstrating))
    ]
    em, f1, nf1 = (share_interval(values[name], np.ones(len(answers))) for name in MEASURES)
    return RowResult(
        name=row.name,
        program=row.program.name,
        knobs=dict(row.knobs),
        without=row.without,
        em=em,
        f1=f1,
        nf1=nf1,
        by_seed=_by_seed(answers),
        errors=sum(bool(each.error) for each in answers),
        cost=sum((each.cost for each in answers), Cost()),
        demonstrating=sum((each.cost for each in own), Cost()),
        augmented=sum(len(each.annotated.augmented) for each in own),
        attempts=sum(len(each.annotated.attempts) for each in own),
        no_answers=dict(Counter(end for each in answers if (end := each.no_answer))),
    )


def _by_seed(answers: Sequence[Answer]) -> tuple[SeedScores, ...]:
    found = []
    for seed in dict.fromkeys(each.seed for each in answers):
        own = [each.scores for each in answers if each.seed == seed]
        means = (float(np.mean([getattr(each, name) for each in own])) for name in MEASURES)
        found.append(SeedScores(seed, len(own), Scores(*means)))
    return tuple(found)


def _differences(rows: Sequence[TrialRow], values: Mapping[str, Vector]) -> tuple[Difference, ...]:
    if len(rows) < 2:
        return ()
    together: list[Family] = [
        family(values[name], np.ones(values[name].shape[1]), share=True) for name in MEASURES
    ]
    return tuple(
        Difference(row.name, rows[0].name, *(each.interval(place, 0) for each in together))
        for place, row in enumerate(rows)
        if place
    )
