"""The rows of Compare as the visitor has set them up: kept from page to page, and in the link."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import streamlit as st

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.studio.runs.starts import STANDARD, StartRow
from pages.common.state.state import last_value, remember, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted

PAGE = "compare"
_MADE = "rows_made"
"""The session key that counts the rows made: each has a number that no other ever has."""


@dataclass(frozen=True)
class RowState:
    """A row as it is set up.

    `own` are the knobs with values of the row's own; those that its method does not know wait
    until it has a method that does. All others are as the rows share them. Without a name the row
    is called by what differs, and `model` None is the model of the side bar.
    """

    id: int
    method: str
    name: str = ""
    model: str | None = None
    own: Mapping[str, object] = field(default_factory=dict)

    def knobs(self, shared: Knobs) -> Knobs:
        """All knobs of the row."""
        knobs, method = replace(shared, method=self.method), METHODS[self.method]
        for name in method.knobs:
            if name in self.own:
                knobs = method.with_value(knobs, name, self.own[name])
        return knobs

    def usual_name(self, shared: Knobs) -> str:
        """What the row is called without a name."""
        return ComparisonRow("", self.knobs(shared), self.model).usual_name(shared)

    def row(self, shared: Knobs) -> ComparisonRow:
        """The row of a comparison."""
        return ComparisonRow(self.name or self.usual_name(shared), self.knobs(shared), self.model)


def new_row(method: str, own: Mapping[str, object] | None = None, **fields: Any) -> RowState:
    """A row with a new number; knobs that are not in `own` are as the rows share them."""
    st.session_state[_MADE] = st.session_state.get(_MADE, 0) + 1
    return RowState(st.session_state[_MADE], method, own=own or {}, **fields)


def kept_rows(shared: Knobs) -> tuple[RowState, ...]:
    """The rows as they were left, else those of the link, else the standard methods."""
    rows = remembered(PAGE, "rows", None, lambda text: _read_rows(text, shared))
    if rows is None:
        rows = rows_of(STANDARD)
    remember(PAGE, "rows", rows)
    return tuple(rows)


def rows_of(methods: Iterable[str]) -> tuple[RowState, ...]:
    """A row for each method, with the knobs that all share."""
    return tuple(new_row(method) for method in methods)


def link_of_rows(rows: Sequence[RowState], shared: Knobs) -> str | None:
    """The rows for the address, a line each; None for the standard ones, a ";" for none."""
    if [replace(each, id=0) for each in rows] == [RowState(0, method) for method in STANDARD]:
        return None
    lines = (_line(each, shared).replace("%", "%25").replace(";", "%3B") for each in rows)
    return ";".join(lines) or ";"


@uninterrupted
def change_row(row_id: int, what: Literal["name", "method", "model"], key: str) -> None:
    """Keep a widget's value for the row; for callbacks."""
    given = str(st.session_state[key] or "").strip()

    def changed(row: RowState) -> RowState:
        if what == "model":
            return replace(row, model=given or None)
        return replace(row, name=given) if what == "name" else replace(row, method=given)

    _change(row_id, changed)


@uninterrupted
def change_knob(row_id: int, name: str, key: str, usual: Any) -> None:
    """Keep a knob of the row; at the `usual` value, that of all rows, it is shared again."""
    value = st.session_state[key]

    def changed(row: RowState) -> RowState:
        others = {other: each for other, each in row.own.items() if other != name}
        return replace(row, own=others if value == usual else {**others, name: value})

    _change(row_id, changed)


@uninterrupted
def copy_row(row_id: int) -> None:
    """A copy below the row, without its name: two rows of one name cannot be compared."""
    rows = _kept()
    place = next(place for place, row in enumerate(rows) if row.id == row_id)
    copied = new_row(rows[place].method, rows[place].own, model=rows[place].model)
    remember(PAGE, "rows", (*rows[: place + 1], copied, *rows[place + 1 :]))


@uninterrupted
def remove_row(row_id: int) -> None:
    """Leave the row out."""
    remember(PAGE, "rows", tuple(row for row in _kept() if row.id != row_id))


@uninterrupted
def add_row() -> None:
    """A row at the end, of the first method that no row has."""
    rows = _kept()
    used = {row.method for row in rows}
    method = next((name for name in METHODS if name not in used), Knobs.method)
    remember(PAGE, "rows", (*rows, new_row(method)))


@uninterrupted
def replace_rows(rows: Iterable[StartRow]) -> None:
    """Other rows instead of all."""
    remember(PAGE, "rows", tuple(new_row(row.method, row.knobs) for row in rows))


def _kept() -> tuple[RowState, ...]:
    return tuple(last_value(PAGE, "rows"))


def _change(row_id: int, changed: Callable[[RowState], RowState]) -> None:
    remember(PAGE, "rows", tuple(changed(row) if row.id == row_id else row for row in _kept()))


def _line(state: RowState, shared: Knobs) -> str:
    """The row's line; a row that is called by what differs needs no name there."""
    line = state.row(shared).line(shared)
    return line if state.name else shlex.join(shlex.split(line)[1:])


def _read_rows(text: str, shared: Knobs) -> tuple[RowState, ...]:
    """Rows from a link.

    Raises:
        ValueError: One of them cannot be read.
    """
    lines = [line.replace("%3B", ";").replace("%25", "%") for line in text.split(";")]
    try:
        return tuple(
            _state_of(ComparisonRow.parse(line, shared), shared) for line in lines if line.strip()
        )
    except InvalidInput as error:
        raise ValueError("cannot be read as rows") from error


def _state_of(row: ComparisonRow, shared: Knobs) -> RowState:
    method = METHODS[row.knobs.method]
    usual = replace(shared, method=method.name, own_values=())
    values = {name: method.value_of(row.knobs, name) for name in method.knobs}
    own = {name: value for name, value in values.items() if value != method.value_of(usual, name)}
    name = "" if row.name == row.usual_name(shared) else row.name
    return new_row(row.knobs.method, own, name=name, model=row.model)
