"""A container that is there before anything is in it.

What Streamlit does: a container without an element is not drawn, so its style sheet can keep no
place for what comes into it later, and what is below it jumps.

- Issue: none found; https://github.com/streamlit/streamlit/pull/2025 (merged) made it so.
- Made for: Streamlit 1.67.
- It can go when `tests/browser/test_streamlit_needs_its_workarounds.py` fails in
  `test_a_container_is_not_drawn_while_it_is_empty`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def kept_place(place: "DeltaGenerator", key: str) -> "DeltaGenerator":
    """A container that is drawn at once; the style sheet gives the class of its key a height."""
    kept = place.container(key=key)
    kept.empty()
    return kept
