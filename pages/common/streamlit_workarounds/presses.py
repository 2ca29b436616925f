"""Buttons whose press is not lost when another request ends the run that it began.

What Streamlit does: a press is there in one run alone. When another request comes before that run
has reached the button, it ends the run and begins another one without the press: Exclude, and a
moment later another order of the table, excluded nothing. A callback comes before anything else in
a run, so that it can keep the press for the run that follows.

- Issue: https://github.com/streamlit/streamlit/issues/10578 (open).
- Made for: Streamlit 1.67.
- It can go when `tests/pages/test_presses_are_not_lost.py` fails in
  `test_streamlit_itself_loses_a_press`.
"""

from typing import Any

import streamlit as st

from pages.common.streamlit_workarounds.callbacks import uninterrupted

_PRESSED = "pressed_buttons"


def draw_button(label: str, *, key: str, **options: Any) -> None:
    """Draw a button as `st.button` does; `was_pressed` tells whether it was pressed."""
    st.button(label, key=key, on_click=_press, args=(key,), **options)


def was_pressed(key: str) -> bool:
    """Whether the button was pressed and nothing has been done about it yet; true once."""
    pressed: set[str] = st.session_state.get(_PRESSED, set())
    if key not in pressed:
        return False
    pressed.remove(key)
    return True


def forget_presses() -> None:
    """Drop what nobody asked for, as when the button is not on the page any more."""
    st.session_state.pop(_PRESSED, None)


@uninterrupted
def _press(key: str) -> None:
    st.session_state.setdefault(_PRESSED, set()).add(key)
