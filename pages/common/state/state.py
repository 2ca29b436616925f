"""What a visitor has chosen: kept across pages in the session, and readable from a link."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import streamlit as st

from core.text import lambda_text
from pages.common.streamlit_workarounds.callbacks import uninterrupted

LINK_VERSION = "1"
Link: TypeAlias = Mapping[str, str | float | None]
"""Values of a view for its address, by name; None and the empty text are left out."""


def remembered(name: str, default: Any, read: Callable[[str], Any] = str) -> Any:
    """The value of a name: that of the session, else of the link, else the default.

    A value in the link that `read` refuses is ignored.
    """
    key = f"kept_{name}"
    linked = st.query_params.get(name)
    if linked is not None and st.session_state.get(f"link_{name}") != linked:
        st.session_state[f"link_{name}"] = linked
        try:
            st.session_state[key] = read(linked)
        except ValueError:
            st.toast(f"The link's value for {name} is not usable and was left out.")
    return st.session_state.get(key, default)


def remember(name: str, value: Any) -> None:
    """Keep a value for the other pages and for the next visit of this one."""
    st.session_state[f"kept_{name}"] = value


def keeper(key: str, name: str) -> Callable[[], None]:
    """For a widget's `on_change`: keeps what was typed into it even where its run is cut short.

    That happens when a visitor goes to another page right after typing.
    """
    return uninterrupted(lambda: remember(name, st.session_state[key]))


def write_link(**values: str | float | None) -> None:
    """Put the view into the address, so that the link opens it again in another window."""
    wanted = {"v": LINK_VERSION}
    for name, value in values.items():
        if value is not None and value != "":
            wanted[name] = lambda_text(value) if isinstance(value, float) else str(value)
    for name, text in wanted.items():
        st.session_state[f"link_{name}"] = text
    if dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)


def within(low: float, high: float) -> Callable[[str], float]:
    """A reader of numbers that refuses what is outside [low, high]."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return read


def one_of(*allowed: str) -> Callable[[str], str]:
    """A reader that refuses everything but the allowed texts."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read
