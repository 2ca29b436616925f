"""Edits of the demonstrations' table: each is saved at once; a refused one stays, with why."""

from copy import deepcopy
from dataclasses import replace

import streamlit as st

from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.edits import Cell, RefusedEdit, SavedEdits, edits_of, save_each, save_over
from pages.common.demonstrations.editing import Deltas, Editing, fresh
from pages.common.frame.notice import note_edits, show_notice
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted

PAGE = "demonstrations"
EDITING_KEY = "demonstrations_editing"
DONE = "demonstrations_done"
REFUSED = "demonstrations_refused"
SHOWN = 3
"""How many refusals are shown in full."""
ABOUT = (
    "Double-click a cell to edit it, or type into it; Enter saves. Every edit is saved at once and "
    "can be undone, here or in the history. In cells with several entries Enter adds one and Tab "
    "ends. Of a query's answers at most one is best. Excluded demonstrations are never retrieved. "
    "The kinds are in the order of the incorrect answers and name what each gets wrong; DPO is "
    "then shown by kind as well."
)


def deltas_of(editing: Editing) -> Deltas:
    """What was typed into the editor under its present key."""
    state = st.session_state.get(editing.key)
    return deepcopy(state["edited_rows"]) if state else {}


def refused_in(pool: str) -> dict[Cell, RefusedEdit]:
    """The visitor's values for a pool that could not be saved; they stay until settled."""
    pools: dict[str, dict[Cell, RefusedEdit]] = st.session_state.setdefault(REFUSED, {})
    return pools.setdefault(pool, {})


@uninterrupted
def save_typed(studio: Studio, editing: Editing) -> None:
    """Save what was typed since the last time; the editor's callback.

    It may come after other rows took their place, or after the page was left: `editing` are the
    rows that the editor had when the visitor typed.
    """
    done = st.session_state.setdefault(DONE, {})
    deltas = deltas_of(editing)
    typed = fresh(deltas, done.get(editing.key, {}))
    st.session_state[DONE] = {**dict(list(done.items())[-5:]), editing.key: deltas}
    pool = editing.request.pool
    for place, columns in typed.items():
        for name in columns:
            refused_in(pool).pop((editing.rows[place].id, name), None)
    current: Editing = st.session_state[EDITING_KEY]
    known = {row.id: row for row in current.rows}
    edits = edits_of([known.get(row.id, row) for row in editing.rows], typed)
    if edits:
        edition = demonstrations.edition(studio, pool)
        _settle(studio, pool, edition, save_each(studio, edits.values()))


def _settle(studio: Studio, pool: str, edition: int, saved: SavedEdits) -> None:
    """Note what was saved, keep what was refused, and show the rows as they are now."""
    refused_in(pool).update(saved.refused)
    if saved.actions:
        note_edits(PAGE, pool, saved.what, saved.actions, saved.late)
    current: Editing = st.session_state[EDITING_KEY]
    if current.request.pool != pool:
        return
    now = demonstrations.present(studio, current.ids)
    # While nobody else changes the pool, the rows keep their places, whatever is typed into them.
    alone = edition == current.edition
    st.session_state[EDITING_KEY] = replace(
        current,
        edition=demonstrations.edition(studio, pool) if alone else current.edition,
        rows=tuple(now.get(row.id, row) for row in current.rows),
        changed=demonstrations.changed(studio, current.ids),
    )


def state_row(frame: Frame) -> None:
    """One row above the table, always there: what was refused, else what was done, else how."""
    pool = frame.setup.pool
    with st.container(key="demonstrations_state"):
        if refused := refused_in(pool):
            _show_refused(frame, refused)
        elif not show_notice(frame.studio, PAGE, pool):
            st.caption("Double-click a cell to edit it. Every edit is saved at once.", help=ABOUT)


def _show_refused(frame: Frame, refused: dict[Cell, RefusedEdit]) -> None:
    sentences = list(dict.fromkeys(one.why for one in refused.values()))
    more = len(sentences) - SHOWN
    shown = [*sentences[:SHOWN], *([f"{more:,} more."] if more > 0 else [])]
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        late = {cell: one for cell, one in refused.items() if one.late}
        if late:
            st.button(
                "Save mine",
                key="demonstrations_save_over",
                on_click=_save_mine,
                args=(frame.studio, frame.setup.pool, late),
                help="Overwrites the other values with yours; the history keeps both.",
            )
        st.button(
            "Discard",
            key="demonstrations_discard",
            on_click=refused.clear,
            help="Shows these cells as they are saved.",
        )
        st.error(plain(f"Not saved. {' '.join(shown)}"), icon=":material/error:")


@uninterrupted
def _save_mine(studio: Studio, pool: str, late: dict[Cell, RefusedEdit]) -> None:
    for cell in late:
        refused_in(pool).pop(cell, None)
    edition = demonstrations.edition(studio, pool)
    _settle(studio, pool, edition, save_over(studio, late))
