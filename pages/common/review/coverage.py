"""Coverage on Review: how near the nearest demonstrations are, where holes are, what fills them."""

import pandas as pd
import streamlit as st

from core.curation.coverage import Coverage
from core.reporting.figures.distributions import nearest_figure
from core.studio.pools import demonstrations
from core.studio.pools.retrieved import CoverageRequest, cover_in_background, coverage_now
from pages.common.frame.look import draw_figure
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.review.queues import PAGE
from pages.common.state.address import Link
from pages.common.state.examples import choose_pool_of_examples
from pages.common.state.passed_on import draw_holes, write_one
from pages.common.state.readers import within
from pages.common.state.state import remember, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_values import keep_sending

LISTED = 1_000
"""So many holes are listed, the farthest."""
SHARE = 0.1
"""The share of the queries that are holes until another similarity is chosen."""
HEIGHT = 420
_LEAVING = "review_leaving_coverage"


def show_coverage(frame: Frame) -> Link:
    """Draw it; returns what of it belongs into the link."""
    if page := st.session_state.pop(_LEAVING, ""):
        st.switch_page(f"pages/{page}.py")
    pool = frame.setup.pool
    chosen, slider = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with chosen:
        examples = choose_pool_of_examples(frame.studio, pool, PAGE)
    remember(PAGE, "examples", examples)
    linked: float | None = remembered(PAGE, "below", None, within(0.0, 1.0))
    link: Link = {"examples": examples, "below": linked}
    request = CoverageRequest(frame.setup, examples or pool)
    found = None
    with shown_errors():
        found, job = coverage_now(frame.studio, request)
        if found is None:
            watch(frame.studio, job or cover_in_background(frame.studio, request), "Compare again")
    if found is None:
        return link
    if not found.queries:
        st.info("The pool that was chosen has no included query.")
        return link
    with slider:
        below, chosen_below = _choose_below(found, request, linked)
    holes = found.holes(below)
    title = (
        f"{len(holes):,} of {len(found.queries):,} queries have no demonstration as near as "
        f"{below:.2f}"
    )
    draw_figure(nearest_figure(found.similarity, below, title), "review_coverage")
    st.caption(plain(_in_words(found)))
    if len(holes):
        _list_holes(frame, request, found, below)
    return {**link, "below": chosen_below}


def _choose_below(
    found: Coverage, request: CoverageRequest, linked: float | None
) -> tuple[float, float | None]:
    """Below which similarity a query is a hole; the same again if it was chosen, else None."""
    usual = min(max(round(found.at_share(SHARE), 2), 0.0), 1.0)
    key = f"{PAGE}_below_{request.examples}_{request.setup.pool}"
    keep_sending(key, usual if linked is None else linked)
    below = st.slider(
        "Holes are below",
        0.0,
        1.0,
        step=0.01,
        format="%.2f",
        key=key,
        help="A query is a hole if its nearest demonstration has a smaller cosine with it: 0 makes "
        f"none of them one, 1 all. Until you choose, it is {SHARE:.0%} of them.",
    )
    chosen = None if below == usual else float(below)
    remember(PAGE, "below", chosen)
    return float(below), chosen


def _in_words(found: Coverage) -> str:
    median, tenth = found.at_share(0.5), found.at_share(SHARE)
    return (
        "The nearest demonstration of another query has a cosine of "
        f"{median:.2f} in the median; for a tenth of the queries it is {tenth:.2f} or less."
    )


def _list_holes(frame: Frame, request: CoverageRequest, found: Coverage, below: float) -> None:
    holes = found.holes(below)
    if len(holes) > LISTED:
        st.caption(f"The {LISTED:,} farthest of {len(holes):,} are listed.")
    listed = holes[:LISTED].tolist()
    rows = demonstrations.present(frame.studio, [int(found.nearest[place]) for place in listed])
    nearest = [rows.get(int(found.nearest[place])) for place in listed]
    table = pd.DataFrame(
        {
            "cosine": [float(found.similarity[place]) for place in listed],
            "query": [found.queries[place] for place in listed],
            "nearest": [row.query if row else "" for row in nearest],
            "answer": [row.answer if row else "" for row in nearest],
        }
    )
    if not request.own:
        table.insert(1, "ends", found.fills(below)[: len(listed)])
    column = st.column_config
    event = st.dataframe(
        table,
        key=f"review_holes_{hash((request, tuple(listed)))}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=min(HEIGHT, 36 * (len(listed) + 1) + 2),
        column_config={
            "cosine": column.NumberColumn("cosine", width=70, format="%.2f"),
            "ends": column.NumberColumn(
                "ends",
                width=60,
                help="How many other holes end if this query gets a demonstration",
            ),
            "query": column.TextColumn("query", width="medium"),
            "nearest": column.TextColumn("nearest query", width="medium"),
            "answer": column.TextColumn("its answer", width="small"),
        },
    )
    ticked = [listed[place] for place in event.selection.rows if place < len(listed)]
    query = found.queries[(ticked or listed)[0]]
    pool, source = frame.setup.pool, request.examples
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Write one here",
            key="review_write_one",
            help=plain(
                f"A new demonstration that begins with: {query} Put it in other words: an "
                "evaluation example never has its own query in its context."
            ),
            on_click=_write_one,
            args=(pool, query),
        )
        st.button(
            "Show on the Map",
            key="review_holes_on_map",
            help="Draws the holes as squares among the demonstrations.",
            on_click=_show_on_map,
            args=(pool, [found.queries[place] for place in holes.tolist()], source),
        )


@uninterrupted
def _write_one(pool: str, query: str) -> None:
    write_one(pool, query)
    st.session_state[_LEAVING] = "demonstrations"


@uninterrupted
def _show_on_map(pool: str, queries: list[str], source: str) -> None:
    draw_holes(pool, queries, source)
    st.session_state[_LEAVING] = "map"
