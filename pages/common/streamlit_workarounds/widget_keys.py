"""Emptying a widget: what was typed into it, which file was chosen, what is drawn on it.

What Streamlit does: neither a chosen file nor a selection on a chart can be taken back by the page,
and a text that the session empties comes back in a browser that misses that run (`widget_values`).
Under another key it is another widget, and empty.

- Issue: none found for files and charts; https://github.com/streamlit/streamlit/issues/6540 (open)
  is the same of `st.data_editor`.
- Made for: Streamlit 1.67.
- It can go when `tests/pages/test_widget_keys.py` fails in
  `test_streamlit_itself_refuses_to_empty_a_widget`.
"""

import streamlit as st


def key_number(name: str) -> int:
    """The number in the keys of widgets of this name: how often they were emptied."""
    number: int = st.session_state.get(_kept(name), 0)
    return number


def empty_widgets(name: str) -> None:
    """Empty the widgets of this name with the next run."""
    st.session_state[_kept(name)] = key_number(name) + 1


def _kept(name: str) -> str:
    return f"emptied_{name}"
