"""A pool as a whole: export, rename, delete."""

from functools import partial

import streamlit as st

from core.exporting import EXPORTERS
from core.studio.pools import pools
from pages.common.demonstrations.task import give_task
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.sidebar import switch_pool
from pages.common.state.address import Link


def pool_section(frame: Frame) -> Link:
    """Draw what is done with a pool as a whole; returns what belongs into the link."""
    _export(frame)
    st.divider()
    _rename(frame)
    st.divider()
    give_task(frame)
    _delete(frame)
    return {}


def _export(frame: Frame) -> None:
    pool = frame.setup.pool
    choice, button = st.columns([1, 3], vertical_alignment="bottom")
    format = choice.selectbox(
        "Export as",
        list(EXPORTERS),
        key="pool_format",
        help="Every format has all demonstrations, excluded ones too, and imports back to the "
        "same pool.",
    )
    exporter = EXPORTERS[format]
    button.download_button(
        "Download",
        data=partial(pools.export_bytes, frame.studio, pool, exporter.name),
        file_name=f"{pools.suggested_name(pool)}{exporter.extension}",
        mime=exporter.media_type,
        on_click="ignore",
        type="primary",
        icon=":material/download:",
        key="pool_download",
    )


def _rename(frame: Frame) -> None:
    old = frame.setup.pool
    choice, button = st.columns([1, 3], vertical_alignment="bottom")
    new = choice.text_input(
        "Rename to", key=f"pool_rename_{old}", placeholder=old, persist_state="session"
    )
    if button.button("Rename", key="pool_rename_go", disabled=new.strip() in ("", old)):
        with shown_errors():
            name = pools.rename(frame.studio, old, new)
            switch_pool(name)
            note("demonstrations", name, f"The pool {old!r} is now called {name!r}.")
            st.rerun()


def _delete(frame: Frame) -> None:
    pool = frame.setup.pool
    st.text(
        "Deleting a pool removes its demonstrations, history and runs for good. "
        "There is no undo: export it first."
    )
    choice, button = st.columns([1, 3], vertical_alignment="bottom")
    typed = choice.text_input(
        "Type the pool's name to delete it",
        key=f"pool_delete_{pool}",
        placeholder=pool,
        persist_state="session",
    )
    if button.button("Delete for good", key="pool_delete_go", disabled=typed.strip() != pool):
        with shown_errors():
            pools.delete(frame.studio, pool)
            switch_pool(None)
            st.toast("The pool was deleted.")
            st.rerun()
