"""The browser shows the value that a widget has on the server.

What Streamlit does: a value that is put into the session is sent to the browser by one run alone.
A browser that misses that run, because the next one comes right behind it, shows another value than
the one in use, or sends back that nothing is chosen. So it is put there in every run; where that
would take what is just being typed, the widget is given its first value in every run instead, until
it is set from elsewhere.

- Issue: none found; https://github.com/streamlit/streamlit/issues/7338 (closed) is the same between
  two pages. `persist_state` keeps the value of one key; here pages with several keys share one.
- Made for: Streamlit 1.67.
- It can go when `tests/pages/test_widget_values.py` fails in
  `test_streamlit_itself_sends_a_value_once`.
"""

from typing import Any

import streamlit as st


def keep_sending(key: str, first: Any = None) -> None:
    """Send the widget's value with this run as well; `first` while it has none."""
    st.session_state[key] = st.session_state.get(key, first)


def set_value(key: str, value: Any) -> None:
    """Give a widget that is drawn with a first value another one, before it is drawn again."""
    st.session_state[key] = value
    st.session_state[_set(key)] = True


def was_set(key: str) -> bool:
    """Whether the widget has a value by `set_value`; else it is to be given its first value."""
    return key in st.session_state and _set(key) in st.session_state


def send_again(key: str) -> None:
    """Draw the page again with the first value of a widget whose browser has none."""
    del st.session_state[key]
    st.rerun()


def _set(key: str) -> str:
    return f"{key}_applied"
