"""Queries and answers without a word."""

from collections.abc import Iterator

from ....retrieval.wording import has_content
from ..finding import Check, Fault, PoolContents


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with a query or an answer that is punctuation alone."""
    for place, row in enumerate(checked.rows):
        wordless = [text for text in (row.query, row.answer) if not has_content(text)]
        if wordless:
            yield Fault((place,), float(len(wordless)), wordless[0])


CHECK = Check(
    "wordless",
    "Without a word",
    "The query or the answer is punctuation alone, so that it teaches nothing. Edit it, or "
    "exclude the demonstration.",
    "how many of the two",
    find,
)
