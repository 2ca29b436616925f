"""What is done about a pool's findings: dismiss, merge, repair; each one action with its undo."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from ...curation.findings.checks import duplicate, encoding, escaped, personal_data
from ...curation.findings.finding import Finding, Repair, compared
from ...demonstration.demonstration import Demonstration, IncorrectAnswer
from ...demonstration.fields import PLAIN, merged
from ...errors import InvalidInput
from ...store import Change
from ...text import counted, normalised
from ..session.studio import Studio
from .demonstrations import bulk
from .findings import PoolFindings

REPAIRS: dict[str, Callable[[Demonstration], Repair]] = {
    encoding.CHECK.name: lambda row: encoding.repair,
    escaped.CHECK.name: escaped.repair_of,
    personal_data.CHECK.name: lambda row: personal_data.mask,
}
"""What writes the texts of a demonstration as they should be, by the check that finds it."""


class Stays(StrEnum):
    """Which demonstration of a group of duplicates stays."""

    BEST_SPELLED = "spelling"
    """By `duplicate.RULE`."""
    FIRST = "first"
    LAST = "last"


def dismissed_keys(studio: Studio, pool: str) -> frozenset[str]:
    """The keys of the pool's dismissed findings."""
    return studio.store.demonstrations.dismissed(studio.store.pools.get(pool).id)


def dismiss(studio: Studio, findings: Sequence[Finding]) -> int:
    """Note that these are no faults: their demonstrations keep that, also in another workspace.

    Returns:
        The number of the action, which can be undone.

    Raises:
        InvalidInput: All of them are dismissed already, or their demonstrations are deleted.
    """
    keys = _keys_of(findings)

    def change(row: Demonstration) -> Change:
        dismissed = tuple(dict.fromkeys((*row.dismissed, *keys[row.id])))
        return Change(row.id, row.revision, dismissed=dismissed)

    return bulk(studio, list(keys), f"dismissed {counted(len(findings), 'finding')}", change)


def restore(studio: Studio, findings: Sequence[Finding]) -> int:
    """Take the dismissal of these findings back.

    Raises:
        InvalidInput: None of them is dismissed, or their demonstrations are deleted.
    """
    keys = _keys_of(findings)

    def change(row: Demonstration) -> Change:
        kept = tuple(key for key in row.dismissed if key not in keys[row.id])
        return Change(row.id, row.revision, dismissed=kept)

    return bulk(studio, list(keys), f"restored {counted(len(findings), 'finding')}", change)


def in_order(found: PoolFindings, finding: Finding, stays: Stays) -> tuple[int, ...]:
    """The ids of a group of duplicates, the one that stays first."""
    if stays is not Stays.BEST_SPELLED:
        return finding.ids[:: 1 if stays is Stays.FIRST else -1]
    rows = [found.rows[id] for id in finding.ids]
    return tuple(row.id for row in duplicate.best_spelled_first(rows, found.words))


def merge(studio: Studio, groups: Sequence[Sequence[int]]) -> int:
    """Make one demonstration of each group of them.

    The first that is still there stays; it gets the incorrect answers, tags and other fields of the
    others, which are deleted, and is the best answer where one of them was that of its query.

    Raises:
        InvalidInput: None of the groups has two demonstrations that are still there.
    """
    rows = studio.store.demonstrations.present([id for group in groups for id in group])
    by_id = {row.id: row for row in rows}
    changes, gone = [], 0
    best: set[str] = set()
    for group in groups:
        present = [by_id[id] for id in group if id in by_id]
        if len(present) < 2:
            continue
        kept, *others = present
        query = normalised(kept.query)
        is_best = any(row.best and normalised(row.query) == query for row in present)
        changes.append(_merged(kept, others, best=is_best and query not in best))
        best |= {query} if is_best else set()
        changes += [Change(row.id, row.revision, deleted=True) for row in others]
        gone += len(others)
    if not changes:
        raise InvalidInput("Nothing to merge: their duplicates are gone meanwhile.")
    what = f"merged {counted(gone, 'duplicate')} into others"
    return studio.store.demonstrations.change(changes, what=what)


def repair_letters(studio: Studio, ids: Sequence[int], check: str) -> int:
    """Write the texts of these demonstrations as they should be.

    Args:
        studio: The studio.
        ids: The demonstrations.
        check: What is wrong with them, by the name of the check that finds it (`REPAIRS`).

    Raises:
        InvalidInput: Nothing in them can be repaired, or the pool has the repaired pair already.
    """

    def change(row: Demonstration) -> Change:
        repair = REPAIRS[check](row)
        incorrect = tuple(each._replace(text=repair(each.text)) for each in row.incorrect)
        query, answer = repair(row.query), repair(row.answer)
        tags = tuple(dict.fromkeys(map(repair, row.tags)))
        return Change(
            row.id, row.revision, query=query, answer=answer, incorrect=incorrect, tags=tags
        )

    what = "masked personal data in {}" if check == personal_data.CHECK.name else "repaired {}"
    return bulk(studio, ids, what, change)


def take_own_out(studio: Studio, ids: Sequence[int]) -> int:
    """Take each demonstration's own answer out of its incorrect answers.

    Raises:
        InvalidInput: None of them has it there.
    """
    return bulk(
        studio,
        ids,
        "took their own answers out of the incorrect ones of {}",
        lambda row: Change(row.id, row.revision, incorrect=_without_own(row)),
    )


def _merged(kept: Demonstration, others: Sequence[Demonstration], *, best: bool) -> Change:
    row = kept
    for other in others:
        values: Any = merged(row, other)
        row = replace(row, **values)
    values = {field.name: getattr(row, field.name) for field in PLAIN}
    return Change(kept.id, kept.revision, incorrect=_without_own(row), best=best, **values)


def _without_own(row: Demonstration) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers that are not the row's answer as well."""
    own = compared(row.answer)
    return tuple(each for each in row.incorrect if compared(each.text) != own)


def _keys_of(findings: Sequence[Finding]) -> dict[int, list[str]]:
    """The keys of the findings of each demonstration, by its id."""
    keys: dict[int, list[str]] = {}
    for each in findings:
        for id in each.ids:
            keys.setdefault(id, []).append(each.key)
    return keys
