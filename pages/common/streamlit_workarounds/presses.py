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

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.common.streamlit_workarounds.callbacks import uninterrupted

_PRESSED = "pressed_buttons"


@dataclass(frozen=True)
class Press:
    """A press of a button.

    Attributes:
        about: What the button was about when it was pressed. The run that acts on the press may
            have drawn it for something else by then, as when Undo is pressed while a cell is being
            edited: what it would undo is then the edit, which nobody has seen.
    """

    about: Hashable


def draw_button(label: str, *, key: str, about: Hashable = None, **options: Any) -> None:
    """Draw a button as `st.button` does; `press_of` and `was_pressed` tell of its press."""
    st.button(label, key=key, on_click=_press, args=(key, about), **options)


def press_of(key: str) -> Press | None:
    """The press of the button that nothing has been done about yet; once, then None."""
    pressed: dict[str, Press] = st.session_state.get(_PRESSED, {})
    return pressed.pop(key, None)


def was_pressed(key: str, about: Hashable = None) -> bool:
    """Whether the button was pressed when it was about this; as `press_of`, once."""
    return press_of(key) == Press(about)


def button(label: str, *, key: str, disabled: bool = False, **options: Any) -> bool:
    """Draw a button that is about one thing only; whether it was pressed and still can be."""
    draw_button(label, key=key, disabled=disabled, **options)
    return was_pressed(key) and not disabled


def forget_presses() -> None:
    """Drop what nobody asked for, as when the button is not on the page any more."""
    st.session_state.pop(_PRESSED, None)


@uninterrupted
def _press(key: str, about: Hashable) -> None:
    st.session_state.setdefault(_PRESSED, {})[key] = Press(about)
