"""A dialog begins in its first field, and Escape presses a button of it.

What Streamlit does: the focus stays outside of a dialog's fields, so that the first one must be
clicked. Escape closes a dialog at once or, if it is not `dismissible`, does nothing; the field with
the focus has not sent yet what was typed into it, which is then lost. `dialogs.js` puts the focus
into the first field; on Escape it first leaves the field, which sends it, and then presses the
button.

- Issue: none found.
- Made for: Streamlit 1.67.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_a_dialog_has_no_field_in_focus_and_loses_what_is_typed`.
"""

from pathlib import Path

import streamlit as st

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def begin_in_first_field(button: str) -> None:
    """Put the focus into the first field of this dialog; Escape presses the button of this key."""
    st.components.v2.component("shotlist_dialogs", js=_SCRIPT)(key="dialog", data=button)
