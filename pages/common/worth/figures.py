"""What each demonstration is worth, as a list, the least first, with what can be done about it."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.demonstration.demonstration import Demonstration
from core.evaluation.runs.worth import DemonstrationWorth, Worth
from core.metrics.registry import METRICS
from core.studio.pools import demonstrations
from pages.common.frame.page import Frame
from pages.common.one_demonstration.card import show_card
from pages.common.review.queues import PAGE, begin_queue
from pages.common.state.only_these import show_only
from pages.common.streamlit_workarounds.callbacks import uninterrupted

LISTED = 1_000
"""So many are listed, the least worth; a browser draws no more of them at once."""
HEIGHT = 420
NAME = "Worth the least"
"""The name of a queue of these."""
_LEAVING = "review_leaving_worth"


def list_figures(frame: Frame, found: Worth) -> None:
    """Draw the list, buttons for the ticked ones, and the first of them."""
    if st.session_state.pop(_LEAVING, False):
        st.switch_page("pages/demonstrations.py")
    rows = demonstrations.present(frame.studio, [each.id for each in found.demonstrations])
    there = [each for each in found.demonstrations if each.id in rows]
    if not there:
        return
    if len(there) > LISTED:
        st.caption(f"The {LISTED:,} worth least of {len(there):,} are listed.")
    listed = there[:LISTED]
    ticked = _choose(frame, found, listed, rows)
    harming = [each.id for each in listed if (each.worth.mean or 0.0) < 0.0]
    meant = ticked or harming
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Read one by one",
            key="review_read_worth",
            help="Those that are ticked, else all that are below 0, the least first.",
            disabled=not meant,
            on_click=_read_one_by_one,
            args=(frame, meant),
        )
        st.button(
            "Show in the table",
            key="review_worth_in_table",
            help="Opens these in the table of Demonstrations.",
            disabled=not meant,
            on_click=_show_in_table,
            args=(frame.setup.pool, meant),
        )
    show_card(frame, PAGE, rows[(ticked or [listed[0].id])[0]])


def _choose(
    frame: Frame,
    found: Worth,
    listed: Sequence[DemonstrationWorth],
    rows: Mapping[int, Demonstration],
) -> list[int]:
    """Draw the list; the ids that are ticked."""
    unit = METRICS[found.metric].unit
    column = st.column_config
    event = st.dataframe(
        pd.DataFrame(
            {
                "id": [each.id for each in listed],
                "worth": [each.worth.mean for each in listed],
                "low": [each.worth.low for each in listed],
                "high": [each.worth.high for each in listed],
                "contexts": [each.worth.n for each in listed],
                "query": [rows[each.id].query for each in listed],
                "answer": [rows[each.id].answer for each in listed],
                "status": [rows[each.id].status.value for each in listed],
            }
        ),
        key=f"review_worth_{found.run}_{len(listed)}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=min(HEIGHT, 36 * (len(listed) + 1) + 2),
        placeholder="-",
        column_config={
            "id": column.NumberColumn("id", width=60, format="%d"),
            "worth": column.NumberColumn("worth", width=70, format="%.3f", help=unit),
            "low": column.NumberColumn("from", width=65, format="%.3f", help="95 % interval"),
            "high": column.NumberColumn("to", width=65, format="%.3f", help="95 % interval"),
            "contexts": column.NumberColumn(
                "contexts",
                width=75,
                format="%d",
                help="How many examples have it in their context. An interval takes several: how "
                "many depends on the metric.",
            ),
            "query": column.TextColumn("query", width="medium"),
            "answer": column.TextColumn("answer", width="medium"),
            "status": column.TextColumn("status", width=75),
        },
    )
    return [listed[place].id for place in event.selection.rows if place < len(listed)]


@uninterrupted
def _read_one_by_one(frame: Frame, ids: Sequence[int]) -> None:
    begin_queue(frame.studio, frame.setup.pool, NAME, ids)


@uninterrupted
def _show_in_table(pool: str, ids: Sequence[int]) -> None:
    show_only(pool, ids)
    st.session_state[_LEAVING] = True
