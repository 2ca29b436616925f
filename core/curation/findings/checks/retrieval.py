"""Demonstrations that no query of the pool retrieves, and those that very many do."""

from collections.abc import Iterator

from ..finding import Check, Fault, PoolContents

MANY = 0.25
"""In so large a share of all contexts a demonstration crowds out others ..."""
TIMES = 3.0
"""... if it is there so many times as often as they are on average: a small pool is in all."""


def never(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations that are in no context."""
    counted = checked.retrieved
    if counted is None or not counted.asked:
        return
    for place, count in enumerate(counted.counts.tolist()):
        if not count:
            yield Fault((place,), 0.0)


def often(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations, pinned ones apart, that are in very many contexts."""
    counted = checked.retrieved
    if counted is None or not counted.asked:
        return
    pinned = set(checked.view.pinned.tolist())
    least = max(2.0, MANY * counted.asked, TIMES * float(counted.counts.mean()))
    for place, count in enumerate(counted.counts.tolist()):
        if place not in pinned and count >= least:
            yield Fault((place,), count / counted.asked)


OFTEN = Check(
    "often-retrieved",
    "Retrieved by very many queries",
    "The demonstration is in a quarter of all contexts of the pool's own queries or more, three "
    "times as often as the average one, with the knobs in use: it may be so general that it says "
    "little about any of them.",
    "share of the contexts",
    often,
)
NEVER = Check(
    "never-retrieved",
    "Retrieved by no query",
    "The demonstration is in no context of the pool's own queries, with the knobs in use: for "
    "these queries the pool would be the same without it.",
    "always 0",
    never,
)
