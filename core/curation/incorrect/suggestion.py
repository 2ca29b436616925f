"""A suggested incorrect answer, and what is known of the query that it is suggested for."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ...demonstration.demonstration import Demonstration
from ...retrieval.words import words_of
from ...text import content_hash, normalised, same_text


class Kind(StrEnum):
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


@dataclass(frozen=True, slots=True)
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
    kind: Kind
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
