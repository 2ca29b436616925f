"""What the model itself answers, and whether that is right: the verdict is a value."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import ClassVar, Self

from ...demonstration.demonstration import IncorrectAnswer
from ...generation import Disagreement, EndedBy, Generation, ServerDoubt
from ...metrics.overlap import exact_match
from ...recorded import Recorded


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
    NO_ANSWER = "no_answer"
    """The model gave none: `ended_by` says what it did instead."""


@dataclass(frozen=True, kw_only=True)
class OwnAnswer(Recorded):
    """A generated answer and its verdict.

    Attributes:
        text: The answer as it is compared and shown: without outer white space.
        verdict: What it is among the query's answers.
        ended_by: Why it ends there.
        tokens: How many tokens it has; None where a server wrote it and did not say.
        log_prob: Natural logarithm of the probability of all of them, <= 0, in nats; None likewise.
        thoughts: What the model wrote to itself before; no part of the answer.
        instead: What it wrote in place of an answer; empty where there is one.
        doubts: What a server says of it that does not go with what it was asked.
    """

    OPTIONAL: ClassVar = ("thoughts", "instead", "doubts")

    text: str
    verdict: AnswerVerdict
    ended_by: EndedBy
    tokens: int | None
    log_prob: float | None
    thoughts: str = ""
    instead: str = ""
    doubts: tuple[ServerDoubt, ...] = ()

    @property
    def log_prob_per_token(self) -> float | None:
        """The mean over its tokens, <= 0, in nats; None without tokens, or where not known."""
        return self.log_prob / self.tokens if self.tokens and self.log_prob is not None else None

    @property
    def cut_off(self) -> bool:
        """Whether it ends where no more tokens were allowed, or none fitted the window."""
        return self.ended_by.is_cut_off


@dataclass(frozen=True)
class OwnAnswers:
    """The model's answers to one query: after a context, and alone."""

    after: OwnAnswer
    alone: OwnAnswer


@dataclass(frozen=True)
class AnswerCounts(Recorded):
    """How many of a row's generated answers are correct, incorrect, neither, and cut off.

    Attributes:
        no_answers: How many are none, and so none of these, by what the model did instead.
        doubted: Of how many a server says something that does not go with what it was asked.
    """

    OPTIONAL: ClassVar = ("no_answers", "doubted")

    correct: int
    incorrect: int
    other: int
    cut_off: int
    _: KW_ONLY
    no_answers: Mapping[EndedBy, int] = field(default_factory=dict)
    doubted: Mapping[Disagreement, int] = field(default_factory=dict)

    @classmethod
    def of(cls, answers: Iterable[OwnAnswer]) -> Self:
        """The counts over these answers, all of which have a verdict."""
        known = tuple(answers)
        found = Counter(each.verdict for each in known)
        none = Counter(each.ended_by for each in known if not each.ended_by.is_answer)
        doubted = Counter(doubt.about for each in known for doubt in each.doubts)
        return cls(
            correct=found[AnswerVerdict.CORRECT],
            incorrect=found[AnswerVerdict.INCORRECT],
            other=found[AnswerVerdict.OTHER],
            cut_off=sum(each.cut_off for each in known),
            no_answers=dict(none),
            doubted=dict(doubted),
        )


def own_answer(
    generation: Generation, correct: Sequence[str], incorrect: Sequence[IncorrectAnswer]
) -> OwnAnswer:
    """The generated answer with its verdict.

    Args:
        generation: What the model wrote.
        correct: The query's correct answers; none where they are unknown.
        incorrect: Its incorrect answers.
    """
    return OwnAnswer(
        text=generation.text.strip(),
        verdict=_verdict(generation, correct, incorrect),
        ended_by=generation.ended_by,
        tokens=generation.n_tokens,
        log_prob=generation.log_prob,
        thoughts=generation.thoughts,
        instead=generation.instead,
        doubts=generation.doubts,
    )


def _verdict(
    generation: Generation, correct: Sequence[str], incorrect: Sequence[IncorrectAnswer]
) -> AnswerVerdict:
    text = generation.text
    if not generation.ended_by.is_answer:
        return AnswerVerdict.NO_ANSWER
    if not correct:
        return AnswerVerdict.UNJUDGED
    if exact_match(text, correct):
        return AnswerVerdict.CORRECT
    if incorrect and exact_match(text, [each.text for each in incorrect]):
        return AnswerVerdict.INCORRECT
    return AnswerVerdict.OTHER
