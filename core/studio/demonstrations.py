"""Demonstrations: read, mend, tag, exclude, delete, undo."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidInput
from ..retrieval.fixed import fixed_demonstrations
from ..store import Action, Added, Change, Page, PoolSummary, RevisionRow
from ..types import Demonstration, Draft, Status
from .studio import Studio

PAGE_SIZE = 200


@dataclass(frozen=True)
class TableRequest:
    """Which demonstrations of a pool to show; empty filters let everything through.

    `ids` None lets all through, else only these; those of them that the pool has.
    """

    pool: str
    text: str = ""
    tags: tuple[str, ...] = ()
    status: Status | None = None
    page: int = 0
    ids: tuple[int, ...] | None = None


def table(studio: Studio, request: TableRequest) -> Page:
    """The demonstrations that pass the filters, one page of them, and how many there are."""
    pool = studio.store.pools.get(request.pool)
    return studio.store.demonstrations.search(
        pool.id,
        text=request.text,
        tags=request.tags,
        status=request.status,
        ids=request.ids,
        limit=PAGE_SIZE,
        offset=request.page * PAGE_SIZE,
    )


def matching_ids(studio: Studio, request: TableRequest) -> list[int]:
    """Ids of all demonstrations that pass the filters, on every page."""
    pool = studio.store.pools.get(request.pool)
    found = studio.store.demonstrations.search(
        pool.id, text=request.text, tags=request.tags, status=request.status, ids=request.ids
    )
    return [demonstration.id for demonstration in found.rows]


def summary(studio: Studio, pool: str) -> PoolSummary:
    """The pool's counts."""
    return studio.store.pools.summary(pool)


def tags(studio: Studio, pool: str) -> dict[str, int]:
    """The pool's tags, each with how many demonstrations carry it."""
    return studio.store.demonstrations.tags(studio.store.pools.get(pool).id)


EDITABLE = (
    "query", "answer", "incorrect", "incorrect_kinds", "tags", "best", "status", "note",
)  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """New values for some columns of one demonstration, typed over the named revision."""

    id: int
    revision: int
    columns: Mapping[str, Any]


def edits_of(
    shown: Sequence[Demonstration], deltas: Mapping[int, Mapping[str, Any]]
) -> dict[int, Edit]:
    """What was edited in a table, by id; a value that was put back is no edit.

    Args:
        shown: The rows as the table showed them, in its order.
        deltas: Position of a row to its changed columns; columns that are not `EDITABLE`, such as
            a tick, are passed over.
    """
    edits = {}
    for position, columns in deltas.items():
        row = shown[position]
        differing = {
            name: value
            for name, value in columns.items()
            if name in EDITABLE and _cleaned_value(name, value) != getattr(row, name)
        }
        if differing:
            edits[row.id] = Edit(row.id, row.revision, differing)
    return edits


def save_edits(studio: Studio, edits: Iterable[Edit]) -> int:
    """Write what was edited; all of it or nothing.

    Returns:
        The number of the action, which can be undone.

    Raises:
        InvalidInput: Nothing was edited, a value is not allowed, or the edit makes a double.
        StaleRevision: A row was changed elsewhere since it was read.
    """
    changes = [Change(edit.id, edit.revision, **_cleaned(edit.columns)) for edit in edits]
    if not changes:
        raise InvalidInput("Nothing was edited; change a cell of the table first.")
    return studio.store.demonstrations.change(changes, what=f"edited {_many(len(changes))}")


def onto_newest(studio: Studio, edits: Iterable[Edit]) -> dict[int, Edit]:
    """The edits over the rows as they are now; those of rows that are gone are let go."""
    wanted = {edit.id: edit for edit in edits}
    now = {id: row for id in wanted for row in _present(studio, id)}
    return {id: replace(wanted[id], revision=row.revision) for id, row in now.items()}


def add(studio: Studio, pool: str, draft: Draft) -> Added:
    """Add one demonstration typed by hand.

    Raises:
        InvalidInput: Query or answer is empty, or the pool has the pair already.
    """
    if not draft.query.strip() or not draft.answer.strip():
        raise InvalidInput("A demonstration needs a query and an answer; one of them is empty.")
    pool_id = studio.store.pools.get(pool).id
    added = studio.store.demonstrations.add(pool_id, [draft], what="added 1 demonstration")
    if not added.ids:
        raise InvalidInput(f"Pool {pool!r} already has this query with this answer.")
    return added


