"""The button that imports; it says whether that makes something new or adds to what there is."""

import streamlit as st

from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted

PRESSED = "{}_pressed"
"""By the key of a button, what it said that was pressed; the run that follows imports what its
widgets say."""


def import_button(
    thing: str, name: str, *, exists: bool, ready: bool, key: str, name_key: str | None = None
) -> bool:
    """Whether the button was pressed, and what is chosen now is what it said.

    Args:
        thing: What is imported into, as "pool".
        name: Its name, which may still be empty.
        exists: Whether there is one of that name.
        ready: Whether all else that an import needs is there.
        key: The button's.
        name_key: The field of the name, for what is said at once, wherever the page is scrolled to.
    """
    label = f"Add to the {thing}" if exists else f"Import as a new {thing}"
    if not name:
        st.caption(f"Give the {thing} a name.")
    st.button(
        label,
        type="primary",
        disabled=not ready or not name,
        key=key,
        on_click=_press,
        args=[label, key, name_key],
    )
    pressed = st.session_state.pop(PRESSED.format(key), None)
    if ready and name and pressed is not None and pressed != label:
        there = f"is a {thing}" if exists else f"is no {thing}"
        st.info(plain(f"There {there} named {name}: press the button if that is what you want."))
    return ready and bool(name) and pressed == label


@uninterrupted
def _press(label: str, key: str, name_key: str | None) -> None:
    """Keep what the button said; for callbacks."""
    st.session_state[PRESSED.format(key)] = label
    if name_key is not None:
        name = st.session_state[name_key].strip()
        st.toast(plain(f"Importing into {name}"), icon=":material/hourglass_top:")
