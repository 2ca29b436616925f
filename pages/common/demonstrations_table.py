"""Demonstrations as a table: find, edit in place, tick, and act on many."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import StaleRevision
from core.studio import demonstrations
from core.studio.demonstrations import PAGE_SIZE, TableRequest
from core.types import Status
from pages.common.bulk import Scope, bulk_actions
from pages.common.demonstrations_add import add_by_hand
from pages.common.editing import TICK, Editing, read_again, read_table
from pages.common.knobs import kept_key
from pages.common.notice import note_action
from pages.common.only_these import link_of, only_these
from pages.common.page import Frame, shown_errors
from pages.common.state import one_of, remember

PAGE = "demonstrations"
HELD = "demonstrations_editing"
STALE = "demonstrations_stale"
ANY = "any"
HEIGHT = 520
COLUMNS = (
    TICK, "id", "query", "answer", "incorrect", "tags", "status", "best", "note", "incorrect_kinds",
)  # fmt: skip


def table_section(frame: Frame) -> dict[str, Any]:
    """Draw the section; returns what of it belongs into the link."""
    wanted, link = _filters(frame)
    editing = _current(frame, wanted)
    _choose_page(editing)
    deltas = _editor(frame, editing)
    _save(frame, editing, deltas)
    ticked = editing.ticked(deltas)
    bulk_actions(
        frame,
        PAGE,
        (
            Scope(f"{len(ticked):,} ticked here", len(ticked), lambda: ticked),
            Scope(
                f"All {editing.total:,} that match the filters",
                editing.total,
                lambda: demonstrations.matching_ids(frame.studio, wanted),
            ),
        ),
        after=lambda: refresh(frame),
    )
    add_by_hand(frame, lambda: refresh(frame))
    return link


def refresh(frame: Frame) -> None:
    """Read the table again after an action of this visitor; edits that are not saved stay."""
    editing = st.session_state.get(HELD)
    if editing is not None and editing.request.pool == frame.setup.pool:
        version = demonstrations.summary(frame.studio, frame.setup.pool).version
        st.session_state[HELD] = read_again(frame.studio, editing, _deltas(editing), version)


def _filters(frame: Frame) -> tuple[TableRequest, dict[str, Any]]:
    """The filters; the page is the first one whenever they change."""
    named = only_these(frame.setup.pool)
    text_place, tags_place, status_place = st.columns([3, 3, 1])
    text = text_place.text_input(
        "Search",
        key=kept_key(PAGE, "search", ""),
        placeholder="in query, answers and note",
        help="Letter for letter, in upper or lower case.",
    )
    known = demonstrations.tags(frame.studio, frame.setup.pool)
    tags_key = kept_key(PAGE, "tags", [], lambda said: said.split("|"))
    st.session_state[tags_key] = [tag for tag in st.session_state[tags_key] if tag in known]
    tags = tags_place.multiselect(
        "Tags",
        list(known),
        key=tags_key,
        format_func=lambda tag: f"{tag} ({known[tag]:,})",
        placeholder="any",
        help="Those that carry at least one of these.",
    )
    status = status_place.selectbox(
        "Status", [ANY, *Status], key=kept_key(PAGE, "status", ANY, one_of(ANY, *Status))
    )
    remember("search", text)
    remember("tags", tags)
    remember("status", str(status))
    found = None if status == ANY else Status(status)
    link = {"search": text, "tags": "|".join(tags), "status": found, "ids": link_of(named)}
    return TableRequest(frame.setup.pool, text.strip(), tuple(tags), found, ids=named), link


def _current(frame: Frame, wanted: TableRequest) -> Editing:
    """The rows in the editor: those of the last run unless others are wanted."""
    held: Editing | None = st.session_state.get(HELD)
    version = demonstrations.summary(frame.studio, frame.setup.pool).version
    if held is None or held.request.pool != wanted.pool:
        held = read_table(frame.studio, wanted, version, _next(held), {})
        st.session_state.pop(STALE, None)
    edits = held.edits(_deltas(held))
    page = st.session_state.get(_page_key(held), held.request.page + 1) - 1
    moved = replace(wanted, page=page if _same_filters(held.request, wanted) else 0)
    if moved != held.request or (version != held.version and not edits):
        held = read_table(frame.studio, moved, version, _next(held), edits)
    st.session_state[HELD] = held
    return held


def _next(held: Editing | None) -> int:
    return 0 if held is None else held.generation + 1


def _same_filters(one: TableRequest, other: TableRequest) -> bool:
    return replace(one, page=0) == replace(other, page=0)


def _page_key(editing: Editing) -> str:
    return f"{editing.key}_page"


def _choose_page(editing: Editing) -> None:
    pages = math.ceil(editing.total / PAGE_SIZE)
    first = editing.request.page * PAGE_SIZE
    with st.container(horizontal=True, vertical_alignment="center"):
        if not editing.total:
            st.text("No demonstration matches the filters.")
        else:
            st.text(f"{first + 1:,} to {first + len(editing.rows):,} of {editing.total:,}")
        if pages > 1:
            st.pagination(pages, default=editing.request.page + 1, key=_page_key(editing))


def _deltas(editing: Editing) -> Mapping[int, Mapping[str, Any]]:
    state = st.session_state.get(editing.key)
    return state["edited_rows"] if state else {}


def _editor(frame: Frame, editing: Editing) -> Mapping[int, Mapping[str, Any]]:
    if not editing.rows:
        return {}
    column = st.column_config
    st.data_editor(
        pd.DataFrame(editing.shown()),
        key=editing.key,
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(editing.rows)),
        disabled=["id"],
        column_order=COLUMNS,
        alt="Demonstrations of the pool, editable",
        column_config={
            TICK: column.CheckboxColumn("", width=40, pinned=True, help="Tick rows to act on."),
            "id": column.NumberColumn("id", width=55, pinned=True, format="%d"),
            "query": column.TextColumn("query", width=225),
            "answer": column.TextColumn("answer", width=225),
            "incorrect": column.ListColumn(
                "incorrect", width=140, help="Incorrect answers. Enter adds one, Tab is done."
            ),
            "tags": column.MultiselectColumn(
                "tags",
                width=105,
                options=list(demonstrations.tags(frame.studio, frame.setup.pool)),
                accept_new_options=True,
            ),
            "best": column.CheckboxColumn(
                "best", width=60, help="The best of its query's correct answers; at most one is."
            ),
            "status": column.SelectboxColumn(
                "status",
                width=80,
                options=[status.value for status in Status],
                required=True,
                help="Excluded demonstrations are never retrieved.",
            ),
            "note": column.TextColumn("note", width=120),
            "incorrect_kinds": column.ListColumn(
                "kinds of incorrect",
                width=140,
                help="What each incorrect answer gets wrong, in their order; DPO is then told by "
                "kind as well. An answer that stays keeps its kind.",
            ),
        },
    )
    return _deltas(editing)


def _save(frame: Frame, editing: Editing, deltas: Mapping[int, Mapping[str, Any]]) -> None:
    edits = editing.edits(deltas)
    with st.container(horizontal=True, vertical_alignment="center"):
        many = f"{len(edits):,} edited row{'' if len(edits) == 1 else 's'}"
        save = st.button(
            f"Save {many}" if edits else "Save edits",
            type="primary",
            disabled=not edits,
            key="demonstrations_save",
            help="Double-click a cell to edit it. Edits are kept until you save or discard them "
            "or reload the page; saving writes all of them or none.",
        )
        if edits and st.button("Discard", key="demonstrations_discard"):
            st.session_state[HELD] = replace(
                editing, version=-1, generation=editing.generation + 1, carried={}
            )
            st.session_state.pop(STALE, None)
            st.rerun()
    if save:
        _write(frame, edits)
    if st.session_state.get(STALE) and edits:
        _offer_newest(frame)


def _write(frame: Frame, edits: Mapping[int, demonstrations.Edit]) -> None:
    st.session_state.pop(STALE, None)
    with shown_errors():
        try:
            action = demonstrations.save_edits(frame.studio, edits.values())
        except StaleRevision:
            st.session_state[STALE] = True
            raise
        held: Editing = st.session_state[HELD]
        st.session_state[HELD] = replace(
            held, version=-1, generation=held.generation + 1, carried={}
        )
        note_action(frame.studio, PAGE, frame.setup.pool, action)
        st.rerun()


def _offer_newest(frame: Frame) -> None:
    if st.button(
        "Read the table again and keep my edits",
        key="demonstrations_newest",
        help="Shows the rows as they are now with your edits on top; look at them, then save.",
    ):
        refresh(frame)
        st.session_state.pop(STALE, None)
        st.rerun()
