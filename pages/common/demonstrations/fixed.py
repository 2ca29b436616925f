"""The demonstrations that the method `fix` shows for every query."""

import streamlit as st

from core.demonstration.criteria import OfStatus, Words
from core.demonstration.demonstration import Demonstration, Status
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from pages.common.demonstrations.fixed_search import choose_search, search_for_fixed
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, shown_errors
from pages.common.state.address import Link

CHANGED = "The fixed demonstrations were changed."


def fixed_section(frame: Frame) -> Link:
    """Draw them in their order, with ways to change them; returns what belongs into the link."""
    rows = demonstrations.fixed(frame.studio, frame.setup.pool)
    st.caption(
        "The method fix shows these for every query, the first k of them; a query's own "
        "demonstrations are left out when it is an evaluation example. A pool that names none "
        "gets six drawn once with its seed."
    )
    ids = [row.id for row in rows]
    for place, row in enumerate(rows):
        changed = _row(place, row, ids)
        if changed is not None:
            _store(frame, changed)
    _add(frame, ids)
    if st.button("Draw six with the pool's seed", key="fixed_draw"):
        _store(frame, [])
    with st.expander("Find a set by trying"):
        request = choose_search(frame)
        best = search_for_fixed(frame, request)
    if best is not None:
        _store(frame, list(best))
    return {"limit": request.limit}


def _row(place: int, row: Demonstration, ids: list[int]) -> list[int] | None:
    """Draw one; returns the new list of ids when it is to change."""
    number, text, up, away = st.columns([0.4, 7.4, 0.9, 1.3], vertical_alignment="center")
    number.text(f"{place + 1}")
    excluded = " (excluded, so left out)" if row.status is Status.EXCLUDED else ""
    text.text(f"Q: {row.query}{excluded}\nA: {row.answer}")
    if up.button(
        "Up", key=f"fixed_up_{row.id}", disabled=place == 0, help="One place up", width="stretch"
    ):
        return [*ids[: place - 1], row.id, ids[place - 1], *ids[place + 1 :]]
    if away.button("Remove", key=f"fixed_remove_{row.id}", width="stretch"):
        return [id for id in ids if id != row.id]
    return None


def _add(frame: Frame, ids: list[int]) -> None:
    search, choice, button = st.columns([3, 5, 1], vertical_alignment="bottom")
    text = search.text_input(
        "Find one to add",
        key="fixed_search",
        placeholder="part of its text",
        persist_state="session",
    )
    if not text.strip():
        return
    request = TableRequest(frame.setup.pool, (Words(text.strip()), OfStatus(Status.INCLUDED)))
    found = {row.id: row for row in demonstrations.table(frame.studio, request).rows}
    for id in ids:
        found.pop(id, None)
    picked = choice.selectbox(
        f"{len(found):,} found",
        list(found),
        format_func=lambda id: f"{found[id].query} - {found[id].answer}",
        index=0 if found else None,
        key="fixed_choice",
    )
    pressed = button.button("Add", key="fixed_add", disabled=picked is None, width="stretch")
    if pressed and picked is not None:
        _store(frame, [*ids, picked])


def _store(frame: Frame, ids: list[int]) -> None:
    with shown_errors():
        before = demonstrations.fixed(frame.studio, frame.setup.pool)
        demonstrations.name_fixed(frame.studio, frame.setup.pool, ids)
        now = demonstrations.fixed(frame.studio, frame.setup.pool)
        same = [row.id for row in now] == [row.id for row in before]
        sentence = "These are already the six drawn with the pool's seed." if same else CHANGED
        note("demonstrations", frame.setup.pool, sentence)
        st.rerun()
