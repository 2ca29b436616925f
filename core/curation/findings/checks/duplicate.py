"""Demonstrations that are the same but for case, punctuation, the order or a slip of letters."""

from collections.abc import Iterator

from scipy.cluster.hierarchy import DisjointSet

from ....retrieval.wording import Wording, same_words
from ..finding import Check, Fault, PoolContents


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
