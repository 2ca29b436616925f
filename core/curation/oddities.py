"""What looks odd in a file but is kept: counted, and named row by row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ..demonstration.demonstration import Demonstration, Draft
from ..retrieval.near_queries import AnswerIndex, labels_of
from ..text import normalised, same_text


class OddKind(StrEnum):
    """What is odd about a demonstration."""

    OWN_INCORRECT = "own incorrect answer"
    """Its answer is also among its own incorrect answers, in whatever spelling."""
    CONTRADICTION = "contradiction"
    """Its answer is an incorrect one in another row of the same query, in whatever spelling."""
    LOOSELY_EQUAL = "loosely equal query"
    """Its query differs from another that `text.normalised` makes equal to it; of each such query
    the first demonstration is named."""
    OTHER_LABEL = "other label"
    """In a classification set (`answer_index.labels_of`) its query has another label elsewhere."""
    POOL_CONTRADICTION = "contradiction with the pool"
    """The file and the pool differ on whether its answer is correct."""
    POOL_LOOSELY_EQUAL = "query loosely equal to one of the pool"
    """As `LOOSELY_EQUAL`, with one of the two in the file and the other only in the pool."""

    POOL_OTHER_LABEL = "other label in the pool"
    """As `OTHER_LABEL`, with one of the two in the file and the other only in the pool."""

    @property
    def against(self) -> str:
        """What `OddRow.against` lists, as the beginning of a heading that ends with "row"."""
        if self in _ABOUT_LABELS:
            return "other label in"
        return "incorrect in" if self in _ABOUT_ANSWERS else "resembles"


_ABOUT_ANSWERS = (OddKind.OWN_INCORRECT, OddKind.CONTRADICTION, OddKind.POOL_CONTRADICTION)
_ABOUT_LABELS = (OddKind.OTHER_LABEL, OddKind.POOL_OTHER_LABEL)

SENTENCES = {
    OddKind.OWN_INCORRECT: (
        "Answers that are also among their own incorrect answers: {}; they were kept, look at them."
    ),
    OddKind.CONTRADICTION: (
        "Answers that are correct in one row and incorrect in another of the same query: {}; both "
        "were kept as they are, look at them."
    ),
    OddKind.LOOSELY_EQUAL: (
        "Queries that differ from another one only in case, white space or the form of letters and "
        "digits, as Co and CO do: {}; they were kept as different queries, look at them."
    ),
    OddKind.POOL_CONTRADICTION: (
        "Answers on which this file and what the pool had before differ, correct in one and "
        "incorrect in the other for the same query: {}; both were kept as they are, look at them."
    ),
    OddKind.POOL_LOOSELY_EQUAL: (
        "Queries of this file and of what the pool had before that differ only in case, white "
        "space or the form of letters and digits: {}; they were kept as different queries, look "
        "at them."
    ),
    OddKind.OTHER_LABEL: (
        "Labels of texts that have another label in another row: {}; all were kept, so that each "
        "counts as correct, look at them."
    ),
    OddKind.POOL_OTHER_LABEL: (
        "Labels of texts to which this file and what the pool had before give different ones: {}; "
        "all were kept, so that each counts as correct, look at them."
    ),
}
SPELLED = "{}, {} of them in another spelling, which evaluation does not count as incorrect"


@dataclass(frozen=True, slots=True)
class OddRow:
    """A demonstration that is odd.

    Attributes:
        query: Its query.
        answer: Its answer, which is correct here; where the answer is odd, incorrect as well.
        rows: The file's rows that it comes from, counted from 1; none for one of the pool's.
        against: The rows in which the answer is an incorrect one, that ask much the same query, or
            that give it another label.
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


_Key: TypeAlias = tuple[str, str]
"""A query and an answer of it, folded for comparing."""


_Row: TypeAlias = tuple[int, str, tuple[str, ...], tuple[str, ...]]
"""A row's number, its query by the narrow fold, its answers and its incorrect answers."""


