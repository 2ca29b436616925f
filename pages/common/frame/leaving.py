"""A link that is clicked while one types is followed when what was typed has been told."""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def follow_links_after_typing() -> None:
    """Hold such clicks on the menu back for a moment."""
    st.components.v2.component("shotlist_leaving", js=_SCRIPT)(key="leaving")
