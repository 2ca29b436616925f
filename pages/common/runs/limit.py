"""How many examples, queries or questions a run takes."""

from typing import Any

import streamlit as st

from core.studio.runs.running import LIMIT, examples_in
from pages.common.frame.page import Frame
from pages.common.state.readers import whole
from pages.common.state.state import keeper, remembered


def choose_limit(
    frame: Frame, page: str, unit: str, place: Any, *, help: str, examples: str | None = None,
    disabled: bool = False,
) -> int:  # fmt: skip
    """The number that is chosen, at most as many as the pool has.

    Args:
        frame: The page's.
        page: Whose number it is, in the session and in the link.
        unit: What is counted, as "Examples".
        place: Where the widget is drawn.
        help: What a larger number costs and gives.
        examples: The pool that they are from; None for the pool in use.
        disabled: Nothing can be chosen.
    """
    most = max(examples_in(frame.studio, examples or frame.setup.pool), 1)
    key = f"{page}_limit"
    # What was asked for outlives a pool that is smaller.
    st.session_state[key] = min(remembered(page, "limit", LIMIT, whole(1)), most)
    return int(
        place.number_input(
            f"{unit} (of {most:,})",
            min_value=1,
            max_value=most,
            key=key,
            on_change=keeper(key, page, "limit"),
            help=help,
            disabled=disabled,
        )
    )
