"""What looks odd in a file and is kept all the same: counted, and named row by row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..types import Draft


class OddKind(StrEnum):
    """What is odd about a demonstration."""

    OWN_INCORRECT = "own incorrect answer"
    """Its answer is also among its own incorrect answers."""
    CONTRADICTION = "contradiction"
    """Its answer is an incorrect one in another row of the same query."""


SENTENCES = {
    OddKind.OWN_INCORRECT: (
        "Answers that are also among their own incorrect answers: {}; they were kept, look at them."
    ),
    OddKind.CONTRADICTION: (
        "Answers that are correct in one row and incorrect in another of the same query: {}; both "
        "were kept as they are, look at them."
    ),
}


@dataclass(frozen=True, slots=True)
class OddRow:
    """A demonstration that is odd.

    Attributes:
        query: Its query.
        answer: Its answer, which is correct here and incorrect as well.
        rows: The file's rows that it comes from, counted from 1.
        against: The rows in which the answer is an incorrect one.
        id: Its id in the pool; None in a preview.
    """

    query: str
    answer: str
    rows: tuple[int, ...]
    against: tuple[int, ...]
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Oddity:
    """Demonstrations that are odd in the same way, in the order of the file."""

    kind: OddKind
    sentence: str
    demonstrations: tuple[OddRow, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """Their ids in the pool, as far as they are known."""
        return tuple(row.id for row in self.demonstrations if row.id is not None)

    def with_ids(self, ids: Sequence[int | None]) -> "Oddity":
        """The same with an id for each demonstration."""
        pairs = zip(self.demonstrations, ids, strict=True)
        return replace(self, demonstrations=tuple(replace(row, id=id) for row, id in pairs))


class RowBook:
    """Which rows of the file say that a text is a correct or an incorrect answer of a query."""

    def __init__(self) -> None:
        self._correct: dict[tuple[str, str], list[int]] = {}
        self._incorrect: dict[tuple[str, str], list[int]] = {}

    def note(
        self, number: int, query: str, answers: Sequence[str], incorrect: Sequence[str]
    ) -> None:
        """Note what row `number` says of a normalised query."""
        for texts, book in ((answers, self._correct), (incorrect, self._incorrect)):
            for text in dict.fromkeys(texts):
                book.setdefault((query, text), []).append(number)

    def oddities(self, drafts: Mapping[tuple[str, str], Draft]) -> Iterator[Oddity]:
        """What is odd about the drafts, which stand by normalised query and answer."""
        own = {key for key, draft in drafts.items() if draft.answer in draft.incorrect}
        # A row's incorrect answers are those of all its answers: what is left is another row.
        elsewhere = {key for key in drafts if key not in own and key in self._incorrect}
        for kind, keys in ((OddKind.OWN_INCORRECT, own), (OddKind.CONTRADICTION, elsewhere)):
            rows = tuple(self._odd_row(key, draft) for key, draft in drafts.items() if key in keys)
            if rows:
                yield Oddity(kind, SENTENCES[kind].format(f"{len(rows):,}"), rows)

    def _odd_row(self, key: tuple[str, str], draft: Draft) -> OddRow:
        return OddRow(
            draft.query,
            draft.answer,
            tuple(self._correct.get(key, ())),
            tuple(self._incorrect.get(key, ())),
        )
