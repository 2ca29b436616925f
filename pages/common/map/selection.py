"""Demonstrations selected on the map: by lasso or box, or without a mouse, and acted on."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demonstration.demonstration import Demonstration
from core.reporting.results.pool_map import By, PoolMap
from core.studio.map.pool_map import present
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.retrieved import retrieved_now
from pages.common.demonstrations.bulk import Scope, bulk_actions
from pages.common.demonstrations.editing import look_excluded
from pages.common.demonstrations.find import find_line, saved_searches, what_is_sought
from pages.common.frame.page import Frame, shown_errors
from pages.common.state.knobs import kept_knobs
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

SELECTED = "map_selected"
_SOUGHT = "map_sought"
MOST_SHOWN = 500


def chart_key(by: By) -> str:
    """The key of a map's chart; a new one redraws it, without an earlier lasso's outline."""
    return f"map_chart_{by}_{key_number(_chart(by))}"


def selected_ids() -> list[int]:
    """The ids of what is selected, also of what is not on the map."""
    ids: list[int] = st.session_state.get(SELECTED, [])
    return ids


@uninterrupted
def keep_selection(by: By) -> None:
    """Copy the ids of the selected points: the chart forgets them when its picture changes.

    The other map's chart loses its outline, which would show another selection.
    """
    st.session_state[SELECTED] = sorted({_id(point["customdata"]) for point in _points(by)})
    for other in By:
        if other is not by and _points(other):
            empty_widgets(_chart(other))


def _points(by: By) -> list[Any]:
    """The points inside the lasso or the box of a map's chart."""
    state = st.session_state.get(chart_key(by))
    return list(state["selection"]["points"]) if state else []


def _select(ids: list[int]) -> None:
    """Select by other means than the charts, whose outline would show another selection."""
    st.session_state[SELECTED] = ids
    for by in By:
        empty_widgets(_chart(by))
    st.rerun()


def _chart(by: By) -> str:
    return f"map {by}"


def _id(customdata: Any) -> int:
    """A point's id: plotly gives it alone or as a list of one."""
    return int(customdata[0] if isinstance(customdata, list | tuple) else customdata)


def selection_panel(frame: Frame, found: PoolMap, acts_place: DeltaGenerator) -> None:
    """The selected demonstrations as a table; in its place what can be done with them."""
    _select_by_words(frame)
    rows = present(found, selected_ids())
    with acts_place:
        if rows:
            _selection_actions(frame, [row.id for row in rows])
        else:
            st.caption(
                "Nothing is selected. Draw around points with the lasso, or with the box from the "
                "chart's menu, to list, tag, exclude or delete them."
            )
    if rows:
        _selection_table(found, rows)


def _selection_actions(frame: Frame, ids: list[int]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{len(ids):,} selected**")
        if st.button("Clear the selection", key="map_clear"):
            _select([])
    scope = Scope(
        "Selected",
        f"{len(ids):,} selected",
        len(ids),
        "selected on the Map",
        lambda: ids,
        tuple(ids),
    )
    bulk_actions(frame, "map", [scope])


def _selection_table(found: PoolMap, rows: list[Demonstration]) -> None:
    quality = dict(zip(found.ids.tolist(), found.quality_bias.tolist(), strict=True))
    shown = pd.DataFrame(
        {
            "id": row.id,
            "query": row.query,
            "answer": row.answer,
            "incorrect answers": [wrong.text for wrong in row.incorrect],
            "tags": list(row.tags),
            "status": row.status.value,
            "quality bias": quality[row.id],
        }
        for row in rows[:MOST_SHOWN]
    )
    st.dataframe(
        look_excluded(shown, "status", st.context.theme.type),
        hide_index=True,
        height=min(400, 38 + 35 * len(rows)),
        column_config={
            "id": st.column_config.NumberColumn(format="%d", width=60),
            "query": st.column_config.TextColumn(width=340),
            "answer": st.column_config.TextColumn(width=340),
            "quality bias": st.column_config.NumberColumn(
                format="%.2f", help="Mean log-probability of the answer's tokens, in nats."
            ),
        },
    )
    if len(rows) > MOST_SHOWN:
        st.caption(
            f"The first {MOST_SHOWN} are shown, and a click on a header sorts them; actions "
            f"apply to all {len(rows):,}."
        )


@dataclass(frozen=True)
class _Sought:
    """What was found last by the line, and what it found."""

    pool: str
    text: str
    ids: tuple[int, ...]


def _select_by_words(frame: Frame) -> None:
    """The same selection from the keyboard: what the table finds as well."""
    # Plain widgets: what is typed into a form and not sent is lost when the page is left.
    with st.expander("Find on the map, or select without the mouse"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text, pool = find_line("map").strip(), frame.setup.pool
            before: _Sought | None = st.session_state.get(_SOUGHT)
            sought = before is not None and (before.pool, before.text) == (pool, text)
            selected = sought and before is not None and before.ids == tuple(selected_ids())
            # What is typed, or was found in the table, is selected once; the button does so again.
            again = st.button("Select", key="map_words_select", disabled=not text or selected)
            saved_searches(frame, "map", text)
        if not text or (sought and not again):
            return
        retrieved, _ = retrieved_now(frame.studio, frame.setup, kept_knobs())
        found = what_is_sought(frame, text, retrieved)
        if found is not None:
            with shown_errors():
                ids = demonstrations.matching_ids(frame.studio, TableRequest(pool, found.criteria))
                st.session_state[_SOUGHT] = _Sought(pool, text, tuple(ids))
                _select(ids)
