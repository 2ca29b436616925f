"""A finding, and the check that makes it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...text import content_hash
from .checked import Checked


@dataclass(frozen=True)
class Finding:
    """A fault of one or several demonstrations of a pool.

    Attributes:
        check: The name of the check that found it.
        ids: The demonstrations that it is about, in the order of the pool.
        measure: How grave it is among the findings of its check; more is worse.
        text: What is at issue where that is a text: the answer that is contradicted, the text
            with its encoding repaired; else empty.
        key: The name of the check, and what identifies the fault by the texts of its
            demonstrations and not by their ids, so that it is the same after an export, an import
            and a restart.
    """

    check: str
    ids: tuple[int, ...]
    measure: float
    text: str
    key: str


@dataclass(frozen=True)
class Check:
    """One kind of fault.

    Attributes:
        name: Its name in links, on the command line and in JSON.
        label: What it finds, as a heading.
        explanation: What that is, how it is found, and what can be done, in sentences.
        measure: What `Finding.measure` is, with its unit.
        find: The findings among what is checked, in any order.
    """

    name: str
    label: str
    explanation: str
    measure: str
    find: Callable[[Checked], Iterable["Found"]]


@dataclass(frozen=True)
class Found:
    """What a check finds: positions of demonstrations, how grave it is, the text at issue."""

    positions: tuple[int, ...]
    measure: float
    text: str = ""


def finding_of(check: Check, checked: Checked, found: Found) -> Finding:
    """The finding with the ids of its demonstrations and its key."""
    positions = sorted(found.positions)
    rows = [checked.rows[place] for place in positions]
    hashes = sorted(content_hash(row.query, row.answer) for row in rows)
    return Finding(
        check.name,
        tuple(row.id for row in rows),
        found.measure,
        found.text,
        f"{check.name} {content_hash(*hashes)[:16]}",
    )
