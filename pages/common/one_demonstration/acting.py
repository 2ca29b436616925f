"""What is done to a demonstration where it is shown: exclude, pin, tag, edit, undo."""

from dataclasses import dataclass

import streamlit as st

from core.demonstration.demonstration import Status
from core.errors import ShotlistError
from core.studio import Studio
from core.studio.pools import demonstrations
from pages.common.frame.notice import latest_notice, note, note_action, take_back
from pages.common.one_demonstration.editing import begin_editing

_DONE = "acted_on_a_demonstration"
_STATUSES = {"exclude": Status.EXCLUDED, "pin": Status.PINNED, "unpin": Status.INCLUDED}


@dataclass(frozen=True)
class Act:
    """What the visitor pressed: `does` names it, `tag` is the text that was typed."""

    does: str
    id: int = 0
    tag: str = ""


def act(studio: Studio, page: str, pool: str, wanted: Act) -> None:
    """Do it, from a callback; `after_acting` draws the page again. A refusal is noted as well."""
    st.session_state[_DONE] = True
    try:
        _done(studio, page, pool, wanted)
    except ShotlistError as error:
        note(page, pool, str(error))


def _done(studio: Studio, page: str, pool: str, wanted: Act) -> None:
    if wanted.does == "edit":
        begin_editing(studio, page, pool, wanted.id)
        return
    if wanted.does == "undo":
        notice = latest_notice(page, pool)
        if notice is not None and notice.actions:
            take_back(studio, page, notice)
        return
    if wanted.does in _STATUSES:
        action = demonstrations.set_status(studio, [wanted.id], _STATUSES[wanted.does])
    else:
        action = demonstrations.add_tag(studio, [wanted.id], wanted.tag)
    note_action(studio, page, pool, action)


def after_acting() -> None:
    """Draw the whole page again after something was done; a fragment would draw itself alone."""
    if st.session_state.pop(_DONE, False):
        st.rerun()
