"""One line on whether diversity can pay in the page's pool, once that is known."""

import streamlit as st

from core.reporting.words.start_page import suitability_line
from core.studio.pools.pools import suitability
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import draw_again_after


def show_suitability(frame: Frame, *, where: str = "here", with_incorrect: bool = True) -> None:
    """Draw the line of `suitability_line`; until it is known its place is empty.

    Args:
        frame: The page's.
        where: How the sentence names the pool.
        with_incorrect: Whether it mentions incorrect answers.
    """
    view = frame.readiness.view
    if view is None:
        return
    with shown_errors(), st.container(key="suitability"):
        found, job = suitability(frame.studio, frame.setup, view)
        if job is not None:
            draw_again_after(job, [])
        elif found is not None:
            line = suitability_line(found, where=where, with_incorrect=with_incorrect)
            if line:
                st.caption(plain(line))
