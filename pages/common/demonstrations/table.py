"""Demonstrations as a table: find, sort, edit in place, tick, and act on many."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.demonstration.demonstration import Status
from core.demonstration.fields import SEARCHED
from core.retrieval.retrieved import Retrieved
from core.store import ID, QUALITY_BIAS, RETRIEVED, Order
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import PAGE_SIZE, TableRequest
from core.text import listed
from pages.common.demonstrations.adding import add_by_hand
from pages.common.demonstrations.bulk import Scope, bulk_actions
from pages.common.demonstrations.editing import Deltas, Editing, look_excluded
from pages.common.demonstrations.saving import (
    EDITING_KEY,
    PAGE,
    deltas_of,
    refused_in,
    save_typed,
    state_row,
)
from pages.common.demonstrations.table_columns import NOT_EDITABLE, SORTS, in_order, table_columns
from pages.common.frame.page import Frame
from pages.common.frame.retrieved import show_retrieved
from pages.common.frame.run_mark import finished_runs
from pages.common.state.knobs import kept_key, kept_knobs, whole
from pages.common.state.only_these import link_of, only_these
from pages.common.state.state import Link, keeper, one_of, remember, remembered

DRAWN_KEY = "demonstrations_drawn"
ANY = "any"
HEIGHT = 520


@dataclass(frozen=True, slots=True)
class Drawn:
    """When the editor was last drawn: under which key, and how many runs had finished before."""

    key: str
    finished_runs: int


def table_section(frame: Frame) -> Link:
    """Draw the section; returns what of it belongs into the link."""
    wanted, link = _filters(frame)
    retrieved = show_retrieved(frame, kept_knobs(), at_once=wanted.order.by == RETRIEVED)
    editing = _current(frame, wanted, retrieved)
    _choose_page(editing)
    state_row(frame)
    deltas = _editor(frame, editing)
    ticked = editing.ticked(deltas)
    bulk_actions(
        frame,
        PAGE,
        (
            Scope(
                "Ticked here",
                f"{len(ticked):,} ticked here",
                len(ticked),
                "ticked in the table",
                lambda: ticked,
            ),
            Scope(
                "All that match the filters",
                f"all {editing.total:,} that match the filters",
                editing.total,
                f"found by {wanted.text!r}" if wanted.text else "matching the filters",
                lambda: demonstrations.matching_ids(frame.studio, wanted),
                replace(wanted, order=Order()),
            ),
        ),
    )
    add_by_hand(frame)
    page = editing.request.page + 1
    return {**link, "page": page if page > 1 else None}


def _filters(frame: Frame) -> tuple[TableRequest, Link]:
    """Filters and order; the page is the first one whenever they change."""
    named = only_these(frame.setup.pool)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    search_key = kept_key(PAGE, "search", "")
    text = row.text_input(
        "Search",
        key=search_key,
        on_change=keeper(search_key, "search"),
        placeholder="part of any text",
        help="Finds exactly these letters, in upper or lower case, in "
        f"{listed([field.label for field in SEARCHED])}.",
        width=200,
    )
    known = demonstrations.tags(frame.studio, frame.setup.pool)
    tags_key = kept_key(PAGE, "tags", [], lambda text: text.split("|"))
    st.session_state[tags_key] = [tag for tag in st.session_state[tags_key] if tag in known]
    tags = row.multiselect(
        "Tags",
        list(known),
        key=tags_key,
        format_func=lambda tag: f"{tag} ({known[tag]:,})",
        placeholder="any",
        help="Those that carry at least one of these.",
        width=160,
    )
    status = row.selectbox(
        "Status",
        [ANY, *Status],
        key=kept_key(PAGE, "status", ANY, one_of(ANY, *Status)),
        width=105,
    )
    order = _choose_order(row)
    remember("search", text)
    remember("tags", tags)
    remember("status", str(status))
    found = None if status == ANY else Status(status)
    link = {
        "search": text,
        "tags": "|".join(tags),
        "status": found,
        "ids": link_of(named),
        "sort": None if order.by == ID else order.by,
        "descending": order.descending or None,
    }
    return TableRequest(frame.setup.pool, text.strip(), tuple(tags), found, order, ids=named), link


def _choose_order(row: Any) -> Order:
    by = row.selectbox(
        "Sort by",
        list(SORTS),
        format_func=SORTS.__getitem__,
        key=kept_key(PAGE, "sort", ID, one_of(*SORTS)),
        help="Sorts all that match, not only the rows in sight; ties are ordered by id.",
        width=165,
    )
    key = kept_key(PAGE, "descending", False, lambda text: text == "True")
    descending = row.toggle("Descending", key=key, wrap=True)
    remember("sort", by)
    remember("descending", bool(descending))
    return Order(by, bool(descending))


def _current(frame: Frame, wanted: TableRequest, retrieved: Retrieved | None) -> Editing:
    """The rows in the editor: those of the last run unless others are wanted."""
    current: Editing | None = st.session_state.get(EDITING_KEY)
    edition = demonstrations.edition(frame.studio, frame.setup.pool)
    quality = demonstrations.quality_biases(frame.studio, frame.setup, frame.readiness.view)
    if current is None or current.request.pool != wanted.pool:
        first = replace(wanted, page=_first_page(current))
        current = _read(frame, first, edition, quality, retrieved, current)
    deltas = deltas_of(current)
    page = st.session_state.get(_page_key(current), current.request.page + 1) - 1
    moved = replace(wanted, page=page if _same_filters(current.request, wanted) else 0)
    if moved != current.request or _was_left(current):
        current = _read(frame, moved, edition, quality, retrieved, current)
    elif (
        edition != current.edition
        or len(quality) != len(current.quality_bias)
        or retrieved is not current.retrieved
    ):
        now = _read(frame, moved, edition, quality, retrieved, current)
        stays = now.ids == current.ids and not now.contradicted(deltas, refused_in(wanted.pool))
        if stays:
            now = replace(
                now, generation=current.generation, base=current.base, ticks=current.ticks
            )
        current = now
    elif current.contradicted(deltas, refused_in(wanted.pool)):
        current = _read(frame, moved, edition, quality, retrieved, current)
    st.session_state[EDITING_KEY] = current
    return current


def _was_left(editing: Editing) -> bool:
    """Whether something else was drawn since the editor was drawn under this key.

    The browser has then forgotten what was typed into it: under its old key it would show the
    values from before. A late browser may have sent it once more when the page was left, so that
    the key alone does not show it.
    """
    drawn: Drawn | None = st.session_state.get(DRAWN_KEY)
    if drawn is None or drawn.key != editing.key:
        return False
    return editing.key not in st.session_state or finished_runs() > drawn.finished_runs + 1


def _first_page(before: Editing | None) -> int:
    """The page of a table that was not shown before: the link's, for a visitor who just came."""
    return remembered("page", 1, whole(1, 10**9)) - 1 if before is None else 0


