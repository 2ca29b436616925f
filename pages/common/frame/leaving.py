"""Whoever leaves a page while typing goes when what was typed has reached the server."""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def follow_links_after_typing() -> None:
    """Hold a click on the menu, Back and Forward for a moment; let the browser ask on a reload."""
    st.components.v2.component("shotlist_leaving", js=_SCRIPT)(key="leaving")
