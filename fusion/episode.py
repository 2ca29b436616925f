"""What a reader is trained on and asked: a query, its evidence, its answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Episode:
    """A query with the evidence to read, and the correct answer.

    Attributes:
        query: The text to answer.
        evidence: Texts to read, each encoded alone with the query; none leaves the query alone.
        answer: The correct answer.
        labels: All texts among which the answer is to be found, the answer among them; none where
            an answer is any text.
    """

    query: str
    evidence: tuple[str, ...]
    answer: str
    labels: tuple[str, ...] = ()