def _read(
    frame: Frame,
    request: TableRequest,
    edition: int,
    quality: Mapping[int, float],
    retrieved: Retrieved | None,
    before: Editing | None,
) -> Editing:
    """The rows that are wanted, under a new key of the editor, with the ticks so far."""
    shares = {} if retrieved is None else retrieved.shares
    values = shares if request.order.by == RETRIEVED else quality
    found = demonstrations.table(frame.studio, request, values)
    last = max(0, math.ceil(found.total / PAGE_SIZE) - 1)
    if request.page > last:
        request = replace(request, page=last)
        found = demonstrations.table(frame.studio, request, values)
    same = before is not None and _same_filters(before.request, request)
    return Editing(
        request,
        edition,
        tuple(found.rows),
        tuple(found.rows),
        found.total,
        0 if before is None else before.generation + 1,
        frozenset(before.ticked(deltas_of(before))) if same and before is not None else frozenset(),
        quality,
        retrieved,
        demonstrations.changed(frame.studio, [row.id for row in found.rows]),
    )


def _same_filters(one: TableRequest, other: TableRequest) -> bool:
    return replace(one, page=0) == replace(other, page=0)


def _page_key(editing: Editing) -> str:
    return f"{editing.key}_page"


def _choose_page(editing: Editing) -> None:
    pages = math.ceil(editing.total / PAGE_SIZE)
    first, order = editing.request.page * PAGE_SIZE, editing.request.order
    with st.container(horizontal=True, vertical_alignment="center"):
        if not editing.total:
            st.text("No demonstration matches the filters.")
        else:
            st.text(f"{first + 1:,} to {first + len(editing.rows):,} of {editing.total:,}")
        if pages > 1:
            st.pagination(
                pages,
                default=editing.request.page + 1,
                key=_page_key(editing),
                width=90 + 44 * min(pages, 7),
            )
        if order.by == QUALITY_BIAS and not editing.quality_bias:
            st.caption("No quality bias is scored yet: the rows are ordered by id.")
        if order.by == RETRIEVED and editing.retrieved is None:
            st.caption("Until they are counted, the rows are ordered by id.")


def _editor(frame: Frame, editing: Editing) -> Deltas:
    if not editing.rows:
        return {}
    # Streamlit's own type of a column is in a module that is not for others.
    columns: Any = table_columns(list(demonstrations.tags(frame.studio, frame.setup.pool)))
    shown = editing.frame(refused_in(frame.setup.pool), deltas_of(editing))
    with st.container(key="demonstrations_editor"):
        st.data_editor(
            look_excluded(shown, "status", st.context.theme.type),
            key=editing.key,
            on_change=save_typed,
            args=(frame.studio, editing),
            hide_index=True,
            height=min(HEIGHT, 38 + 35 * len(editing.rows)),
            disabled=NOT_EDITABLE,
            column_order=in_order(columns, editing.request.order.by),
            alt="Demonstrations of the pool, editable",
            column_config=columns,
        )
    st.session_state[DRAWN_KEY] = Drawn(editing.key, finished_runs())
    return deltas_of(editing)
