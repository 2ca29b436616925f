"""A demonstration in a frame, with what can be done to it."""

import streamlit as st

from core.demonstration.demonstration import Demonstration, Status
from pages.common.frame.page import Frame
from pages.common.frame.text import bold, edged, plain
from pages.common.one_demonstration.buttons import act_buttons


def show_card(frame: Frame, page: str, row: Demonstration, *, texts: str = "") -> None:
    """Its texts, id and tags, and the buttons beside them.

    Args:
        frame: The page's.
        page: Its name.
        row: The demonstration.
        texts: Its query and answer as markdown, if not as they are.
    """
    with st.container(border=True):
        left, buttons = st.columns([3, 2], vertical_alignment="center")
        with left:
            st.markdown(texts or f"{bold(row.query)}  \n{plain(edged(row.answer))}")
            more = [f"{row.id}"]
            if row.status is not Status.INCLUDED:
                more.append(row.status.value)
            if row.tags:
                more.append(f"tags: {', '.join(row.tags)}")
            if row.incorrect:
                more.append(f"incorrect: {'; '.join(each.text for each in row.incorrect)}")
            st.caption(plain(" · ".join(more)))
        with buttons:
            pinned = row.status is Status.PINNED
            act_buttons(frame, page, row.id, pinned=pinned, key=f"{page}_{row.id}")
