"""Demonstrations as a table: find, sort, edit in place, tick, and act on many."""

import math
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.store import ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, SearchOrder
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import PAGE_SIZE, TableRequest
from core.studio.pools.searching import SearchCriteria
from core.studio.runs.worth import worths
from pages.common.demonstrations.adding import add_by_hand, is_writing
from pages.common.demonstrations.bulk import Scope, bulk_actions
from pages.common.demonstrations.editing import Deltas, Editing, Values, look_excluded
from pages.common.demonstrations.find import Filters, find_in_table, what_is_sought
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
from pages.common.state.address import Link
from pages.common.state.knobs import kept_key, kept_knobs
from pages.common.state.readers import one_of, switch, whole
from pages.common.state.state import remember, remembered

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
    writing = is_writing(frame.setup.pool)
    if writing:
        add_by_hand(frame)  # above the table, where whoever came to write one sees it
    filters, row = find_in_table(frame)
    order = _choose_order(row)
    counted = order.by == RETRIEVED
    with row:
        retrieved = show_retrieved(frame, kept_knobs(), at_once=counted or filters.asks(RETRIEVED))
    found = what_is_sought(frame, filters.text, retrieved)
    wanted = _request(frame, filters, found, order)
    values = Values(
        demonstrations.quality_biases(frame.studio, frame.setup, frame.readiness.view),
        retrieved,
        {} if found is None else found.similarity,
        worths(frame.studio, frame.setup.pool),
    )
    editing = _current(frame, wanted, values)
    _choose_page(editing, refused=found is None)
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
                f"found by {filters.as_text}" if filters.as_text else "the whole table",
                lambda: demonstrations.matching_ids(frame.studio, wanted),
                replace(wanted, order=SearchOrder()),
                bool(wanted.criteria),
            ),
        ),
    )
    if not writing:
        add_by_hand(frame)
    page = editing.request.page + 1
    return {
        **filters.link,
        "sort": None if order.by == ID else order.by,
        "descending": order.descending or None,
        "page": page if page > 1 else None,
    }


def _request(
    frame: Frame, filters: Filters, found: SearchCriteria | None, order: SearchOrder
) -> TableRequest:
    """What is asked for; the nearest in meaning come first where no other order is chosen."""
    if found is not None and found.similarity and order == SearchOrder():
        order = SearchOrder(SIMILARITY, descending=True)
    return TableRequest(frame.setup.pool, filters.criteria(found), order)


def _choose_order(row: DeltaGenerator) -> SearchOrder:
    by = row.selectbox(
        "Sort by",
        list(SORTS),
        format_func=SORTS.__getitem__,
        key=kept_key(PAGE, "sort", ID, one_of(*SORTS)),
        help="Sorts all that match, not only the rows in sight; ties are ordered by id.",
        width=165,
    )
    key = kept_key(PAGE, "descending", False, switch())
    descending = row.toggle("Descending", key=key, wrap=True)
    remember(PAGE, "sort", by)
    remember(PAGE, "descending", bool(descending))
    return SearchOrder(by, bool(descending))


def _current(frame: Frame, wanted: TableRequest, values: Values) -> Editing:
    """The rows in the editor: those of the last run unless others are wanted."""
    current: Editing | None = st.session_state.get(EDITING_KEY)
    edition = demonstrations.edition(frame.studio, frame.setup.pool)
    if current is None or current.request.pool != wanted.pool:
        first = replace(wanted, page=_first_page(current))
        current = _read(frame, first, edition, values, current)
    deltas = deltas_of(current)
    page = st.session_state.get(_page_key(current), current.request.page + 1) - 1
    moved = replace(wanted, page=page if _same_filters(current.request, wanted) else 0)
    if moved != current.request or _was_left(current):
        current = _read(frame, moved, edition, values, current)
    elif (
        edition != current.edition
        or len(values.quality_bias) != len(current.values.quality_bias)
        or values.retrieved is not current.values.retrieved
        or values.worth != current.values.worth
    ):
        now = _read(frame, moved, edition, values, current)
        stays = now.ids == current.ids and not now.contradicted(deltas, refused_in(wanted.pool))
        if stays:
            now = replace(
                now, generation=current.generation, base=current.base, ticks=current.ticks
            )
        current = now
    elif current.contradicted(deltas, refused_in(wanted.pool)):
        current = _read(frame, moved, edition, values, current)
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
    return remembered(PAGE, "page", 1, whole(1)) - 1 if before is None else 0


def _read(
    frame: Frame,
    request: TableRequest,
    edition: int,
    values: Values,
    before: Editing | None,
) -> Editing:
    """The rows that are wanted, under a new key of the editor, with the ticks so far."""
    by = values.of(request.order.by)
    found = demonstrations.table(frame.studio, request, by)
    last = max(0, math.ceil(found.total / PAGE_SIZE) - 1)
    if request.page > last:
        request = replace(request, page=last)
        found = demonstrations.table(frame.studio, request, by)
    same = before is not None and _same_filters(before.request, request)
    return Editing(
        request,
        edition,
        tuple(found.rows),
        tuple(found.rows),
        found.total,
        0 if before is None else before.generation + 1,
        frozenset(before.ticked(deltas_of(before))) if same and before is not None else frozenset(),
        values,
        demonstrations.changed(frame.studio, [row.id for row in found.rows]),
    )


def _same_filters(one: TableRequest, other: TableRequest) -> bool:
    return replace(one, page=0) == replace(other, page=0)


def _page_key(editing: Editing) -> str:
    return f"{editing.key}_page"


def _choose_page(editing: Editing, *, refused: bool) -> None:
    pages = math.ceil(editing.total / PAGE_SIZE)
    first, order = editing.request.page * PAGE_SIZE, editing.request.order
    with st.container(horizontal=True, vertical_alignment="center"):
        if refused:
            pass  # the reason is shown above
        elif not editing.total:
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
        if order.by == SIMILARITY:
            st.caption("The nearest in meaning come first.")
        if order.by == QUALITY_BIAS and not editing.values.quality_bias:
            st.caption("No quality bias is scored yet: the rows are ordered by id.")
        if order.by == WORTH and editing.values.worth is None:
            st.caption("Nothing is judged yet, see Review: the rows are ordered by id.")
        if order.by == RETRIEVED and editing.values.retrieved is None:
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
            column_order=in_order(
                columns, editing.request.order.by, judged=editing.values.worth is not None
            ),
            alt="Demonstrations of the pool, editable",
            column_config=columns,
        )
    st.session_state[DRAWN_KEY] = Drawn(editing.key, finished_runs())
    return deltas_of(editing)