class _Mention(NamedTuple):
    """A row that names an incorrect answer, and the narrow fold of its text."""

    row: int
    text: str


class RowBook:
    """The rows of the file that name a text as a correct or an incorrect answer of a query.

    The keys are queries and correct answers by the narrow fold (`text.same_text`). Incorrect
    answers are compared with them by the loose one (`text.normalised`), as leaks are.
    """

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def note(
        self, number: int, query: str, answers: Sequence[str], incorrect: Sequence[str]
    ) -> None:
        """Note the answers in row `number` of a query, given by its narrow fold."""
        # Plain tuples of texts: what is gathered for every row must cost the garbage collector
        # nothing. Few files have oddities, and only for these are the rows sorted.
        self._rows.append((number, query, tuple(answers), tuple(incorrect)))

    @cached_property
    def _wrong(self) -> set[_Key]:
        """The queries and incorrect answers of all rows."""
        return {(query, normalised(text)) for _, query, _, texts in self._rows for text in texts}

    @cached_property
    def _correct(self) -> dict[_Key, list[int]]:
        """The rows of each correct answer."""
        found: dict[_Key, list[int]] = {}
        for number, query, answers, _ in self._rows:
            for answer in dict.fromkeys(map(same_text, answers)):
                found.setdefault((query, answer), []).append(number)
        return found

    @cached_property
    def _incorrect(self) -> dict[_Key, list[_Mention]]:
        """The rows of each incorrect answer."""
        found: dict[_Key, list[_Mention]] = {}
        for number, query, _, incorrect in self._rows:
            for text in incorrect:
                mention = _Mention(number, same_text(text))
                found.setdefault((query, normalised(text)), []).append(mention)
        return found

    def oddities(self, drafts: Mapping[_Key, Draft]) -> Iterator[Oddity]:
        """What is odd about the drafts, given by the narrow folds of query and answer."""
        own, elsewhere = {}, {}
        for key, draft in drafts.items() if self._wrong else ():
            if _loose(key) not in self._wrong:
                continue
            rows = set(self._correct.get(key, ()))
            mentions = self._mentions(key)
            # A row's incorrect answers are those of all its answers.
            if within := [each for each in mentions if each.row in rows]:
                own[key] = (draft, within)
            elif mentions:
                elsewhere[key] = (draft, mentions)
        for kind, found in ((OddKind.OWN_INCORRECT, own), (OddKind.CONTRADICTION, elsewhere)):
            if found:
                spelled = sum(
                    all(each.text != answer for each in mentions)
                    for (_, answer), (_, mentions) in found.items()
                )
                rows_of = [self._odd_row(key, draft) for key, (draft, _) in found.items()]
                yield _oddity(kind, rows_of, spelled)
        yield from self._loosely_equal(OddKind.LOOSELY_EQUAL, drafts.items())
        yield from self._labelled_twice(drafts)

    def against_pool(
        self, drafts: Sequence[Draft], pool: Sequence[Demonstration]
    ) -> Iterator[Oddity]:
        """What the file and the pool differ on; of each pair one is only in the file.

        Args:
            drafts: The file's demonstrations.
            pool: The pool's after the import, the file's included.
        """
        keys = {_key(draft): draft for draft in drafts}
        queries = {query for query, _ in keys}
        others = [(key, each) for each in pool if (key := _key(each)) not in keys]
        same = [(key, each) for key, each in others if key[0] in queries]
        incorrect = {
            (query, normalised(wrong.text)) for (query, _), each in same for wrong in each.incorrect
        }
        rows = [
            self._odd_row(key, draft) for key, draft in keys.items() if _loose(key) in incorrect
        ]
        rows += [self._odd_row(key, each) for key, each in same if _loose(key) in self._wrong]
        if rows:
            yield _oddity(OddKind.POOL_CONTRADICTION, rows)
        strange = {normalised(query) for query in {key[0] for key, _ in others} - queries}
        file = [(key, draft) for key, draft in keys.items() if normalised(key[0]) in strange]
        in_file = {normalised(key[0]) for key, _ in file}
        there = [
            (key, each)
            for key, each in others
            if key[0] not in queries and normalised(key[0]) in in_file
        ]
        yield from self._loosely_equal(OddKind.POOL_LOOSELY_EQUAL, [*file, *there])
        if same and _is_classified(map(_key, pool)):
            of_both = {key[0] for key, _ in same}
            rows = [self._odd_row(key, draft) for key, draft in keys.items() if key[0] in of_both]
            rows += [self._odd_row(key, each) for key, each in same]
            yield _oddity(OddKind.POOL_OTHER_LABEL, rows)

    def _labelled_twice(self, drafts: Mapping[_Key, Draft]) -> Iterator[Oddity]:
        """The labels of queries that other rows give other labels, where answers are labels."""
        answers: dict[str, list[str]] = {}
        for query, answer in drafts:
            answers.setdefault(query, []).append(answer)
        odd = []
        for query, several in answers.items():
            for answer in several if len(several) > 1 else ():
                own = tuple(self._correct[query, answer])
                other = {row for each in several for row in self._correct[query, each]}
                if against := tuple(sorted(other - set(own))):
                    draft = drafts[query, answer]
                    odd.append(OddRow(draft.query, draft.answer, own, against))
        if odd and _is_classified(drafts):
            yield _oddity(OddKind.OTHER_LABEL, odd)

    def _loosely_equal(
        self, kind: OddKind, found: Iterable[tuple[_Key, Draft | Demonstration]]
    ) -> Iterator[Oddity]:
        """The queries that read like another one, each with its first demonstration and rows."""
        every = list(found)
        by_fold: dict[str, list[str]] = {}
        for query in dict.fromkeys(query for (query, _), _ in every):
            by_fold.setdefault(normalised(query), []).append(query)
        groups = [queries for queries in by_fold.values() if len(queries) > 1]
        wanted = {query for queries in groups for query in queries}
        first: dict[str, Draft | Demonstration] = {}
        rows_of: dict[str, set[int]] = {}
        for key, each in every if wanted else ():
            if key[0] in wanted:
                first.setdefault(key[0], each)
                rows_of.setdefault(key[0], set()).update(self._correct.get(key, ()))
        odd = []
        for queries in groups:
            for query in queries:
                against = {row for other in queries if other != query for row in rows_of[other]}
                own, each = tuple(sorted(rows_of[query])), first[query]
                odd.append(OddRow(each.query, each.answer, own, tuple(sorted(against))))
        if odd:
            yield _oddity(kind, odd)

    def _mentions(self, key: _Key) -> list[_Mention]:
        """The rows that name the answer as an incorrect one of the query."""
        return self._incorrect.get(_loose(key), [])

    def _odd_row(self, key: _Key, draft: Draft | Demonstration) -> OddRow:
        return OddRow(
            draft.query,
            draft.answer,
            tuple(self._correct.get(key, ())),
            tuple(dict.fromkeys(each.row for each in self._mentions(key))),
        )


def _oddity(kind: OddKind, rows: Sequence[OddRow], spelled: int = 0) -> Oddity:
    count = f"{len(rows):,}"
    if spelled:
        count = SPELLED.format(count, "all" if spelled == len(rows) else f"{spelled:,}")
    return Oddity(kind, SENTENCES[kind].format(count), tuple(rows))


def _is_classified(keys: Iterable[_Key]) -> bool:
    """Whether nearly all the answers are labels that many of the queries share."""
    pairs = list(keys)
    answers = [answer for _, answer in pairs]
    index = AnswerIndex.of_texts(answers, [query for query, _ in pairs])
    return bool(labels_of(answers, index))


def _key(draft: Draft | Demonstration) -> _Key:
    return same_text(draft.query), same_text(draft.answer)


def _loose(key: _Key) -> _Key:
    """The key for incorrect answers."""
    query, answer = key
    return query, normalised(answer)
