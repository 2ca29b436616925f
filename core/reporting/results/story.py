"""One evaluation example of a comparison: what each method chose, its effect, its sums."""

from dataclasses import dataclass

from ...demonstration.demonstration import Demonstration
from ...evaluation.results.own_answer import OwnAnswer
from ...evaluation.results.pairs import SumAndAnswers
from ...evaluation.results.verdict import Verdict, verdict_of_one_query


@dataclass(frozen=True)
class AnswerLine:
    """One answer: its log-probability alone and under each method's context, in nats.

    `kind` is that of an incorrect answer, empty where it has none.
    """

    text: str
    correct: bool
    kind: str
    alone: float
    by_method: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class MethodLine:
    """What one row chose for the example, and its effect on the model; `method` is its name.

    `demonstrations` are in the order chosen, with their texts as they are now. Without incorrect
    answers `dpo_per_triple` and `delta` are None, with them `dpo_correct_only`. `answer` is what
    the model itself answered after the context, None where it was not asked to.
    """

    method: str
    ids: tuple[int, ...]
    demonstrations: tuple[Demonstration, ...]
    diversity: float | None
    left_out: int
    dpo_per_triple: float | None
    dpo_correct_only: float | None
    delta: float | None
    gain_per_answer: float | None
    answer: OwnAnswer | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Whether the context helps or harms this example; None without incorrect answers."""
        return verdict_of_one_query(self.dpo_per_triple, self.delta)


@dataclass(frozen=True)
class Story:
    """One evaluation example under every row of a comparison; `row_word` is what a row is."""

    query: str
    methods: tuple[MethodLine, ...]
    answers: tuple[AnswerLine, ...]
    row_word: str = "method"

    @property
    def has_triples(self) -> bool:
        """Whether there is an incorrect answer to compare the correct ones with."""
        return any(not line.correct for line in self.answers)

    @property
    def generated(self) -> bool:
        """Whether the model also answered the query itself."""
        return any(line.answer is not None for line in self.methods)


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
