"""Demonstrations: read, sort, tag, exclude, delete, undo. `edits` saves what is typed in cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite

from ...curation.coverage import Distribution, by_tag
from ...demonstration import criteria
from ...demonstration.criteria import Criterion
from ...demonstration.demonstration import Demonstration, Draft, Status
from ...errors import InvalidInput
from ...retrieval.fixed import fixed_demonstrations
from ...retrieval.pool_view import PoolView, demonstration_hash
from ...store import (
    Action,
    Additions,
    Change,
    Page,
    PoolSummary,
    RevisionRow,
    RowChange,
    SearchOrder,
)
from ...text import counted, is_blank
from ..session.studio import Setup, Studio

PAGE_SIZE = 200


@dataclass(frozen=True)
class TableRequest:
    """Which demonstrations of a pool to show: those that meet every criterion.

    `page` counts from 0, in pages of `size` rows.
    """

    pool: str
    criteria: tuple[Criterion, ...] = ()
    order: SearchOrder = SearchOrder()
    page: int = 0
    size: int = PAGE_SIZE


def table(studio: Studio, request: TableRequest, values: Mapping[int, float] | None = None) -> Page:
    """The demonstrations that meet the criteria in their order, one page, and how many there are.

    Args:
        studio: Where they are.
        request: Which of them.
        values: By id, for an order by them.
    """
    pool = studio.store.pools.get(request.pool)
    return studio.store.demonstrations.search(
        pool.id,
        request.criteria,
        order=replace(request.order, values=values or {}),
        limit=request.size,
        offset=request.page * request.size,
    )


def matching_ids(studio: Studio, request: TableRequest) -> list[int]:
    """Ids of all demonstrations that meet the criteria, on every page."""
    pool = studio.store.pools.get(request.pool)
    return studio.store.demonstrations.found(pool.id, request.criteria)


def present(studio: Studio, ids: Sequence[int]) -> dict[int, Demonstration]:
    """Those of the demonstrations that are there, as they are now, by id."""
    return {row.id: row for row in studio.store.demonstrations.present(ids)}


def quality_biases(studio: Studio, setup: Setup, view: PoolView | None) -> dict[int, float]:
    """The quality bias of each demonstration that has one, excluded ones too, by id.

    Empty while the view is being prepared. Texts that do not fit the model's window have none.
    """
    if view is None:
        return {}
    values = dict(zip(view.ids.tolist(), view.quality_bias.tolist(), strict=True))
    key = studio.quality_key(setup)
    if key is not None:
        pool = studio.store.pools.get(setup.pool)
        rows = studio.store.demonstrations.all(pool.id, status=Status.EXCLUDED)
        found = studio.store.quality.get(
            key.model,
            key.template,
            [demonstration_hash(row.query, row.answer) for row in rows],
        )
        values |= dict(zip((row.id for row in rows), found.tolist(), strict=True))
    return {id: value for id, value in values.items() if isfinite(value)}


def by_tag_of(
    studio: Studio, setup: Setup, view: PoolView | None, measure: str
) -> list[Distribution]:
    """The distribution of a measure over the tags of the included demonstrations.

    Args:
        studio: Where they are.
        setup: The pool and its language model.
        view: The included demonstrations; None while it is being prepared.
        measure: `QUALITY`, `LENGTH` or `QUERY_LENGTH`; of the first only what is scored counts.
    """
    pool_id = studio.store.pools.get(setup.pool).id
    rows = studio.store.demonstrations.all(pool_id, status=Status.INCLUDED)
    values: Mapping[int, float]
    match measure:
        case criteria.QUALITY:
            values = quality_biases(studio, setup, view)
        case criteria.LENGTH:
            values = {row.id: float(len(row.answer)) for row in rows}
        case _:
            values = {row.id: float(len(row.query)) for row in rows}
    return by_tag(rows, values)


def changed(studio: Studio, ids: Sequence[int]) -> dict[int, datetime]:
    """When each of the demonstrations was changed last."""
    return studio.store.history.changed(ids)


def summary(studio: Studio, pool: str) -> PoolSummary:
    """The pool's counts."""
    return studio.store.pools.summary(pool)


def version_in_words(studio: Studio, pool: str) -> str:
    """The pool's version as people count: "as imported", or after how many edits."""
    edits = studio.store.history.edits(studio.store.pools.get(pool).id)
    return f"after {counted(edits, 'edit')}" if edits else "as imported"


def edition(studio: Studio, pool: str) -> int:
    """A number that changes with the pool's rows as they are shown, notes and tags included."""
    return studio.store.pools.get(pool).edition


def tags(studio: Studio, pool: str) -> dict[str, int]:
    """The pool's tags, each with how many demonstrations carry it."""
    return studio.store.demonstrations.tags(studio.store.pools.get(pool).id)


