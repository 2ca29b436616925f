"""Edits made in a table: what was typed, saved cell by cell, and what could not be saved."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...demonstration.demonstration import COLUMNS as INCORRECT
from ...demonstration.demonstration import (
    Demonstration,
    Draft,
    Kind,
    Status,
    distinct,
    edited,
    incorrect_answers,
)
from ...demonstration.fields import FIELD, FIELDS, cells
from ...errors import InvalidInput, StaleRevision
from ...store import Change
from ...text import counted
from ..session.studio import Studio

EDITABLE = tuple(field.name for field in FIELDS if field.editable)

Cell = tuple[int, str]
"""A demonstration's id and a column."""


@dataclass(frozen=True)
class Edit:
    """New values for some columns of one demonstration, typed over the row as it was shown."""

    shown: Demonstration
    columns: Mapping[str, object]


@dataclass(frozen=True)
class RefusedEdit:
    """A value that was typed and is not saved, and why, in one sentence.

    `late` if somebody else changed the same cell since it was shown: it may be saved over that.
    """

    value: Any
    why: str
    late: bool = False


@dataclass
class SavedEdits:
    """The outcome of edits: the actions that can be undone, in words, and what was refused."""

    actions: list[int] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    refused: dict[Cell, RefusedEdit] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)

    @property
    def what(self) -> str:
        """What was saved, as the history calls it; empty when nothing was."""
        return _what(self.cells) if self.cells else ""


def edits_of(
    shown: Sequence[Demonstration], deltas: Mapping[int, Mapping[str, object]]
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
            if name in EDITABLE and typed_value(name, value) != stored_value(row, name)
        }
        if differing:
            edits[row.id] = Edit(row, differing)
    return edits


def save_edits(studio: Studio, edits: Iterable[Edit]) -> int:
    """Write what was edited; all of it or nothing.

    Returns:
        The number of the action, which can be undone.

    Raises:
        InvalidInput: Nothing was edited, a value is not allowed, or the edit makes a duplicate.
        StaleRevision: A row was changed elsewhere since it was read.
    """
    wanted = list(edits)
    if not wanted:
        raise InvalidInput("Nothing was edited; change a cell of the table first.")
    changes = [_change(edit) for edit in wanted]
    return studio.store.demonstrations.change(changes, what=_what(_cells(wanted)))


def save_each(studio: Studio, edits: Iterable[Edit]) -> SavedEdits:
    """Save what can be saved, together where possible, else cell by cell; nothing is raised.

    A row that somebody else changed meanwhile keeps their change: an edit of another of its cells
    is saved beside it and says so, an edit of the same cell is refused.
    """
    saved = SavedEdits()
    wanted = list(edits)
    if wanted and not _saved_together(studio, wanted, saved):
        for edit in wanted:
            for name, value in edit.columns.items():
                _save_cell(studio, Edit(edit.shown, {name: value}), saved)
    return saved


def save_over(studio: Studio, refused: Mapping[Cell, RefusedEdit]) -> SavedEdits:
    """Save refused values over the rows as they are now; what is not allowed stays refused."""
    saved = SavedEdits()
    for (id, name), one in refused.items():
        rows = studio.store.demonstrations.present([id])
        if rows:
            _save_cell(studio, Edit(rows[0], {name: one.value}), saved)
        else:
            saved.refused[id, name] = RefusedEdit(one.value, _gone(id))
    return saved


def stored_values(row: Draft) -> dict[str, str | bool | tuple[str, ...]]:
    """The value in each column of a demonstration; lists as tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in cells(row).items()
    }


def stored_value(row: Draft, name: str) -> Any:
    """The value in one column."""
    return stored_values(row)[name]


def typed_value(name: str, value: Any) -> Any:
    """A typed value as `stored_value` returns it after saving; lists as tuples."""
    match FIELD[name].kind:
        case Kind.INCORRECT:
            answers = incorrect_answers([str(text) for text in value or ()])
            return tuple(answer.text for answer in distinct(answers))
        case Kind.TEXTS:
            stripped = (str(text).strip() for text in value or ())
            return tuple(dict.fromkeys(filter(None, stripped)))
        case Kind.INCORRECT_KINDS:  # one for each answer, so doubles and empty ones stay
            return tuple(str(kind).strip() for kind in value or ())
        case Kind.STATUS:
            return Status(value or Status.INCLUDED)
        case Kind.FLAG:
            return bool(value)
        case _:
            return value or ""


def _saved_together(studio: Studio, wanted: Sequence[Edit], saved: SavedEdits) -> bool:
    try:
        action = save_edits(studio, wanted)
    except (InvalidInput, StaleRevision):
        return False
    saved.actions.append(action)
    saved.cells += _cells(wanted)
    return True


def _save_cell(studio: Studio, edit: Edit, saved: SavedEdits) -> None:
    """Save one cell, beside what somebody else changed in other cells of its row."""
    ((name, value),) = edit.columns.items()
    cell = (edit.shown.id, name)
    rows = studio.store.demonstrations.present([edit.shown.id])
    if not rows:
        saved.refused[cell] = RefusedEdit(value, _gone(edit.shown.id))
        return
    (now,) = rows
    theirs = [
        other for other in EDITABLE if stored_value(now, other) != stored_value(edit.shown, other)
    ]
    if typed_value(name, value) == stored_value(now, name):
        return
    if name in theirs:
        saved.refused[cell] = RefusedEdit(value, _late(now, name), late=True)
        return
    try:
        saved.actions.append(save_edits(studio, [Edit(now, edit.columns)]))
    except (InvalidInput, StaleRevision) as error:
        saved.refused[cell] = RefusedEdit(value, str(error))
        return
    saved.cells.append(cell)
    if theirs:
        changed = ", ".join(FIELD[other].label for other in theirs)
        saved.late.append(
            f"Somebody else changed demonstration {now.id} meanwhile ({changed}); "
            "that is kept beside your edit."
        )


def _gone(id: int) -> str:
    return (
        f"Demonstration {id} was deleted meanwhile, so your edit of it is not saved: undo the "
        "deletion in the history to edit it."
    )


def _late(now: Demonstration, name: str) -> str:
    value = stored_value(now, name)
    theirs = "; ".join(value) if isinstance(value, tuple) else str(value)
    return (
        f"Somebody else changed the {FIELD[name].label} of demonstration {now.id} meanwhile, "
        f"to {theirs!r:.80}: yours is still here, not saved."
    )


def _cells(edits: Iterable[Edit]) -> list[Cell]:
    return [(edit.shown.id, name) for edit in edits for name in edit.columns]


def _what(cells: Sequence[Cell]) -> str:
    """How the history calls a change of these cells."""
    ids = {id for id, _ in cells}
    if len(ids) > 1:
        return f"edited {counted(len(ids), 'demonstration')}"
    names = " and ".join(FIELD[name].label for name in dict.fromkeys(n for _, n in cells))
    return f"edited the {names} of demonstration {cells[0][0]}"


def _change(edit: Edit) -> Change:
    """The edit as the store takes it."""
    unknown = set(edit.columns) - set(EDITABLE)
    if unknown:
        raise InvalidInput(
            f"Column {sorted(unknown)[0]!r} cannot be edited; these can: {', '.join(EDITABLE)}."
        )
    fields = {name: typed_value(name, value) for name, value in edit.columns.items()}
    columns = {name: fields.pop(name) for name in INCORRECT if name in fields}
    if columns:
        fields["incorrect"] = edited(edit.shown.incorrect, columns)
    return Change(edit.shown.id, edit.shown.revision, **fields)
