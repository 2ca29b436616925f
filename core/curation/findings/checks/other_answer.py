"""Queries that are much the same and whose answers are not."""

from collections.abc import Iterator

from ....retrieval.wording import Wording, same_words
from ..finding import Check, Fault, PoolContents

SIMILAR = 0.6
"""Answers that have so much of their letters in common may be the same one in other words."""
SHORT = 5
"""Answers of more words can often all be right: only among short ones is another one a fault."""


def find(checked: PoolContents) -> Iterator[Fault]:
    """The pairs of queries that share no answer, nor one that is similar."""
    wordings: dict[str, Wording] = {}
    for one, other, similarity in checked.queries_side_by_side(by_words=True):
        if one == other:
            continue
        ours, theirs = (
            [
                wordings.setdefault(checked.answers[at], Wording.of(checked.answers[at]))
                for at in places
            ]
            for places in (checked.of_group[one], checked.of_group[other])
        )
        if any(len(answer.words) > SHORT for answer in (*ours, *theirs)):
            continue
        if all(same_words(a, b) < SIMILAR for a in ours for b in theirs):
            yield Fault((*checked.of_group[one], *checked.of_group[other]), similarity)


CHECK = Check(
    "other-answer",
    "Near-same queries with different answers",
    "Two queries have much the same words, and their short answers have little in common. One of "
    "them may be wrong, or the queries differ in the one word that counts.",
    "similarity of the two queries",
    find,
)
