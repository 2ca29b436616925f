"""What a press has made is in sight, wherever on the page it is drawn.

What Streamlit does: a page that is drawn again keeps its place, so what a button at the foot of a
long page puts at its top is seen by nobody. `scrolling.js` scrolls to it.

- Issue: https://github.com/streamlit/streamlit/issues/4686 (open); `autoscroll` of `st.container`
  only follows what is added at the foot of a container.
- Made for: Streamlit 1.67.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_a_page_keeps_its_place_when_something_is_drawn_at_its_top`.
"""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def show_from_here(number: int) -> None:
    """Scroll to this place of the page, once in a window for each number of at least 1."""
    scroll = st.components.v2.component("shotlist_scrolling", js=_SCRIPT)
    scroll(key="scrolling", data=number)