def set_status(studio: Studio, ids: Sequence[int], status: Status) -> int:
    """Include or exclude demonstrations; excluded ones are never retrieved."""
    verb = "included" if status is Status.INCLUDED else "excluded"
    return _bulk(studio, ids, f"{verb} {{}}", lambda row: {"status": status})


def add_tag(studio: Studio, ids: Sequence[int], tag: str) -> int:
    """Give demonstrations one more tag.

    Raises:
        InvalidInput: The tag is empty.
    """
    name = _tag_name(tag)
    return _bulk(
        studio,
        ids,
        f"tagged {{}} {_escaped(name)}",
        lambda row: {"tags": tuple(dict.fromkeys((*row.tags, name)))},
    )


def remove_tag(studio: Studio, ids: Sequence[int], tag: str) -> int:
    """Take a tag away from demonstrations.

    Raises:
        InvalidInput: The tag is empty, or none of them carries it.
    """
    name = _tag_name(tag)
    return _bulk(
        studio,
        ids,
        f"took tag {_escaped(name)} from {{}}",
        lambda row: {"tags": tuple(other for other in row.tags if other != name)},
    )


def delete(studio: Studio, ids: Sequence[int]) -> int:
    """Delete demonstrations; undo brings them back."""
    return _bulk(studio, ids, "deleted {}", lambda row: {"deleted": True})


def history(studio: Studio, pool: str, *, limit: int = 50) -> list[Action]:
    """What was done to the pool, newest first."""
    return studio.store.history.actions(studio.store.pools.get(pool).id, limit=limit)


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
    """Name the demonstrations that `fix` shows, in that order; with none they are drawn anew.

    Raises:
        InvalidInput: An id stands twice or is no demonstration of the pool.
    """
    studio.store.pools.set_fixed_ids(studio.store.pools.get(pool).id, list(ids))


def _present(studio: Studio, id: int) -> list[Demonstration]:
    try:
        return studio.store.demonstrations.by_ids([id])
    except InvalidInput:
        return []


def _bulk(
    studio: Studio,
    ids: Sequence[int],
    what: str,
    fields: Callable[[Demonstration], dict[str, Any]],
) -> int:
    """Change the rows that are not so already; `what` has {} where their number goes."""
    if not ids:
        raise InvalidInput("No demonstration is selected; tick at least one row.")
    rows = studio.store.demonstrations.by_ids(list(ids))
    wanted = [(row, fields(row)) for row in rows]
    changes = [
        Change(row.id, row.revision, **values)
        for row, values in wanted
        if any(getattr(row, name, None) != value for name, value in values.items())
    ]
    if not changes:
        raise InvalidInput(f"Nothing to do: this holds for {_many(len(rows))} already.")
    return studio.store.demonstrations.change(changes, what=what.format(_many(len(changes))))


def _escaped(text: str) -> str:
    """The text in quotes, safe inside a template for `str.format`."""
    return repr(text).replace("{", "{{").replace("}", "}}")


def _many(count: int) -> str:
    return f"{count:,} demonstration{'' if count == 1 else 's'}"


def _tag_name(tag: str) -> str:
    name = tag.strip()
    if not name:
        raise InvalidInput("The tag is empty; type a name for it.")
    return name


def _cleaned(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The edited columns as the store takes them: stripped text, lists as tuples."""
    unknown = set(columns) - set(EDITABLE)
    if unknown:
        raise InvalidInput(
            f"Column {sorted(unknown)[0]!r} cannot be edited; these can: {', '.join(EDITABLE)}."
        )
    return {name: _cleaned_value(name, value) for name, value in columns.items()}


def _cleaned_value(name: str, value: Any) -> Any:
    if name in ("incorrect", "tags"):
        return _texts(value or ())
    if name == "incorrect_kinds":  # one for each answer, so doubles and empty ones stay
        return tuple(str(kind).strip() for kind in value or ())
    if name == "status":
        return Status(value or Status.INCLUDED)
    if name == "best":
        return bool(value)
    return (value or "").strip()


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in values if (text := str(value).strip())))
