"""Leaving a page while typing waits until what was typed has reached the server.

What Streamlit does: a cell of a table, and at times a text, sends what was typed only after the
click that leaves the page, and the server then answers the request for the other page alone. Back
and Forward do not wait either, and a reload does not ask. `leaving.js` delays links for a moment,
and for that listens to what goes over the WebSocket, whose `send` it replaces.

- Issues: https://github.com/streamlit/streamlit/issues/7868 (a cell that is still open) and
  https://github.com/streamlit/streamlit/issues/8905 (asking before a reload), both open. `live` of
  `st.text_input` sends texts early, but there is nothing like it for tables.
- Made for: Streamlit 1.67, whose messages `leaving.js` reads by the numbers of their fields.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_an_open_cell_is_lost_when_its_page_is_left`.
"""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def follow_links_after_typing() -> None:
    """Delay a click on the menu, Back and Forward for a moment; let the browser ask on a reload."""
    st.components.v2.component("shotlist_leaving", js=_SCRIPT)(key="leaving")
