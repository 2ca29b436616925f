"""A row of segments of which exactly one is chosen, kept from page to page and in the link."""

from collections.abc import Mapping

import streamlit as st

from pages.common.state.knobs import kept_key
from pages.common.state.readers import one_of
from pages.common.state.state import remember
from pages.common.streamlit_workarounds.widget_values import send_again


def choose_segment(
    page: str,
    name: str,
    label: str,
    options: Mapping[str, str],
    default: str,
    *,
    help: str | None = None,
    labelled: bool = True,
    owner: str = "",
) -> str:
    """The chosen option's name.

    Args:
        page: Whose widget it is.
        name: What it is kept as, also in the link.
        label: For people.
        options: Name of each option and its label.
        default: Chosen when nothing is kept.
        help: Shown beside the label.
        labelled: Whether the label is shown; screen readers always read it.
        owner: Whose value it is; the page's unless another is named.
    """
    key = kept_key(page, name, default, one_of(*options), owner=owner)
    chosen = st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        required=True,
        key=key,
        help=help,
        label_visibility="visible" if labelled else "collapsed",
    )
    if chosen is None:
        send_again(key)
    remember(owner or page, name, chosen)
    return str(chosen)
