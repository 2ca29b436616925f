"""Keeping attempts that came out right as demonstrations of a pool."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...demonstration.demonstration import Demonstration, Draft
from ...errors import InvalidInput
from ...store import Change, Store
from ...text import same_text
from ..session.studio import Studio
from .attempts import Bootstrap


@dataclass(frozen=True, slots=True)
class Kept:
    """What keeping did.

    Attributes:
        pool: The pool's name.
        added: The ids of the demonstrations that are new in it.
        completed: The ids of those that were there without rationale and passages, and got them.
        there: How many were there and stay as they are.
    """

    pool: str
    added: tuple[int, ...]
    completed: tuple[int, ...]
    there: int


def keep(
    studio: Studio,
    found: Bootstrap,
    numbers: Collection[int] | None = None,
    to: str | None = None,
    *,
    who: str = "you",
) -> Kept:
    """Put attempts that came out right into a pool, which the pool's history can undo.

    What the pool has already, query and answer, is not added again: where that demonstration has
    neither rationale nor passages and names no program, it gets those of the attempt, if there are
    any.

    Args:
        studio: The open workspace.
        found: The run.
        numbers: Those of the attempts; None keeps all that came out right.
        to: The pool's name, made where there is none; None for the pool of the run.
        who: The name in the history.

    Raises:
        InvalidInput: A number is that of no attempt or of a rejected one, or there is none to keep.
    """
    by_number = {each.number: each for each in found.tried}
    chosen = sorted({each.number for each in found.right} if numbers is None else set(numbers))
    unknown = [number for number in chosen if number not in by_number]
    if unknown or not chosen:
        what = f"has no attempt {unknown[0]}" if unknown else "has nothing that came out right"
        raise InvalidInput(f"Run {found.run} {what}: choose among the attempts that are listed.")
    drafts = [by_number[number].demonstration(found.written_by) for number in chosen]
    what = f"bootstrap: run {found.run}"
    pool, added = studio.store.demonstrations.add_to_named(
        to or found.settings.pool, drafts, who=who, what=what
    )
    changes = list(_completing(studio.store, pool.id, drafts, set(added.ids)))
    if changes:
        studio.store.demonstrations.change(changes, who=who, what=what)
    completed = tuple(change.id for change in changes)
    there = len(drafts) - len(added.ids) - len(completed)
    return Kept(pool.name, tuple(added.ids), completed, there)


def _completing(
    store: Store, pool_id: int, drafts: Sequence[Draft], added: Collection[int]
) -> list[Change]:
    """What the pool's own demonstrations, of the same query and answer, get from the drafts."""
    there = {
        _pair(row): row
        for row in store.demonstrations.all(pool_id)
        if row.id not in added and not (row.rationale or row.passages_shown or row.written_by)
    }
    changes = {}
    for draft in drafts:
        row = there.get(_pair(draft))
        if row is not None and (draft.rationale or draft.passages_shown):
            changes[row.id] = Change(
                row.id,
                row.revision,
                rationale=draft.rationale,
                passages_shown=draft.passages_shown,
                written_by=draft.written_by,
            )
    return list(changes.values())


def _pair(one: Draft | Demonstration) -> tuple[str, str]:
    return same_text(one.query), same_text(one.answer)
