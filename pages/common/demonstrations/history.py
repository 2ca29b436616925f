"""What was done to a pool, newest first: its rows and its undo; one row's life."""

from collections.abc import Mapping

import streamlit as st

from core.demonstration.fields import FIELD
from core.store import Action, RowChange
from core.studio.pools import demonstrations
from core.text import counted
from pages.common.frame.local_time import local, zone_in_words
from pages.common.frame.notice import note_action, way_back
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import edged, plain
from pages.common.state.address import Link
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import draw_button, was_pressed

AT_ONCE = 25
ROWS = 100
"""Of an action so many rows are shown."""
MANY = "demonstrations_history_many"
HEIGHT = 420


def history_section(frame: Frame) -> Link:
    """Draw the list of actions; returns what of it belongs into the link."""
    many = st.session_state.setdefault(MANY, AT_ONCE)
    actions = demonstrations.history(frame.studio, frame.setup.pool, limit=many + 1)
    st.caption(
        "Open one to see what it changed. Undoing is an action too: undo it to redo. If a later "
        f"change touched the same cells, undo that one first. {plain(zone_in_words())}"
    )
    if not actions:
        st.info("Nothing has been done to this pool yet.")
    for action in actions[:many]:
        _draw(frame, action)
    if len(actions) > many and st.button("Show more", key="demonstrations_history_more"):
        st.session_state[MANY] = many + AT_ONCE
        st.rerun()
    for action in actions[:many]:
        if was_pressed(_key(action)):
            with shown_errors():
                _undo(frame, action)
                st.rerun()
    _one_life(frame)
    return {}


@uninterrupted
def _undo(frame: Frame, action: Action) -> None:
    undone = demonstrations.undo(frame.studio, action.id)
    note_action(frame.studio, "demonstrations", frame.setup.pool, undone)


def _draw(frame: Frame, action: Action) -> None:
    rows, button = st.columns([8, 1], vertical_alignment="top")
    with rows:
        when = f"{local(action.when):%Y-%m-%d %H:%M:%S}"
        line = st.expander(
            plain(f"{when} · {action.what} · {action.who}"),
            key=f"demonstrations_history_{action.id}",
            type="compact",
            on_change="rerun",
        )
        if line.open:
            with line:
                _draw_rows(frame, action)
    if action.undone:
        button.text("undone")
        return
    with button:
        draw_button(
            way_back(action), key=_key(action), disabled=not action.changes, width="stretch"
        )


def _draw_rows(frame: Frame, action: Action) -> None:
    """What the action changed, a line for each field of each row; the rest is counted."""
    changes = demonstrations.changes(frame.studio, action.id, limit=ROWS)
    if not changes:
        st.caption("It changed nothing.")
        return
    lines = [line for change in changes for line in _lines(change)]
    st.dataframe(
        lines,
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(lines)),
        column_config={
            "id": st.column_config.NumberColumn("id", width=60, format="%d"),
            "query": st.column_config.TextColumn("query", width="medium"),
            "changed": st.column_config.TextColumn("changed", width=110),
        },
    )
    more = action.changes - len(changes)
    if more > 0:
        st.caption(f"and {counted(more, 'more demonstration')}")


def _lines(change: RowChange) -> list[dict[str, object]]:
    """A line for each field that differs; one for a row that came or went."""
    known: dict[str, object] = {"id": change.id or None, "query": edged(change.query)}
    if change.before and change.after:
        return [
            known | {"changed": _label(name), "from": _value(was), "to": _value(change.after[name])}
            for name, was in change.before.items()
        ]
    sides = {"from": _in_words(change.before), "to": _in_words(change.after)}
    return [known | {"changed": "deleted" if change.before else "added"} | sides]


def _key(action: Action) -> str:
    return f"demonstrations_undo_{action.id}"


def _one_life(frame: Frame) -> None:
    with st.expander("History of one demonstration"):
        id = st.number_input(
            "id of the demonstration",
            min_value=1,
            value=None,
            key="demonstrations_life",
            persist_state="session",
        )
        if id is None:
            return
        with shown_errors():
            steps = demonstrations.life(frame.studio, int(id))
            st.dataframe(
                [
                    {
                        "when": local(step.when),
                        "what": step.what,
                        "who": step.who,
                        "before": _in_words(step.before),
                        "after": _in_words(step.after),
                    }
                    for step in steps
                ],
                hide_index=True,
            )


def _label(name: str) -> str:
    return FIELD[name].label if name in FIELD else name


def _value(value: object) -> str:
    """A value as it is read: lists with semicolons, spaces at its ends in sight."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(edged, value)) if isinstance(value, list) else edged(str(value))


def _in_words(fields: Mapping[str, object]) -> str:
    """The fields that say something."""
    said = {name: value for name, value in fields.items() if value not in ("", [], False)}
    return "; ".join(f"{_label(name)}: {_value(value)}" for name, value in said.items())
