"""What is done about a pool's findings: dismiss, merge, repair; each one action with its undo."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...curation.findings.checks import encoding, escaped
from ...curation.findings.finding import Finding, compared
from ...demonstration.demonstration import Demonstration, IncorrectAnswer
from ...demonstration.fields import PLAIN, merged
from ...errors import InvalidInput
from ...store import Change
from ...text import counted
from ..session.studio import Studio
from .demonstrations import bulk

REPAIRS = {
    encoding.CHECK.name: encoding.repair,
    escaped.CHECK.name: escaped.repair,
}
"""What writes a text as it should be, by the name of the check that finds it."""


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


def merge(studio: Studio, groups: Sequence[Sequence[int]]) -> int:
    """Make one demonstration of each group of them.

    The best answer of its query is kept, else the first; it gets the incorrect answers, tags and
    other fields of the others, which are deleted.

    Raises:
        InvalidInput: None of the groups has two demonstrations that are still there.
    """
    rows = studio.store.demonstrations.present([id for group in groups for id in group])
    by_id = {row.id: row for row in rows}
    changes, gone = [], 0
    for group in groups:
        present = [by_id[id] for id in group if id in by_id]
        if len(present) < 2:
            continue
        kept = next((row for row in present if row.best), present[0])
        others = [row for row in present if row is not kept]
        changes.append(_merged(kept, others))
        changes += [Change(row.id, row.revision, deleted=True) for row in others]
        gone += len(others)
    if not changes:
        raise InvalidInput("Nothing to merge: their duplicates are gone meanwhile.")
    what = f"merged {counted(gone, 'duplicate')} into others"
    return studio.store.demonstrations.change(changes, what=what)


def repair_letters(studio: Studio, ids: Sequence[int], check: str) -> int:
    """Write the texts of these demonstrations with the letters that they had.

    Args:
        studio: The studio.
        ids: The demonstrations.
        check: What was done to the letters, by the name of the check that finds it (`REPAIRS`).

    Raises:
        InvalidInput: Nothing in them can be repaired, or the pool has the repaired pair already.
    """
    repair = REPAIRS[check]

    def change(row: Demonstration) -> Change:
        incorrect = tuple(each._replace(text=repair(each.text)) for each in row.incorrect)
        query, answer = repair(row.query), repair(row.answer)
        tags = tuple(dict.fromkeys(map(repair, row.tags)))
        return Change(
            row.id, row.revision, query=query, answer=answer, incorrect=incorrect, tags=tags
        )

    return bulk(studio, ids, "repaired the letters of {}", change)


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


def _merged(kept: Demonstration, others: Sequence[Demonstration]) -> Change:
    row = kept
    for other in others:
        values: Any = merged(row, other)
        row = replace(row, **values)
    values = {field.name: getattr(row, field.name) for field in PLAIN}
    return Change(kept.id, kept.revision, incorrect=_without_own(row), **values)


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
