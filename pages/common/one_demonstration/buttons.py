"""Buttons that do something to the demonstration beside them."""

import streamlit as st

from pages.common.frame.page import Frame
from pages.common.one_demonstration.acting import Act, act, after_acting
from pages.common.streamlit_workarounds.callbacks import uninterrupted


def act_buttons(frame: Frame, page: str, id: int, *, pinned: bool, key: str) -> None:
    """Exclude, pin and edit in one row; `key` begins the keys of the buttons."""
    after_acting()  # a button may redraw a fragment alone

    def does(what: str) -> None:
        act(frame.studio, page, frame.setup.pool, Act(what, id))

    with st.container(horizontal=True):
        for name, what, label, help in (
            ("exclude", "exclude", "Exclude", "It is in no context from now on."),
            (
                "pin",
                "unpin" if pinned else "pin",
                "Unpin" if pinned else "Pin",
                "A pinned demonstration begins every context of this pool.",
            ),
            ("edit", "edit", "Edit", "Opens its texts and tags here."),
        ):
            st.button(
                label, key=f"{key}_{name}", help=help, on_click=uninterrupted(does), args=(what,)
            )
