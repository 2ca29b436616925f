"""Rows of a file that a pool has already, with other values: found, and brought over as chosen."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..incorrect import distinct
from ..settings import OnDifference
from ..store import Change
from ..text import same_text
from ..types import Demonstration, Draft, IncorrectAnswer, Status
from .mapping import Mapping


class Field(StrEnum):
    """What of a demonstration a file may say differently; an empty cell says nothing."""

    INCORRECT = "incorrect"
    TAGS = "tags"
    STATUS = "status"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Differing:
    """A demonstration of the pool, the fields in which the file differs, and the file's values."""

    current: Demonstration
    fields: tuple[Field, ...]
    draft: Draft

    @property
    def id(self) -> int:
        """The demonstration's id in the pool."""
        return self.current.id


def fields_of(mapping: Mapping) -> tuple[Field, ...]:
    """The fields on which a file with these columns says anything."""
    return tuple(
        field
        for field in Field
        if getattr(mapping, field) or (field is Field.INCORRECT and mapping.options)
    )


def find_differing(
    drafts: Sequence[Draft], pool: Sequence[Demonstration], fields: Sequence[Field]
) -> Iterator[Differing]:
    """The drafts that the pool has already with other values in one of the fields."""
    there = {(same_text(each.query), same_text(each.answer)): each for each in pool}
    for draft in drafts:
        current = there.get((same_text(draft.query), same_text(draft.answer)))
        if current is None:
            continue
        found = tuple(field for field in fields if _DIFFER[field](current, draft))
        if found:
            yield Differing(current, found, draft)


def changes_for(
    differing: Sequence[Differing], pool: Sequence[Demonstration], how: OnDifference
) -> list[Change]:
    """What to change in the pool; nothing for what somebody has deleted or mended meanwhile."""
    rows = {each.id: each for each in pool}
    there = [(rows[one.id], one) for one in differing if one.id in rows]
    if how is OnDifference.LEAVE:
        return []
    make = _added if how is OnDifference.ADD else _replaced
    made = (make(before, one) for before, one in there)
    return [change for change in made if change is not None]


def _added(current: Demonstration, one: Differing) -> Change | None:
    incorrect = _joined(current.incorrect, one.draft.incorrect)
    tags = tuple(dict.fromkeys(current.tags + one.draft.tags))
    note = current.note or one.draft.note
    new = Change(
        current.id,
        current.revision,
        incorrect=incorrect if Field.INCORRECT in one.fields else None,
        tags=tags if Field.TAGS in one.fields else None,
        note=note if Field.NOTE in one.fields else None,
    )
    same = (current.incorrect, current.tags, current.note)
    adds = any(
        value is not None and value != before
        for value, before in zip((new.incorrect, new.tags, new.note), same, strict=True)
    )
    return new if adds else None


def _replaced(current: Demonstration, one: Differing) -> Change:
    draft = one.draft
    return Change(
        current.id,
        current.revision,
        incorrect=draft.incorrect if Field.INCORRECT in one.fields else None,
        tags=draft.tags if Field.TAGS in one.fields else None,
        status=draft.status if Field.STATUS in one.fields else None,
        note=draft.note if Field.NOTE in one.fields else None,
    )


def _joined(
    current: tuple[IncorrectAnswer, ...], given: tuple[IncorrectAnswer, ...]
) -> tuple[IncorrectAnswer, ...]:
    """The pool's incorrect answers, with the kinds that they lack, and then the file's others."""
    return distinct((*current, *given))


def _incorrect_differ(current: Demonstration, draft: Draft) -> bool:
    if not draft.incorrect:
        return False
    kinds = {same_text(each.text): each.kind for each in current.incorrect}
    given = {same_text(each.text): each.kind for each in draft.incorrect}
    return kinds.keys() != given.keys() or any(
        kind and kind != kinds[text] for text, kind in given.items()
    )


_DIFFER: dict[Field, Callable[[Demonstration, Draft], bool]] = {
    Field.INCORRECT: _incorrect_differ,
    Field.TAGS: lambda current, draft: bool(draft.tags) and set(draft.tags) != set(current.tags),
    Field.STATUS: lambda current, draft: Status(draft.status) is not current.status,
    Field.NOTE: lambda current, draft: bool(draft.note) and draft.note != current.note,
}
