"""The Demonstrations table narrowed to named rows, as a finding links to them."""

from collections.abc import Sequence

import streamlit as st

from pages.common.state.readers import whole
from pages.common.state.state import remember, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted

PAGE = "demonstrations"
IDS = "ids"
OF_POOL = "demonstrations_ids_of"
MOST = 1_000
"""The most ids in a link."""
LARGEST = (1 << 63) - 1
"""No id of the database is larger."""


def show_only(pool: str, ids: Sequence[int]) -> None:
    """Narrow the table to these demonstrations of the pool, from the next run on."""
    remember(PAGE, IDS, _joined(ids[:MOST]))
    st.session_state[OF_POOL] = pool


def only_these(pool: str) -> tuple[int, ...] | None:
    """The named rows that the table is narrowed to, with a button to show all; None when it is not.

    Ids belong to one pool: switching to another clears them.
    """
    ids = remembered(PAGE, IDS, "", lambda text: _joined(_numbers(text)))
    if not ids or st.session_state.setdefault(OF_POOL, pool) != pool:
        show_all()
        return None
    named = _numbers(ids)
    many = (
        f"Only these {len(named):,} demonstrations"
        if len(named) > 1
        else "Only this one demonstration"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(many, icon=":material/filter_alt:", color="primary")
        st.button("Show all", key="demonstrations_show_all", on_click=show_all)
    return named


def link_of(ids: tuple[int, ...] | None) -> str | None:
    """The same for the address."""
    return None if ids is None else _joined(ids)


@uninterrupted
def show_all() -> None:
    """Show the whole pool again, from the next run on."""
    remember(PAGE, IDS, "")
    st.session_state.pop(OF_POOL, None)


def _numbers(text: str) -> tuple[int, ...]:
    """The ids in a text such as "3,17", each once.

    Raises:
        ValueError: There is something else in it.
    """
    read = whole(0, LARGEST)
    return tuple(dict.fromkeys(read(part) for part in text.split(",") if part.strip()))[:MOST]


def _joined(ids: Sequence[int]) -> str:
    return ",".join(str(id) for id in ids)
