"""The details view "Why not this one?": any demonstration of the pool, step by step."""

import streamlit as st

from core.demonstration.criteria import Criterion, IdCriterion, OfStatus, Words
from core.demonstration.demonstration import Demonstration, Status
from core.reporting.tables.explore import parts_sentence, triangle_sentence, why_sentence, why_table
from core.retrieval.choosing import METHODS
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import LatestResults
from core.studio.explore.path import explain
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.text import short
from pages.common.explore.cockpit.stage import PAGE, mark_in_triangle
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.one_demonstration.acting import after_acting
from pages.common.one_demonstration.buttons import act_buttons

MOST = 50
"""The most that one search offers."""
LONGEST_ID = 19
"""More digits than any id has."""


def show_why_not(frame: Frame, latest: LatestResults, found: Exploration) -> None:
    """Search for a demonstration; its reason, its steps, and where in the triangle it is."""
    after_acting()  # the buttons below redraw this view alone
    method = METHODS[found.request.knobs.method]
    if not method.chooses_by_mmr:
        st.info(f"{method.label} does not choose by relevance, quality and diversity.")
        return
    text = st.text_input(
        "Which demonstration?",
        placeholder="part of a text, or its id",
        key="explore_why_text",
        persist_state="session",
    )
    rows = _matching(frame, text.strip())
    if not rows:
        st.caption("No included demonstration has this text." if text.strip() else "")
        return
    label = f"{len(rows)} found" if len(rows) < MOST else f"The first {MOST} found"
    # By id: a demonstration that changes meanwhile is another value.
    by_id = {row.id: row for row in rows}
    names = {id: f"{id}: {short(row.query)} | {short(row.answer)}" for id, row in by_id.items()}
    chosen = by_id[
        st.selectbox(
            label,
            list(by_id),
            format_func=names.__getitem__,
            key="explore_why_row",
            persist_state="session",
        )
    ]
    with shown_errors():  # the pool may have changed since the context was chosen
        _show_explained(latest, found, chosen.id)
    pinned = chosen.status is Status.PINNED
    act_buttons(frame, PAGE, chosen.id, pinned=pinned, key="explore_why")


def _show_explained(latest: LatestResults, found: Exploration, id: int) -> None:
    why = explain(found.resolved, latest.triangle(found.resolved), id)
    st.markdown(plain(why_sentence(why.found)))
    sentences = [parts_sentence(why.found)]
    if why.contexts is not None and why.share is not None:
        sentences.append(triangle_sentence(why.contexts, why.share))
        mark_in_triangle(id)
    st.caption(plain(" ".join(sentences)))
    if found.certainty.kind == "approximate":
        st.caption("Explained without the index: chosen among all demonstrations.")
    if why.found.trials:
        st.html(why_table(why.found.trials, why.queries))


def _matching(frame: Frame, text: str) -> list[Demonstration]:
    """The one with this id, else those with this text."""
    wanted: list[Criterion] = [Words(text)] if text else []
    if text.isdecimal() and len(text) < LONGEST_ID:
        wanted.insert(0, IdCriterion((int(text),)))
    for criterion in wanted:
        criteria = (criterion, OfStatus(Status.INCLUDED))
        request = TableRequest(frame.setup.pool, criteria, size=MOST)
        rows = demonstrations.table(frame.studio, request).rows
        if rows:
            return list(rows)
    return []
