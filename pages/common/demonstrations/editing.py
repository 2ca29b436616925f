"""A table that is edited in place: the rows behind one key of the editor, and what it shows.

The editor reports edits by the position of a row, so the rows behind one key must keep their
places. Their values may change under it: what was saved, what somebody else changed. Whatever shows
other rows, or another value where the editor has a typed one, gets another key.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from core.demonstration.demonstration import Demonstration, Status
from core.demonstration.fields import COLUMNS
from core.retrieval.retrieved import RetrievalCounts
from core.store import RETRIEVED, SIMILARITY, WORTH
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.edits import (
    EDITABLE,
    Cell,
    RefusedEdit,
    stored_value,
    stored_values,
    typed_value,
)

TICK = "tick"
LISTS = tuple(name for name, kind in COLUMNS.items() if kind == "texts")
Deltas = Mapping[int, Mapping[str, object]]
"""Position of a row to its changed columns, as the editor reports them."""

EXCLUDED_LOOK = "background-color: {}; color: {}; font-weight: 600"
EXCLUDED_COLOURS = {"light": ("#e4e4e1", "#000000"), "dark": ("#3d3d38", "#ffffff")}
"""Ground and text of an excluded row's cells. Pinned columns draw their text at six tenths of its
strength; that leaves 5 to 1 in both themes."""


@dataclass(frozen=True)
class Values:
    """What is computed of demonstrations and shown beside their fields, by id.

    `retrieved` is None where it is not counted, `worth` where it is not judged; `similarity` is
    empty unless a search names a meaning.
    """

    quality_bias: Mapping[int, float] = field(default_factory=dict)
    retrieved: RetrievalCounts | None = None
    similarity: Mapping[int, float] = field(default_factory=dict)
    worth: Mapping[int, float] | None = None

    def of(self, order: str) -> Mapping[int, float]:
        """The values that rows are sorted by in an order that needs values."""
        computed = {
            RETRIEVED: {} if self.retrieved is None else self.retrieved.shares,
            SIMILARITY: self.similarity,
            WORTH: self.worth or {},
        }
        return computed.get(order, self.quality_bias)


@dataclass(frozen=True)
class Editing:
    """The rows behind one key of the editor, as they are in the store.

    `base` are the same rows as they were when the editor got the key; `ticks` were set under an
    earlier key. `changed` is by id.
    """

    request: TableRequest
    edition: int
    rows: tuple[Demonstration, ...]
    base: tuple[Demonstration, ...]
    total: int
    generation: int
    ticks: frozenset[int] = frozenset()
    values: Values = Values()
    changed: Mapping[int, datetime] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The editor's key."""
        return f"demonstrations_editor_{self.generation}"

    @property
    def ids(self) -> list[int]:
        """The ids of its rows, in their order."""
        return [row.id for row in self.rows]

    def ticked(self, deltas: Deltas) -> list[int]:
        """Ids of the ticked rows."""
        return [
            row.id
            for place, row in enumerate(self.rows)
            if deltas.get(place, {}).get(TICK, row.id in self.ticks)
        ]

    def contradicted(self, deltas: Deltas, refused: Collection[Cell]) -> bool:
        """Whether the editor has a typed value that is neither in the store nor refused."""
        return any(
            name in EDITABLE
            and (self.rows[place].id, name) not in refused
            and typed_value(name, value) != stored_value(self.rows[place], name)
            for place, columns in deltas.items()
            for name, value in columns.items()
        )

    def frame(self, refused: Mapping[Cell, RefusedEdit], deltas: Deltas) -> pd.DataFrame:
        """The rows as they go to the editor, refused values in their cells.

        Every column has its type whatever is in it: another type would be another editor, and end
        what is just being typed. A cell that was typed into keeps its earlier value here: the
        editor itself shows what was typed. Sent the same value, it would forget it with a run of
        its own, which brings back whoever has just left the page.
        """
        shown = [self._shown(row, refused) for row in self.rows]
        for place, columns in deltas.items():
            before = self._shown(self.base[place], {})
            shown[place] |= {name: before[name] for name in columns if name in EDITABLE}
        frame = pd.DataFrame(shown)
        for name in ("similarity", "quality bias", "retrieved", "worth"):
            frame[name] = frame[name].astype(float)
        frame["changed"] = pd.to_datetime(frame["changed"], utc=True)
        for name in LISTS:
            frame[name] = pd.Series([np.array(one, dtype=str) for one in frame[name]], dtype=object)
        return frame

    def _shown(self, row: Demonstration, refused: Mapping[Cell, RefusedEdit]) -> dict[str, object]:
        shown = {
            TICK: row.id in self.ticks,
            "id": row.id,
            **stored_values(row),
            "similarity": self.values.similarity.get(row.id),
            "quality bias": self.values.quality_bias.get(row.id),
            "retrieved": self.values.of(RETRIEVED).get(row.id),
            "worth": self.values.of(WORTH).get(row.id),
            "changed": self.changed.get(row.id),
        }
        typed = {name: one.value for (id, name), one in refused.items() if id == row.id}
        return shown | typed


def look_excluded(frame: pd.DataFrame, status: str, theme: str | None) -> Any:
    """The frame with its excluded rows greyed wherever the table draws styles.

    Args:
        frame: What is shown, one row per demonstration.
        status: The column that shows whether it is excluded.
        theme: light or dark.
    """
    look = EXCLUDED_LOOK.format(*EXCLUDED_COLOURS[theme or "light"])
    excluded = frame[status] == Status.EXCLUDED.value
    return frame.style.apply(
        lambda column: [look if one else "" for one in excluded.reindex(column.index)]
    )


def fresh(deltas: Deltas, done: Deltas) -> dict[int, dict[str, object]]:
    """The cells that were typed since `done`."""
    found = {
        place: {
            name: value
            for name, value in columns.items()
            if name not in done.get(place, {}) or done[place][name] != value
        }
        for place, columns in deltas.items()
    }
    return {place: columns for place, columns in found.items() if columns}
