"""What a visitor has chosen: kept in the session from visit to visit, and readable from a link.

A value belongs to its page, so that pages may use one name for different things. Only what means
the same wherever it is chosen is `SHARED`.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.common.state.address import EMPTY, ignore, linked
from pages.common.streamlit_workarounds.callbacks import uninterrupted

SHARED = "shared"
"""The owner of pool, encoder, model and template, of the knobs of a retrieval, of the query on
Explore and Map, and of what is looked for in the pool."""


def remembered(owner: str, name: str, default: Any, read: Callable[[str], Any] = str) -> Any:
    """The value of a name: that of the session, else of the link, else the default.

    Args:
        owner: The page that has the value, or `SHARED`.
        name: In the link; another owner's value of this name is another value.
        default: The value while nothing is kept.
        read: What makes a value of the link's text. What it refuses with a ValueError is ignored,
            and the page says so.
    """
    text = linked(owner, name)
    if text is not None:
        try:
            if not text:
                raise ValueError(EMPTY)
            remember(owner, name, read(text))
        except ValueError as refused:
            ignore(name, text, str(refused))
    return last_value(owner, name, default)


def last_value(owner: str, name: str, default: Any = None) -> Any:
    """The same without a look at the link, as for a callback, which comes before it is read."""
    return st.session_state.get(_key(owner, name), default)


def remember(owner: str, name: str, value: Any) -> None:
    """Keep a value for the next visit, a shared one for the other pages too."""
    st.session_state[_key(owner, name)] = value


def keeper(key: str, owner: str, name: str) -> Callable[[], None]:
    """For a widget's `on_change`: keeps what was typed into it even where its run is cut short.

    That happens when a visitor goes to another page right after typing.
    """
    return uninterrupted(lambda: remember(owner, name, st.session_state[key]))


def _key(owner: str, name: str) -> str:
    return f"kept_{name}" if owner == SHARED else f"kept_{owner}_{name}"
