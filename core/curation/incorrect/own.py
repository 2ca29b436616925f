"""The language model's own wrong answers: what it writes that no correct answer says."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ...generation import EndedBy, Generation
from ...text import normalised
from .suggestion import AnsweredQuery, Kind, Suggestion, Text


class Outcome(StrEnum):
    """What an answer that the model wrote is for its query."""

    SUGGESTED = "suggested"
    CORRECT = "correct"
    """It says the same as a correct answer, or has all words of one, or one has all of its."""
    KNOWN = "known"
    """It is an incorrect answer of the query already."""
    REFUSED = "refused"
    """Somebody refused it as an incorrect answer of this query."""
    UNFINISHED = "unfinished"
    """It is empty, or ends where no more tokens were allowed."""
    NO_ANSWER = "no_answer"
    """The model thought, declined or called a tool in its place, or a filter held it back."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A text that the model wrote to a query, after so many demonstrations."""

    shown: int
    generation: Generation


def own_mistakes(
    asked: AnsweredQuery, answers: Iterable[Answered]
) -> tuple[list[Suggestion], list[Outcome]]:
    """What the model answered wrongly, the likeliest first, and what each distinct answer is.

    Of answers that differ only in their spelling the likeliest is taken.

    Args:
        asked: The query with its answers.
        answers: What the model wrote to it.
    """
    taken: dict[tuple[str, bool], Answered] = {}
    for each in sorted(answers, key=_likeliest_first):
        key = normalised(each.generation.text), each.generation.ended_by.is_answer
        taken.setdefault(key, each)
    suggestions, outcomes = [], []
    for each in taken.values():
        text = each.generation.text.strip()
        outcome = _outcome(asked, text, each.generation.ended_by)
        outcomes.append(outcome)
        if outcome is Outcome.SUGGESTED:
            suggestions.append(
                Suggestion(
                    asked.ids,
                    asked.query,
                    asked.answers[0],
                    text,
                    Kind.OWN_ANSWER,
                    shown=each.shown,
                    log_prob=each.generation.log_prob_per_token,
                )
            )
    return suggestions, outcomes


def _outcome(asked: AnsweredQuery, text: str, ended_by: EndedBy) -> Outcome:
    written = Text(text)
    if not ended_by.is_answer:
        return Outcome.NO_ANSWER
    if not text or ended_by.is_cut_off:
        return Outcome.UNFINISHED
    if any(written.repeats(Text(answer)) for answer in asked.answers):
        return Outcome.CORRECT
    if written.folded in map(normalised, asked.incorrect):
        return Outcome.KNOWN
    return Outcome.REFUSED if asked.refuses(text) else Outcome.SUGGESTED


def _likeliest_first(answered: Answered) -> tuple[bool, float]:
    """Orders by the mean of the tokens; what is not known comes last."""
    log_prob = answered.generation.log_prob_per_token
    return (True, 0.0) if log_prob is None else (False, -log_prob)
