"""A finding, the check that makes it, and what the checks look at."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...demonstration.demonstration import Demonstration
from ...retrieval.pool_view import PoolView
from ...retrieval.retrieved import RetrievalCounts
from ...text import content_hash, normalised, same_text
from ...types import FloatArray
from .near import NearTexts

Repair = Callable[[str], str]
"""Writes a text as it should be; a good one as it is."""
_LONGER = re.compile(r"[^\W\d_]{3}")
_CASELESS = {"no", "ok", "on", "up", "ja", "oh", "da", "да", "не", "sí"}
"""Words of two letters that are answers, and mean the same in capitals."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PoolContents:
    """The included demonstrations of a pool.

    Attributes:
        rows: The demonstrations, in the order of the view.
        view: The same as arrays.
        near: The distinct queries (`view.groups`) that are much the same, pair by pair.
        retrieved: How often each is retrieved; None where that is not counted.
        threshold: From which similarity on two texts are much the same, in [0, 1].
        encode: The unit rows of any texts, by the encoder of the view.
    """

    rows: Sequence[Demonstration]
    view: PoolView
    near: NearTexts
    retrieved: RetrievalCounts | None
    threshold: float
    encode: Callable[[Sequence[str]], FloatArray]

    @cached_property
    def of_group(self) -> dict[int, list[int]]:
        """The positions of the demonstrations of each normalised query, by its number."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for place, group in enumerate(self.view.groups.tolist()):
            found[group].append(place)
        return dict(found)

    @property
    def distance_to_nearest(self) -> FloatArray:
        """Of each query, by its number, 1 - cosine with the nearest other one, in [0, 2]."""
        return 1.0 - self.near.nearest

    @cached_property
    def answers(self) -> list[str]:
        """Each answer as it is compared."""
        return [compared(row.answer) for row in self.rows]

    @cached_property
    def incorrect(self) -> list[set[str]]:
        """The incorrect answers of each demonstration as they are compared."""
        return [{compared(each.text) for each in row.incorrect} for row in self.rows]

    def queries_side_by_side(self, *, by_words: bool = False) -> Iterator[tuple[int, int, float]]:
        """Pairs of query numbers to compare demonstrations of, with their similarity.

        Every query with itself at 1, then those that are much the same.

        Args:
            by_words: In their words and the order of these. Else their meaning, by the embeddings,
                or their words in another order, are enough; either may be another question.
        """
        for group in self.of_group:
            yield group, group, 1.0
        similarity = self.near.in_order if by_words else self.near.similarity
        near = similarity >= self.threshold
        for (one, other), value in zip(
            self.near.pairs[near].tolist(), similarity[near], strict=True
        ):
            yield one, other, float(value)


def compared(answer: str) -> str:
    """An answer by the loose fold (`text.normalised`), without a full stop at its end.

    No more of its punctuation: "C++" and "C" are two answers, and so are "-5" and "5". Its case is
    kept where it has no longer word: "Bb" and "BB" are two answers as well, but "no" and "NO" are
    one.
    """
    folded = normalised(answer).removesuffix(".")
    if folded in _CASELESS or _LONGER.search(answer):
        return folded
    return same_text(answer).removesuffix(".")


def texts_of(row: Demonstration) -> list[str]:
    """Every text of a demonstration that is repaired: query, answer, incorrect answers, tags."""
    return [row.query, row.answer, *(each.text for each in row.incorrect), *row.tags]


def repairable(
    checked: "PoolContents", repair_of: Callable[[Demonstration], Repair]
) -> Iterator["Fault"]:
    """The demonstrations with texts that a repair changes, each with the first as it should be."""
    for place, row in enumerate(checked.rows):
        repair = repair_of(row)
        shown = [other for text in texts_of(row) if (other := repair(text)) != text]
        if shown:
            yield Fault((place,), float(len(shown)), shown[0])


@dataclass(frozen=True)
class Finding:
    """A fault of one or several demonstrations of a pool.

    Attributes:
        check: The name of the check that found it.
        ids: The demonstrations that it is about, in the order of the pool.
        measure: How grave it is among the findings of its check; more is worse.
        text: What is at issue where that is a text: the answer that is contradicted, the text
            with its encoding repaired; else empty.
        key: The name of the check, and what identifies the fault by the texts of its
            demonstrations and not by their ids, so that it is the same after an export, an import
            and a restart.
    """

    check: str
    ids: tuple[int, ...]
    measure: float
    text: str
    key: str


@dataclass(frozen=True)
class Check:
    """One kind of fault.

    Attributes:
        name: Its name in links, on the command line and in JSON.
        label: What it finds, as a heading.
        explanation: What that is, how it is found, and what can be done, in sentences.
        measure: What `Finding.measure` is, with its unit.
        find: The findings among what is checked, in any order.
    """

    name: str
    label: str
    explanation: str
    measure: str
    find: Callable[[PoolContents], Iterable["Fault"]]


@dataclass(frozen=True)
class Fault:
    """What a check finds: positions of demonstrations, how grave it is, the text at issue."""

    positions: tuple[int, ...]
    measure: float
    text: str = ""


def finding_of(check: Check, checked: PoolContents, found: Fault) -> Finding:
    """The finding with the ids of its demonstrations and its key."""
    positions = sorted(found.positions)
    rows = [checked.rows[place] for place in positions]
    hashes = sorted(content_hash(row.query, row.answer) for row in rows)
    return Finding(
        check.name,
        tuple(row.id for row in rows),
        found.measure,
        found.text,
        f"{check.name} {content_hash(*hashes)[:16]}",
    )
