"""Answers that are correct in one demonstration and incorrect in another of the same query."""

from collections.abc import Iterator

from ..finding import Check, Fault, PoolContents


def find(checked: PoolContents) -> Iterator[Fault]:
    """Each answer of a query, or of one that is much the same, that another one calls incorrect.

    What a demonstration says against itself is another finding (`own_incorrect`).
    """
    seen: set[tuple[int, ...]] = set()
    for one, other, similarity in checked.queries_side_by_side(by_words=True):
        of_both = sorted({*checked.of_group[one], *checked.of_group[other]})
        wrong: dict[str, list[int]] = {}
        for place in of_both:
            for answer in checked.incorrect[place]:
                wrong.setdefault(answer, []).append(place)
        for answer in dict.fromkeys(checked.answers[place] for place in of_both):
            if answer not in wrong:
                continue
            correct = [
                place
                for place in of_both
                if checked.answers[place] == answer and answer not in checked.incorrect[place]
            ]
            against = [place for place in wrong[answer] if checked.answers[place] != answer]
            if correct and against and (one == other or _differ(checked, correct, against)):
                places = tuple(sorted((*correct, *against)))
                if places not in seen:  # two that contradict each other are one finding
                    seen.add(places)
                    yield Fault(places, similarity, checked.rows[correct[0]].answer)


def _differ(checked: PoolContents, correct: list[int], against: list[int]) -> bool:
    """Whether two queries are needed for it; else each of them has the finding of its own."""
    groups = checked.view.groups
    return not {int(groups[at]) for at in correct} & {int(groups[at]) for at in against}


CHECK = Check(
    "contradiction",
    "Contradictions",
    "An answer is correct in one demonstration and incorrect in another one of the same query, or "
    "of a query with much the same words. Decide which of them is right, and edit the other.",
    "similarity of the two queries; 1 for the same query",
    find,
)