def add(studio: Studio, pool: str, draft: Draft) -> Additions:
    """Add one demonstration typed by hand.

    Raises:
        InvalidInput: Query or answer is empty, or the pool has the pair already.
    """
    if is_blank(draft.query) or is_blank(draft.answer):
        raise InvalidInput("A demonstration needs a query and an answer; one of them is empty.")
    pool_id = studio.store.pools.get(pool).id
    added = studio.store.demonstrations.add(pool_id, [draft], what="added 1 demonstration")
    if not added.ids:
        raise InvalidInput(f"Pool {pool!r} already has this query with this answer.")
    return added


def set_status(studio: Studio, ids: Sequence[int], status: Status) -> int:
    """Include, exclude or pin demonstrations.

    Excluded ones are never retrieved, pinned ones are in every context.
    """
    return bulk(
        studio, ids, f"{status} {{}}", lambda row: Change(row.id, row.revision, status=status)
    )


def add_tag(studio: Studio, ids: Sequence[int], tag: str) -> int:
    """Give demonstrations one more tag.

    Raises:
        InvalidInput: The tag is empty.
    """
    name = _tag_name(tag)
    return bulk(
        studio,
        ids,
        f"tagged {{}} {_escaped(name)}",
        lambda row: Change(row.id, row.revision, tags=tuple(dict.fromkeys((*row.tags, name)))),
    )


def remove_tag(studio: Studio, ids: Sequence[int], tag: str) -> int:
    """Take a tag away from demonstrations.

    Raises:
        InvalidInput: The tag is empty, or none of them carries it.
    """
    name = _tag_name(tag)
    return bulk(
        studio,
        ids,
        f"took tag {_escaped(name)} from {{}}",
        lambda row: Change(
            row.id, row.revision, tags=tuple(other for other in row.tags if other != name)
        ),
    )


def delete(studio: Studio, ids: Sequence[int]) -> int:
    """Delete demonstrations; undo brings them back."""
    return bulk(studio, ids, "deleted {}", lambda row: Change(row.id, row.revision, deleted=True))


def history(studio: Studio, pool: str, *, limit: int = 50) -> list[Action]:
    """What was done to the pool, newest first."""
    return studio.store.history.actions(studio.store.pools.get(pool).id, limit=limit)


def changes(studio: Studio, action: int, *, limit: int) -> list[RowChange]:
    """What the action changed, row by row, at most `limit` rows."""
    return studio.store.history.changes(action, limit=limit)


def life(studio: Studio, id: int) -> list[RevisionRow]:
    """What was done to one demonstration, newest first; deleted ones have theirs too.

    Raises:
        InvalidInput: No demonstration has that id.
    """
    return studio.store.history.of(id)[::-1]


def undo(studio: Studio, action: int) -> int:
    """Take an action back; the undo is an action itself and can be undone too.

    Raises:
        StaleRevision: A later change touched the same demonstrations; undo that one first.
    """
    return studio.store.history.undo(action)


def fixed(studio: Studio, pool: str) -> list[Demonstration]:
    """The demonstrations that the method `fix` shows, in their order; drawn when none is named."""
    found = studio.store.pools.get(pool)
    ids = studio.store.pools.fixed_ids(found.id)
    if not ids:
        found, included = studio.store.demonstrations.snapshot(found.id, status=Status.INCLUDED)
        ids = fixed_demonstrations(studio.store, found, included)
    return studio.store.demonstrations.by_ids(ids)


def name_fixed(studio: Studio, pool: str, ids: Sequence[int]) -> None:
    """Name the demonstrations that `fix` shows, in that order; with none they are drawn again.

    Raises:
        InvalidInput: An id appears twice or is no demonstration of the pool.
    """
    studio.store.pools.set_fixed_ids(studio.store.pools.get(pool).id, list(ids))


def bulk(
    studio: Studio,
    ids: Sequence[int],
    what: str,
    changed: Callable[[Demonstration], Change],
) -> int:
    """Make the change where it has an effect, as one action; its number, for `undo`.

    Args:
        studio: Where they are.
        ids: The demonstrations.
        what: What the history calls it, with {} in place of the number of demonstrations.
        changed: The change of each.

    Raises:
        InvalidInput: None is given, one is not there, or the change has no effect on any.
    """
    if not ids:
        raise InvalidInput("No demonstration is selected; tick at least one row.")
    rows = studio.store.demonstrations.by_ids(list(ids))
    changes = [change for row in rows if _changes(row, change := changed(row))]
    if not changes:
        raise InvalidInput(
            f"Nothing to do: this already applies to {counted(len(rows), 'demonstration')}."
        )
    return studio.store.demonstrations.change(
        changes, what=what.format(counted(len(changes), "demonstration"))
    )


def _changes(row: Demonstration, change: Change) -> bool:
    """Whether the change names a value that the row does not have."""
    return any(value != getattr(row, name, None) for name, value in change.values.items())


def _escaped(text: str) -> str:
    """The text in quotes, safe inside a template for `str.format`."""
    return repr(text).replace("{", "{{").replace("}", "}}")


def _tag_name(tag: str) -> str:
    name = tag.strip()
    if not name:
        raise InvalidInput("The tag is empty; type a name for it.")
    return name
