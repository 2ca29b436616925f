"""Rows of a file that differ from the pool's: found, and brought over as chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..demonstration.demonstration import Demonstration, Draft, Field, Kind, Status
from ..demonstration.fields import COMPARED, FIELD, merged
from ..settings import OnDifference
from ..store import Change
from ..text import same_text
from .mapping import Mapping


@dataclass(frozen=True, slots=True)
class Differing:
    """A demonstration of the pool, the fields in which the file differs, and the file's values."""

    current: Demonstration
    fields: tuple[str, ...]
    draft: Draft

    @property
    def id(self) -> int:
        """The demonstration's id in the pool."""
        return self.current.id


def fields_of(mapping: Mapping) -> tuple[str, ...]:
    """The names of the fields among `COMPARED` for which a file with these columns has values."""
    options = ("incorrect",) if mapping.options else ()
    return tuple(
        field.name for field in COMPARED if mapping.columns_of(field.name) or field.name in options
    )


def find_differing(
    drafts: Sequence[Draft], pool: Sequence[Demonstration], fields: Sequence[str]
) -> Iterator[Differing]:
    """The drafts that the pool already has with other values in one of the fields."""
    there = {(same_text(each.query), same_text(each.answer)): each for each in pool}
    for draft in drafts:
        current = there.get((same_text(draft.query), same_text(draft.answer)))
        if current is None:
            continue
        found = tuple(field for field in fields if _differ(FIELD[field], current, draft))
        if found:
            yield Differing(current, found, draft)


def changes_for(
    differing: Sequence[Differing], pool: Sequence[Demonstration], how: OnDifference
) -> list[Change]:
    """What to change in the pool; nothing for what somebody has deleted or edited meanwhile."""
    rows = {each.id: each for each in pool}
    there = [(rows[one.id], one) for one in differing if one.id in rows]
    if how is OnDifference.LEAVE:
        return []
    make = _added if how is OnDifference.ADD else _replaced
    made = (make(before, one) for before, one in there)
    return [change for change in made if change is not None]


def _added(current: Demonstration, one: Differing) -> Change | None:
    """What the file adds; None where the pool has all of it."""
    both = {
        name: value
        for name, value in merged(current, one.draft).items()
        if name in one.fields and value != getattr(current, name)
    }
    return Change(current.id, current.revision, **both) if both else None


def _replaced(current: Demonstration, one: Differing) -> Change:
    values = {name: getattr(one.draft, name) for name in one.fields}
    return Change(current.id, current.revision, **values)


def _differ(field: Field, current: Draft, draft: Draft) -> bool:
    """Whether the draft has another value of the field; an empty one does not count."""
    before, now = getattr(current, field.name), getattr(draft, field.name)
    match field.kind:
        case Kind.INCORRECT:
            return _incorrect_differ(current, draft)
        case Kind.STATUS:
            return Status(now) is not before
        case Kind.TEXTS:
            return bool(now) and set(now) != set(before)
        case _:
            return bool(now) and now != before


def _incorrect_differ(current: Draft, draft: Draft) -> bool:
    if not draft.incorrect:
        return False
    kinds = {same_text(each.text): each.kind for each in current.incorrect}
    given = {same_text(each.text): each.kind for each in draft.incorrect}
    return kinds.keys() != given.keys() or any(
        kind and kind != kinds[text] for text, kind in given.items()
    )
