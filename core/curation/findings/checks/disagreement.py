"""Correct answers of one query that do not say the same."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self, TypeAlias

from ....retrieval.near_queries import is_classified
from ....retrieval.wording import Wording, same_words
from ....text import cut, normalised
from ..finding import Check, Fault, PoolContents
from ..quantities import Quantity, quantities_of
from .other_answer import SHORT, SIMILAR
from .placeholder import is_placeholder

MOST = 40
"""Each answer of a query is compared with the first so many of them."""
OPPOSED, UNEQUAL = 3.0, 2.0
"""How grave it is that one answer denies the other, and that their numbers differ."""
SHARED = 0.5
"""Numbers in sentences are compared where these share so much of their other words."""
UNLIKE = 0.2
"""Short answers with a smaller cosine have little in common."""

_POLARITY = re.compile(
    r"(?:(?P<yes>yes|yep|yeah|true|correct|ja|oui|sí|да)|(?P<no>no|nope|false|incorrect|nein|non|"
    r"нет))(?=\W*$|\s*[,.;:!–—(]|\s-\s|\s+(?:it|this|that|they|you|we|he|she|there|i)\b)"
)
_NEGATION = re.compile(r"\b(?:not|never)\b|(?<=can)not\b|n['’]t\b")
_AUXILIARY = {"do", "does", "did", "ca", "can"}
"""What a negation needs, or leaves behind: "they bite" and "they do not bite", "ca" of "can't"."""
_PARTS = {"each", "every", "per", "pair", "pairs", "dozen", "dozens", "half"}
"""With one of these words another number may say the same: 24 ribs are 12 pairs."""


class _Answer(NamedTuple):
    """An answer as it is compared with others.

    Attributes:
        place: The position of its demonstration.
        text: The answer as it is written.
        label: Whether many queries have it, as "I have no comment".
        polarity: What it begins with: "yes", "no", or "" for something else.
        negated: Whether it has a negation more than pairs of them.
        wording: Its words.
        others: Its words without negations and numbers.
        quantities: What its numbers say.
    """

    place: int
    text: str
    label: bool
    polarity: str
    negated: bool
    wording: Wording
    others: frozenset[str]
    quantities: dict[str, list[Quantity]]

    @classmethod
    def of(cls, place: int, text: str, label: bool) -> Self:
        folded = normalised(text)
        begins = _POLARITY.match(folded)
        plain, negations = _NEGATION.subn(" ", folded)
        words = (word for word in Wording.of(plain).words if not any(map(str.isdigit, word)))
        return cls(
            place,
            text,
            label,
            (begins.lastgroup or "") if begins else "",
            negations % 2 == 1,
            Wording.of(text),
            frozenset(words) - _AUXILIARY,
            quantities_of(text),
        )


_Pair: TypeAlias = tuple[_Answer, _Answer]


class _Difference(NamedTuple):
    """How grave it is that two answers do not say the same, and what differs."""

    measure: float
    what: str
    pair: _Pair


def find(checked: PoolContents) -> Iterator[Fault]:
    """Of each query with such answers the gravest difference, with all that have one as grave."""
    classified = is_classified(checked.view.answer_index)
    labels = checked.view.answer_index.labels.tolist()
    unclear = []
    for places in checked.of_group.values():
        pairs = list(_pairs(checked, places, labels))
        differences = [found for pair in pairs if (found := _difference(pair, classified))]
        if differences:
            yield _fault(differences)
        elif any(map(_have_other_words, pairs)):
            unclear.append(pairs)
    yield from _unlike(checked, unclear)


def _pairs(checked: PoolContents, places: Sequence[int], labels: Sequence[bool]) -> Iterator[_Pair]:
    """The different answers of a query, each with the first `MOST` of those before it.

    A placeholder is a finding of its own.
    """
    first = {checked.answers[place]: place for place in reversed(places)}
    if len(first) > 1:
        first = {text: place for text, place in first.items() if not is_placeholder(text)}
    if len(first) > 1:
        answers = [
            _Answer.of(at, checked.rows[at].answer, labels[at]) for at in sorted(first.values())
        ]
        for number, other in enumerate(answers):
            yield from ((one, other) for one in answers[: min(number, MOST)])


def _difference(pair: _Pair, classified: bool) -> _Difference | None:
    one, other = pair
    if classified:
        return _Difference(OPPOSED, "two labels", pair)
    if {one.polarity, other.polarity} == {"yes", "no"}:
        return _Difference(OPPOSED, "yes against no", pair)
    if one.negated != other.negated and one.others == other.others and len(one.others) > 1:
        return _Difference(OPPOSED, "a negation", pair)
    kind = _unequal(one, other)
    return _Difference(UNEQUAL, f"unequal {kind}", pair) if kind else None


def _unequal(one: _Answer, other: _Answer) -> str:
    """What their numbers measure where none of the one agrees with one of the other; else ""."""
    both = one.others | other.others
    long = max(len(one.wording.words), len(other.wording.words)) > SHORT
    if both & _PARTS or (long and len(one.others & other.others) < SHARED * len(both)):
        return ""
    for kind, ours in one.quantities.items():
        theirs = other.quantities.get(kind)
        if theirs and not any(a.agrees(b) for a in ours for b in theirs):
            return kind
    return ""


def _have_other_words(pair: _Pair) -> bool:
    """Whether two short answers, neither a label, yes, no or a number, share no word."""
    if any(each.polarity or each.quantities or each.label for each in pair):
        return False
    ours, theirs = (each.wording for each in pair)
    return (
        max(len(ours.words), len(theirs.words)) <= SHORT
        and not set(ours.words) & set(theirs.words)
        and same_words(ours, theirs) < SIMILAR
    )


def _unlike(checked: PoolContents, queries: Sequence[Sequence[_Pair]]) -> Iterator[Fault]:
    """The queries whose answers are of two sorts that have little in common.

    Of three sorts or more they are a list, each item of which may be right.
    """
    from scipy.cluster.hierarchy import DisjointSet

    pairs = [pair for each in queries for pair in each if _have_other_words(pair)]
    texts = list(dict.fromkeys(answer.text for pair in pairs for answer in pair))
    row_of = dict(zip(texts, checked.encode(texts), strict=True)) if texts else {}
    far = {}
    for one, other in pairs:
        cosine = float(row_of[one.text] @ row_of[other.text])
        if cosine < UNLIKE:
            far[one.place, other.place] = 1.0 - max(cosine, 0.0)
    for every in queries:
        sorts = DisjointSet(dict.fromkeys(answer.place for pair in every for answer in pair))
        differences = []
        for one, other in every:
            if measure := far.get((one.place, other.place)):
                differences.append(_Difference(measure, "little in common", (one, other)))
            else:
                sorts.merge(one.place, other.place)
        if differences and sorts.n_subsets == 2:
            yield _fault(differences)


def _fault(differences: Sequence[_Difference]) -> Fault:
    worst = max(differences, key=lambda each: each.measure)
    grave = [each.pair for each in differences if each.measure == worst.measure]
    places = sorted({answer.place for pair in grave for answer in pair})
    both = " / ".join(cut(answer.text) for answer in worst.pair)
    return Fault(tuple(places), worst.measure, f"{worst.what}: {both}")


CHECK = Check(
    "disagreement",
    "Correct answers that disagree",
    "The correct answers of one query were compared with one another: one says yes and another no, "
    "or the same with a negation; their numbers, dates, durations or amounts differ; they are two "
    "labels; or short ones have little in common, neither words nor meaning. What differs is named "
    "with two of them. Edit or exclude the wrong one, or dismiss the finding if all are right.",
    "3 where one denies the other, 2 where numbers differ, else 1 - cosine",
    find,
)
