"""What the model itself answers, and whether that is right: the verdict is a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...demonstration.demonstration import IncorrectAnswer
from ...generation import Generation
from ...metrics.overlap import exact_match


class AnswerVerdict(StrEnum):
    """What a generated answer is, compared after `metrics.overlap.normalised_answer`."""

    CORRECT = "correct"
    """One of the correct answers."""
    INCORRECT = "incorrect"
    """One of the incorrect answers."""
    OTHER = "other"
    """Neither: nobody has judged this text."""
    UNJUDGED = "unjudged"
    """The query has no correct answers to compare with."""


@dataclass(frozen=True)
class OwnAnswer:
    """A generated answer and its verdict; the text of the answer is without outer white space."""

    generation: Generation
    verdict: AnswerVerdict

    @property
    def text(self) -> str:
        """The answer as it is compared and shown."""
        return self.generation.text.strip()


@dataclass(frozen=True)
class OwnAnswers:
    """The model's answers to one query: after a context, and alone."""

    after: OwnAnswer
    alone: OwnAnswer


def own_answer(
    generation: Generation, correct: Sequence[str], incorrect: Sequence[IncorrectAnswer]
) -> OwnAnswer:
    """The generated answer with its verdict.

    Args:
        generation: What the model wrote.
        correct: The query's correct answers; none where they are unknown.
        incorrect: Its incorrect answers.
    """
    return OwnAnswer(generation, _verdict(generation.text, correct, incorrect))


def _verdict(
    text: str, correct: Sequence[str], incorrect: Sequence[IncorrectAnswer]
) -> AnswerVerdict:
    if not correct:
        return AnswerVerdict.UNJUDGED
    if exact_match(text, correct):
        return AnswerVerdict.CORRECT
    if incorrect and exact_match(text, [each.text for each in incorrect]):
        return AnswerVerdict.INCORRECT
    return AnswerVerdict.OTHER
