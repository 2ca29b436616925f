"""What looks odd in a file and is kept all the same: counted, and named row by row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..text import normalised
from ..types import Demonstration, Draft


class OddKind(StrEnum):
    """What is odd about a demonstration."""

    OWN_INCORRECT = "own incorrect answer"
    """Its answer is also among its own incorrect answers."""
    CONTRADICTION = "contradiction"
    """Its answer is an incorrect one in another row of the same query."""
    POOL_CONTRADICTION = "contradiction with the pool"
    """The file and the pool differ on whether its answer is correct."""


SENTENCES = {
    OddKind.OWN_INCORRECT: (
        "Answers that are also among their own incorrect answers: {}; they were kept, look at them."
    ),
    OddKind.CONTRADICTION: (
        "Answers that are correct in one row and incorrect in another of the same query: {}; both "
        "were kept as they are, look at them."
    ),
    OddKind.POOL_CONTRADICTION: (
        "Answers on which this file and what the pool had before differ, correct in one and "
        "incorrect in the other for the same query: {}; both were kept as they are, look at them."
    ),
}


@dataclass(frozen=True, slots=True)
class OddRow:
    """A demonstration that is odd.

    Attributes:
        query: Its query.
        answer: Its answer, which is correct here and incorrect as well.
        rows: The file's rows that it comes from, counted from 1; none for one of the pool's.
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
        own = {
            key
            for key, draft in drafts.items()
            if any(wrong.text == draft.answer for wrong in draft.incorrect)
        }
        # A row's incorrect answers are those of all its answers: what is left is another row.
        elsewhere = {key for key in drafts if key not in own and key in self._incorrect}
        for kind, keys in ((OddKind.OWN_INCORRECT, own), (OddKind.CONTRADICTION, elsewhere)):
            rows = tuple(self._odd_row(key, draft) for key, draft in drafts.items() if key in keys)
            if rows:
                yield Oddity(kind, SENTENCES[kind].format(f"{len(rows):,}"), rows)

    def against_pool(
        self, drafts: Sequence[Draft], pool: Sequence[Demonstration]
    ) -> Iterator[Oddity]:
        """On what the file and the pool differ; of each pair one stands in the file alone.

        Args:
            drafts: The file's demonstrations.
            pool: The pool's after the import, the file's included.
        """
        keys = {(normalised(draft.query), draft.answer): draft for draft in drafts}
        queries = {query for query, _ in keys}
        others = [
            ((query, each.answer), each)
            for each in pool
            if (query := normalised(each.query)) in queries and (query, each.answer) not in keys
        ]
        incorrect = {(query, wrong.text) for (query, _), each in others for wrong in each.incorrect}
        rows = [self._odd_row(key, draft) for key, draft in keys.items() if key in incorrect]
        rows += [self._odd_row(key, each) for key, each in others if key in self._incorrect]
        if rows:
            kind = OddKind.POOL_CONTRADICTION
            yield Oddity(kind, SENTENCES[kind].format(f"{len(rows):,}"), tuple(rows))

    def _odd_row(self, key: tuple[str, str], draft: Draft | Demonstration) -> OddRow:
        return OddRow(
            draft.query,
            draft.answer,
            tuple(self._correct.get(key, ())),
            tuple(self._incorrect.get(key, ())),
        )
