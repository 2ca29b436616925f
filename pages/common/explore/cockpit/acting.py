"""What is done to a demonstration where it was retrieved: exclude, pin, tag, open its row, undo."""

from dataclasses import dataclass

import streamlit as st

from core.demonstration.demonstration import Status
from core.errors import ShotlistError
from core.studio import Studio
from core.studio.pools import demonstrations
from pages.common.frame.notice import latest_notice, note, note_action, take_back
from pages.common.state.only_these import show_only

PAGE = "explore"
_OPEN = "explore_cockpit_open"
_DONE = "explore_cockpit_done"
_STATUSES = {"exclude": Status.EXCLUDED, "pin": Status.PINNED, "unpin": Status.INCLUDED}


@dataclass(frozen=True)
class Act:
    """What the visitor pressed: `does` names it, `tag` is the text that was typed."""

    does: str
    id: int = 0
    tag: str = ""


def act(studio: Studio, pool: str, wanted: Act) -> None:
    """Do it, from a callback; `after_acting` draws the page again. A refusal is noted as well."""
    if wanted.does == "open":
        st.session_state[_OPEN] = wanted.id
        return
    st.session_state[_DONE] = True
    try:
        _done(studio, pool, wanted)
    except ShotlistError as error:
        note(PAGE, pool, str(error))


def _done(studio: Studio, pool: str, wanted: Act) -> None:
    if wanted.does == "undo":
        notice = latest_notice(PAGE, pool)
        if notice is not None and notice.actions:
            take_back(studio, PAGE, notice)
        return
    if wanted.does in _STATUSES:
        action = demonstrations.set_status(studio, [wanted.id], _STATUSES[wanted.does])
    else:
        action = demonstrations.add_tag(studio, [wanted.id], wanted.tag)
    note_action(studio, PAGE, pool, action)


def after_acting(pool: str) -> None:
    """Draw the whole page again after a change of the pool, or go to the row that was opened."""
    opened = st.session_state.pop(_OPEN, None)
    if opened is not None:
        show_only(pool, [opened])
        st.switch_page("pages/demonstrations.py")
    if st.session_state.pop(_DONE, False):
        st.rerun()
