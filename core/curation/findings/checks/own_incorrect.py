"""Answers that are also among their own incorrect answers."""

from collections.abc import Iterator

from ..finding import Check, Fault, PoolContents


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations whose answer is an incorrect one of theirs, whatever its case."""
    for place, answer in enumerate(checked.answers):
        if answer in checked.incorrect[place]:
            yield Fault((place,), 1.0, checked.rows[place].answer)


CHECK = Check(
    "own-incorrect",
    "Answers among their own incorrect answers",
    "The answer is correct and incorrect at once, but for its case and a full stop: no model can "
    "prefer it. Take it out of the incorrect answers, or exclude the demonstration.",
    "always 1",
    find,
)
