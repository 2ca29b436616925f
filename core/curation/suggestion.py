"""Incorrect answers that are suggested: by the pool, or by what the language model writes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..demonstration.demonstration import Demonstration
from ..generation import EndedBy, Generation
from ..retrieval.wording import words_of
from ..text import content_hash, normalised, same_text


class SuggestionKind(StrEnum):
    """What a suggested answer gets wrong.

    As kinds of their own they can be read, found and removed separately from those that people
    wrote, and DPO can be read for them alone.
    """

    NEAR_QUERY = "near query"
    """It answers a near query."""
    OTHER_LABEL = "other label"
    """It is another label of a classification pool."""
    OWN_ANSWER = "model's answer"
    """The language model itself answered so."""


_MARK = "incorrect "


@dataclass(frozen=True, slots=True)
class AnsweredQuery:
    """A query of a pool with its answers.

    Attributes:
        query: The query, in the spelling of its first demonstration.
        ids: Its demonstrations, one a correct answer.
        answers: Their correct answers in the same order, the best first.
        incorrect: The texts of its incorrect answers.
        dismissed: The keys of what was dismissed of its demonstrations, refused suggestions among
            them (`Suggestion.key`).
    """

    query: str
    ids: tuple[int, ...]
    answers: tuple[str, ...]
    incorrect: tuple[str, ...] = ()
    dismissed: frozenset[str] = frozenset()

    def refuses(self, text: str) -> bool:
        """Whether somebody refused the text as an incorrect answer of this query."""
        return bool(self.dismissed) and suggestion_key(self.query, text) in self.dismissed


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A text that may be an incorrect answer of a query.

    Attributes:
        ids: The demonstrations of the query.
        query: The query.
        answer: Its best correct answer, to compare with.
        text: What is suggested as an incorrect answer.
        kind: What it gets wrong.
        source: The demonstration whose correct answer it is; None for the model's own answer.
        source_query: The query of that one; empty likewise.
        cosine: Of the two queries, in [-1, 1]; None likewise.
        shown: How many demonstrations the model was shown when it answered; None for an answer
            that is not its own.
        log_prob: The mean logarithm of the probability of its tokens, <= 0, in nats; None
            likewise, and where a server did not give it.
    """

    ids: tuple[int, ...]
    query: str
    answer: str
    text: str
    kind: SuggestionKind
    source: int | None = None
    source_query: str = ""
    cosine: float | None = None
    shown: int | None = None
    log_prob: float | None = None

    @property
    def key(self) -> str:
        """What it is refused under, the same in every workspace and whatever suggests it."""
        return suggestion_key(self.query, self.text)


def suggestion_key(query: str, text: str) -> str:
    """The key of a text as an incorrect answer of a query, by both texts."""
    return f"{_MARK}{content_hash(same_text(query), normalised(text))[:16]}"


def is_suggestion(key: str) -> bool:
    """Whether what is dismissed under the key is a suggestion and not a finding."""
    return key.startswith(_MARK)


def answered_queries(demonstrations: Sequence[Demonstration]) -> list[AnsweredQuery]:
    """The queries with their answers, in the order of their first demonstrations."""
    groups: dict[str, list[Demonstration]] = {}
    for each in demonstrations:
        groups.setdefault(same_text(each.query), []).append(each)
    return [_answered(group) for group in groups.values()]


def _answered(group: Sequence[Demonstration]) -> AnsweredQuery:
    best_first = sorted(group, key=lambda each: not each.best)
    return AnsweredQuery(
        group[0].query,
        tuple(each.id for each in best_first),
        tuple(each.answer for each in best_first),
        tuple(dict.fromkeys(wrong.text for each in group for wrong in each.incorrect)),
        frozenset(key for each in group for key in each.dismissed),
    )


class Text:
    """An answer, compared with others."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """The text without what only its spelling differs in."""
        return normalised(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words."""
        return frozenset(words_of(self.text))

    def repeats(self, other: "Text") -> bool:
        """Whether it is the same text as the other, or one has all words of the other."""
        if self.folded == other.folded:
            return True
        if not self.words or not other.words:
            return False
        return self.words <= other.words or other.words <= self.words


class SuggestionOutcome(StrEnum):
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
class WrittenAnswer:
    """A text that the model wrote to a query, after so many demonstrations."""

    shown: int
    generation: Generation


def own_mistakes(
    asked: AnsweredQuery, answers: Iterable[WrittenAnswer]
) -> tuple[list[Suggestion], list[SuggestionOutcome]]:
    """What the model answered wrongly, the likeliest first, and what each distinct answer is.

    Of answers that differ only in their spelling the likeliest is taken.

    Args:
        asked: The query with its answers.
        answers: What the model wrote to it.
    """
    taken: dict[tuple[str, bool], WrittenAnswer] = {}
    for each in sorted(answers, key=_likeliest_first):
        key = normalised(each.generation.text), each.generation.ended_by.is_answer
        taken.setdefault(key, each)
    suggestions, outcomes = [], []
    for each in taken.values():
        text = each.generation.text.strip()
        outcome = _outcome(asked, text, each.generation.ended_by)
        outcomes.append(outcome)
        if outcome is SuggestionOutcome.SUGGESTED:
            suggestions.append(
                Suggestion(
                    ids=asked.ids,
                    query=asked.query,
                    answer=asked.answers[0],
                    text=text,
                    kind=SuggestionKind.OWN_ANSWER,
                    shown=each.shown,
                    log_prob=each.generation.log_prob_per_token,
                )
            )
    return suggestions, outcomes


def _outcome(asked: AnsweredQuery, text: str, ended_by: EndedBy) -> SuggestionOutcome:
    written = Text(text)
    if not ended_by.is_answer:
        return SuggestionOutcome.NO_ANSWER
    if not text or ended_by.is_cut_off:
        return SuggestionOutcome.UNFINISHED
    if any(written.repeats(Text(answer)) for answer in asked.answers):
        return SuggestionOutcome.CORRECT
    if written.folded in map(normalised, asked.incorrect):
        return SuggestionOutcome.KNOWN
    return SuggestionOutcome.REFUSED if asked.refuses(text) else SuggestionOutcome.SUGGESTED


def _likeliest_first(answered: WrittenAnswer) -> tuple[bool, float]:
    """Orders by the mean of the tokens; what is not known comes last."""
    log_prob = answered.generation.log_prob_per_token
    return (True, 0.0) if log_prob is None else (False, -log_prob)
