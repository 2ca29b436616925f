"""What was just done, with the way back, shown on the page where it was done."""

from dataclasses import dataclass

import streamlit as st

from core.studio import Studio, demonstrations
from pages.common.page import shown_errors
from pages.common.text import plain


@dataclass(frozen=True)
class Notice:
    """A sentence; with the pool's action behind it, if it can be undone."""

    page: str
    pool: str
    text: str
    action: int | None = None
    back: str = "Undo"


def note(page: str, pool: str, text: str) -> None:
    """Show a sentence at the top of the page from the next run on."""
    st.session_state["notice"] = Notice(page, pool, text)


def note_action(studio: Studio, page: str, pool: str, action: int) -> None:
    """Say what the action did, in the words of the history."""
    done = next(a for a in demonstrations.history(studio, pool, limit=20) if a.id == action)
    text = f"{done.what[:1].upper()}{done.what[1:]}."
    back = "Undo" if done.undoes is None else "Redo"
    st.session_state["notice"] = Notice(page, pool, text, action, back)


def show_notice(studio: Studio, page: str, pool: str) -> None:
    """The latest notice of this page and pool, with its undo."""
    notice = st.session_state.get("notice")
    if notice is None or (notice.page, notice.pool) != (page, pool):
        st.session_state.pop("notice", None)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(plain(notice.text), icon=":material/check:")
        undo = notice.action is not None and st.button(
            notice.back, key=f"{page}_notice_undo", icon=f":material/{notice.back.lower()}:"
        )
    if undo:
        with shown_errors():
            note_action(studio, page, pool, demonstrations.undo(studio, notice.action))
            st.rerun()
