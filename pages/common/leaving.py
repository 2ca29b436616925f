"""A link clicked right after a cell was edited is followed when the table has told its edit."""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def follow_links_after_edits() -> None:
    """Hold such clicks on the menu back for a moment; for pages with a table to edit."""
    st.components.v2.component("shotlist_leaving", js=_SCRIPT)(key="leaving")
