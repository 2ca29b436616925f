"""A table that is being edited: the rows as they were shown, and the edits that are not saved yet.

The table's editor tells edits by the position of a row, so the rows behind one key of the editor
must stay as they were. Whatever shows other rows gets another key, and the edits so far are carried
along by id.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.studio import Studio
from core.studio.demonstrations import Edit, TableRequest, edits_of, onto_newest, table
from core.types import Demonstration

TICK = "tick"


@dataclass(frozen=True)
class Editing:
    """The rows behind one key of the editor; `carried` are edits made before they were read."""

    request: TableRequest
    version: int
    rows: tuple[Demonstration, ...]
    total: int
    generation: int
    carried: Mapping[int, Edit]

    @property
    def key(self) -> str:
        """The editor's key."""
        return f"demonstrations_editor_{self.generation}"

    def shown(self) -> list[dict[str, Any]]:
        """The rows as the editor shows them, carried edits on top."""
        return [_shown(row, self._carried_columns(row.id)) for row in self.rows]

    def edits(self, deltas: Mapping[int, Mapping[str, Any]]) -> dict[int, Edit]:
        """All edits that are not saved yet, by id.

        Args:
            deltas: Position of a row to its changed columns, as the editor tells them.
        """
        merged = {
            position: {**self._carried_columns(row.id), **deltas.get(position, {})}
            for position, row in enumerate(self.rows)
            if row.id in self.carried or position in deltas
        }
        here = {
            id: replace(edit, revision=self.carried[id].revision) if id in self.carried else edit
            for id, edit in edits_of(self.rows, merged).items()
        }
        shown = {row.id for row in self.rows}
        elsewhere = {id: edit for id, edit in self.carried.items() if id not in shown}
        return {**elsewhere, **here}

    def ticked(self, deltas: Mapping[int, Mapping[str, Any]]) -> list[int]:
        """Ids of the ticked rows."""
        return [self.rows[place].id for place, columns in deltas.items() if columns.get(TICK)]

    def _carried_columns(self, id: int) -> Mapping[str, Any]:
        return self.carried[id].columns if id in self.carried else {}


def read_table(
    studio: Studio, request: TableRequest, version: int, generation: int, carried: dict[int, Edit]
) -> Editing:
    """The rows that the request asks for, under a new key of the editor."""
    page = table(studio, request)
    return Editing(request, version, tuple(page.rows), page.total, generation, carried)


def read_again(
    studio: Studio, old: Editing, deltas: Mapping[int, Mapping[str, Any]], version: int
) -> Editing:
    """The same rows as they are now, the edits on top and no longer stale."""
    edits = onto_newest(studio, old.edits(deltas).values())
    return read_table(studio, old.request, version, old.generation + 1, edits)


def _shown(row: Demonstration, edited: Mapping[str, Any]) -> dict[str, Any]:
    shown = {
        TICK: False,
        "id": row.id,
        "query": row.query,
        "answer": row.answer,
        "incorrect": list(row.incorrect),
        "incorrect_kinds": list(row.incorrect_kinds),
        "tags": list(row.tags),
        "best": row.best,
        "status": row.status.value,
        "note": row.note,
    }
    return {**shown, **edited}
