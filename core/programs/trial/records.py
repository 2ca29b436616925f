"""What a trial records: demonstrations that were made, and answers with their scores and steps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from ...generation import EndedBy
from ...metrics.overlap import exact_match, f1, hotpot_f1, novel_f1
from ...recorded import Recorded
from ..example import Example, Turn
from ..primitives import Annotations
from ..steps import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Recorded):
    """What was asked of the model, and what its prompts had no room for.

    Attributes:
        calls: Prompts that were given to the model.
        tokens_read: Of these prompts.
        tokens_written: Of all texts; 0 where only a server knows it.
        shortened: Prompts from which something was left out.
        raw: Raw demonstrations that were left out, over all prompts.
        augmented: Augmented demonstrations, likewise.
        passages: Passages, likewise.
    """

    calls: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    shortened: int = 0
    raw: int = 0
    augmented: int = 0
    passages: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Both together."""
        names = [each.name for each in fields(self)]
        return Cost(**{name: getattr(self, name) + getattr(other, name) for name in names})


def cost_of(steps: Iterable[Step]) -> Cost:
    """The cost of these steps and of all below them."""
    total = Cost()
    for tree in steps:
        total += Cost(tokens_read=tree.tokens_read, tokens_written=tree.tokens_written)
        for step in tree.walk():
            gone = step.left_out
            total += Cost(
                calls=len(step.calls),
                shortened=int(bool(gone)),
                raw=len(gone.raw),
                augmented=len(gone.augmented),
                passages=len(gone.passages),
            )
    return total


@dataclass(frozen=True, slots=True)
class Scores(Recorded):
    """How right an answer is, each in [0, 1].

    Attributes:
        em: 1 where it is a correct answer, by exact match.
        f1: That of SQuAD; of a single question it is 0 where one side is yes, no or noanswer and
            the other is something else, as HotPotQA has it.
        nf1: F1 over what is neither a stop word nor in the question or those before it.
    """

    em: float
    f1: float
    nf1: float


UNSCORED = Scores(0.0, 0.0, 0.0)
"""Of an answer that failed, and to a question whose answers are not known."""

MEASURES = ("em", "f1", "nf1")
"""The names of `Scores`."""


def scored(pred: str, question: Example) -> Scores:
    """The scores of an answer to a question whose answers are known.

    Raises:
        ValueError: The question has no answer.
    """
    asked = [*(turn.question for turn in question.history), question.question]
    right = question.answers
    overlap = f1 if question.history else hotpot_f1
    return Scores(exact_match(pred, right), overlap(pred, right), novel_f1(pred, right, asked))


@dataclass(frozen=True, slots=True)
class Demonstrated(Recorded):
    """The demonstrations of a seed, which all rows with that program and these knobs share.

    Attributes:
        program: The program's name.
        knobs: Those that the demonstrations depend on.
        seed: Whose they are.
        annotated: Every attempt, and the training examples that are shown as they are.
        cost: Of the attempts.
    """

    program: str
    knobs: Mapping[str, int]
    seed: int
    annotated: Annotations
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Recorded):
    """What a row answered to a question.

    Attributes:
        row: The row's name.
        seed: Whose share the question is in.
        question: What was asked.
        answers: The accepted answers; none where they are not known.
        history: The turns before it, with what the program itself answered there.
        id: The question's id where it has one; else "".
        pred: What was answered; "" where it failed.
        scores: Of `pred`; `UNSCORED` where it failed or the accepted answers are not known.
        error: Why it failed, as a sentence; "" where it did not.
        steps: What was done.
        cost: Of these steps.
    """

    row: str
    seed: int
    question: str
    answers: tuple[str, ...]
    history: tuple[Turn, ...]
    id: str
    pred: str
    scores: Scores
    error: str
    steps: tuple[Step, ...]
    cost: Cost

    @property
    def seconds(self) -> float:
        """How long its steps took."""
        return sum(step.seconds for step in self.steps)

    @property
    def no_answer(self) -> EndedBy | None:
        """What the model did in place of the answer; None where it answered or failed."""
        texts = [
            text
            for tree in self.steps
            for step in tree.walk()
            for call in step.calls
            for text in call.generations
        ]
        if self.pred or self.error or not texts or texts[-1].ended_by.is_answer:
            return None
        return texts[-1].ended_by

    @property
    def correct(self) -> bool:
        """Whether it is a correct answer, by exact match."""
        return self.scores.em == 1.0
