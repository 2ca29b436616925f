"""One view of a result at a time, chosen by the visitor and in the link."""

from collections.abc import Mapping

import streamlit as st

from pages.common.state.address import Link
from pages.common.state.readers import one_of
from pages.common.state.state import keeper, remembered

_NAME = "view"


def choose_view(page: str, views: Mapping[str, str], default: str) -> str:
    """Draw the views to choose from; the chosen one, the default while none of them was chosen.

    Args:
        page: Whose views they are.
        views: The name of each in the link, and on the page.
        default: One of them.
    """
    key, kept = f"{page}_{_NAME}", _kept(page, views)
    st.session_state[key] = kept if kept in views else default
    chosen = st.segmented_control(
        "View",
        list(views),
        format_func=views.__getitem__,
        required=True,
        key=key,
        on_change=keeper(key, page, _NAME),
        label_visibility="collapsed",
    )
    return str(chosen)


def view_link(page: str, views: Mapping[str, str]) -> Link:
    """The view for the address, once one was chosen; `views` are all that the page ever has."""
    return {_NAME: _kept(page, views)}


def _kept(page: str, views: Mapping[str, str]) -> str:
    return str(remembered(page, _NAME, "", one_of(*views)))
