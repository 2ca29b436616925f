"""What gives the answer of an evaluation example away under another query."""

from collections.abc import Iterator

from scipy.cluster.hierarchy import DisjointSet

from ..finding import Check, Fault, PoolContents


def find(checked: PoolContents) -> Iterator[Fault]:
    """Groups of demonstrations of several queries that share an answer, or are much the same.

    An answer that many queries share is a label and no leak (`answer_index.LABEL_RULE`).
    """
    groups = DisjointSet(range(len(checked.rows)))
    labels = checked.view.answer_index.labels
    first: dict[str, int] = {}
    connected: set[int] = set()
    for place, answer in enumerate(checked.answers):
        if labels[place]:
            continue
        other = first.setdefault(answer, place)
        if checked.view.groups[other] != checked.view.groups[place]:
            groups.merge(place, other)
            connected |= {place, other}
    for one, other, _ in checked.queries_side_by_side():
        if one != other:
            ours, theirs = checked.of_group[one], checked.of_group[other]
            for place in (*ours, *theirs):
                groups.merge(ours[0], place)
            connected |= {*ours, *theirs}
    seen: set[int] = set()
    for place in sorted(connected):
        root = groups[place]
        if root not in seen:
            seen.add(root)
            members = sorted(groups.subset(root))
            queries = {int(checked.view.groups[member]) for member in members}
            yield Fault(tuple(members), float(len(queries)), checked.rows[place].answer)


CHECK = Check(
    "leak",
    "Leaks between queries",
    "Demonstrations of several queries give the same answer, or their queries are much the same. "
    "As evaluation examples they see their own answer in the context. Leave leaks out of "
    "evaluation, or merge what asks the same.",
    "queries that leak into one another",
    find,
)
