"""Answers that repeat their query."""

from collections.abc import Iterator

from ....retrieval.near_queries import is_classified
from ....retrieval.wording import Wording
from ..finding import Check, Fault, PoolContents


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations whose answer has the words of the query in their order, and no others.

    Where answers are labels, a text may be its own label.
    """
    if is_classified(checked.view.answer_index):
        return
    for place, row in enumerate(checked.rows):
        short, long = sorted((len(row.query), len(row.answer)))
        if long > 2 * short:  # read without looking for words: a pool has many of these
            continue
        query = Wording.of(row.query)
        if query.words and query == Wording.of(row.answer):
            yield Fault((place,), 1.0, row.answer)


CHECK = Check(
    "repeated-query",
    "Answers that repeat their query",
    "The answer has the words of its query in their order and no others, but for case and "
    "punctuation, so that it teaches to repeat. Edit it, or exclude the demonstration.",
    "always 1",
    find,
)
