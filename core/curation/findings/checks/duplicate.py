"""Demonstrations that are the same but for case, punctuation, the order or a slip of letters."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum, log

from scipy.cluster.hierarchy import DisjointSet

from ....demonstration.demonstration import Demonstration
from ....retrieval.wording import Wording, same_words
from ..finding import Check, Fault, PoolContents, texts_of
from .encoding import is_damaged
from .escaped import repair_of

RULE = (
    "The one that stays has no damaged or escaped letters and no spaces around its texts; then the "
    "spelling that others share, words that are in the most demonstrations of the pool; then the "
    "most incorrect answers; then it is the first."
)
"""Each decides where what comes before it is equal."""


def best_spelled_first(
    rows: Sequence[Demonstration], words: Mapping[str, int]
) -> list[Demonstration]:
    """A group of duplicates, in the order in which they are to stay (`RULE`).

    Args:
        rows: The group, in the order of the pool.
        words: In how many demonstrations of the pool, these among them, each word is.
    """

    def rank(row: Demonstration) -> tuple[bool, bool, float, int]:
        repair = repair_of(row)
        damaged = any(is_damaged(text) or repair(text) != text for text in texts_of(row))
        spaces = any(text != text.strip() for text in (row.query, row.answer))
        own = words_of(row)
        shared = fsum(log(words.get(word, 1)) for word in own) / max(len(own), 1)
        return damaged, spaces, -shared, -len(row.incorrect)

    return sorted(rows, key=rank)


def words_of(row: Demonstration) -> set[str]:
    """The words of a demonstration as they are spelled, between spaces."""
    return {*row.query.split(), *row.answer.split()}


def find(checked: PoolContents) -> Iterator[Fault]:
    """Groups of demonstrations whose queries and answers are both much the same.

    A group is what is connected by such pairs; its measure is the similarity of the least
    similar of them, of a pair the smaller of query and answer.
    """
    wordings = {answer: Wording.of(answer) for answer in dict.fromkeys(checked.answers)}
    groups = DisjointSet(range(len(checked.rows)))
    least: dict[tuple[int, int], float] = {}
    for one, other, similarity in checked.queries_side_by_side():
        for a in checked.of_group[one]:
            for b in checked.of_group[other]:
                if a >= b and one == other:
                    continue
                answers = same_words(
                    wordings[checked.answers[a]], wordings[checked.answers[b]], in_order=True
                )
                if answers >= checked.threshold:
                    groups.merge(a, b)
                    least[min(a, b), max(a, b)] = min(similarity, answers)
    measures: dict[int, float] = {}
    for (a, _), value in least.items():
        root = groups[a]
        measures[root] = min(measures.get(root, 1.0), value)
    for root, measure in measures.items():
        yield Fault(tuple(sorted(groups.subset(root))), measure)


CHECK = Check(
    "duplicate",
    "Duplicates",
    "Query and answer are much the same: but for case, punctuation, the order of words, a slip of "
    "the pen, or other words of the same meaning in the query. A context that has both wastes a "
    "place. Merge them into one.",
    "similarity of query and answer, whichever is less",
    find,
)
