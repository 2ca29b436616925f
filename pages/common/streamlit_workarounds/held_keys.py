"""A key that is held down presses its button once, an Enter that ends a composition none.

What Streamlit does: the shortcut of a button presses it again each time that the browser repeats
the key, so that X excluded one demonstration after another, unread. Control with Enter presses its
button while a word is composed, too. `held_keys.js` drops both. `?` can be no shortcut at all:
it is heard there.

- Issue: none found.
- Made for: Streamlit 1.67.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_a_key_that_is_held_down_presses_its_button_again`.
"""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def press_once_a_key() -> None:
    """Let a key that is held down act on its first press only."""
    st.components.v2.component("shotlist_held_keys", js=_SCRIPT)(key="held_keys")
