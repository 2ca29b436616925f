"""Two rows of a comparison, example by example: the difference in their sums and in answers."""

from dataclasses import dataclass

from ...evaluation.results.pairs import SumAndAnswers


@dataclass(frozen=True, slots=True)
class SumPoint:
    """One query: by how much the row is above its reference in the sum, and in the answers.

    `sums` is the difference in `cos_sum`, in [-2, 2]; `answers` that in the metric that leads, in
    its unit, above 0 where the row's answers are better.
    """

    query: str
    sums: float
    answers: float


@dataclass(frozen=True)
class SumsOfRow:
    """A row against its reference: a point for each query on which both have both numbers."""

    row: str
    reference: str
    points: tuple[SumPoint, ...]
    found: SumAndAnswers
