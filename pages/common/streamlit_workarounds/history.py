"""A page that writes its view into its address adds no step to the browser's history.

What Streamlit does: each change of `st.query_params` is a new step of the history. A page writes
its view whenever it is drawn, so Back would lead to the address without the view, which the page
would fill again: nobody would get away from it. `history.js` replaces the browser's `pushState`.

- Issue: https://github.com/streamlit/streamlit/pull/16831 leaves out steps that change nothing and
  keeps all others on purpose; no issue found that asks for a choice. Only `bind="query-params"`
  of a single widget replaces the address; what pages write has other names and other values.
- Made for: Streamlit 1.67.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_a_page_that_writes_its_address_is_a_step_of_the_history`.
"""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def keep_one_step_a_page() -> None:
    """Let changes of the address within a page take the place of the last one."""
    st.components.v2.component("shotlist_history", js=_SCRIPT)(key="history")
