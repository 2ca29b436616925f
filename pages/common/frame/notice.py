"""What was just done, with the way back, shown on the page where it was done."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.store import Action
from core.studio import Studio
from core.studio.pools import demonstrations
from pages.common.frame.page import shown_errors
from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import draw_button, was_pressed

NOTICE_KEY = "notice_{}"


@dataclass(frozen=True)
class Notice:
    """A sentence; with the pool's actions behind it, if it can be undone."""

    page: str
    pool: str
    text: str
    actions: tuple[int, ...] = ()
    back: str = "Undo"


def note(page: str, pool: str, text: str) -> None:
    """Show a sentence on the page from the next run on."""
    st.session_state[NOTICE_KEY.format(page)] = Notice(page, pool, text)


def note_edits(
    page: str, pool: str, what: str, actions: Sequence[int], more: Sequence[str]
) -> None:
    """Say which cells were saved, and what else there is to know about it."""
    text = " ".join((f"Saved: {what}.", *more))
    st.session_state[NOTICE_KEY.format(page)] = Notice(page, pool, text, tuple(actions))


def note_action(studio: Studio, page: str, pool: str, action: int) -> None:
    """Say what the action did, in the words of the history."""
    done = next(a for a in demonstrations.history(studio, pool, limit=20) if a.id == action)
    text = f"{done.what[:1].upper()}{done.what[1:]}."
    st.session_state[NOTICE_KEY.format(page)] = Notice(page, pool, text, (action,), way_back(done))


def way_back(action: Action) -> str:
    """What taking the action back is called."""
    return "Redo" if action.what.startswith("undo: ") else "Undo"


def forget_notice(page: str) -> None:
    """Something else was done since, which has its own way back."""
    st.session_state.pop(NOTICE_KEY.format(page), None)


def latest_notice(page: str, pool: str) -> Notice | None:
    """The latest notice of this page; None where there is none of this pool."""
    notice: Notice | None = st.session_state.get(NOTICE_KEY.format(page))
    if notice is None or notice.pool != pool:
        st.session_state.pop(NOTICE_KEY.format(page), None)
        return None
    return notice


def take_back(studio: Studio, page: str, notice: Notice) -> None:
    """Undo what the notice is about, the last action first, and note that.

    Raises:
        StaleRevision: A later change touched the same demonstrations.
    """
    for action in reversed(notice.actions):
        last = demonstrations.undo(studio, action)
    note_action(studio, page, notice.pool, last)


def show_notice(studio: Studio, page: str, pool: str, *, without: Sequence[str] = ()) -> bool:
    """Draw the latest notice of this page and pool with its undo; whether there is one.

    Args:
        studio: Where it was done.
        page: The page.
        pool: Its pool.
        without: Which buttons, "Undo" and "Redo", the page has elsewhere: it has one of each.
    """
    notice = latest_notice(page, pool)
    if notice is None:
        return False
    key = f"{page}_notice_undo"
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        if notice.actions and notice.back not in without:
            # It comes first: at the right end the table's own menu would cover it.
            icon = f":material/{notice.back.lower()}:"
            draw_button(notice.back, key=key, about=notice, icon=icon)
        st.success(plain(notice.text), icon=":material/check:")
    if was_pressed(key, notice):
        with shown_errors():
            uninterrupted(take_back)(studio, page, notice)
            st.rerun()
    return True
