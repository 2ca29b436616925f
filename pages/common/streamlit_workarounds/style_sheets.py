"""Styles that the theme cannot set, by the test ids and classes of Streamlit's elements.

Each file in `styles/` says at its top what Streamlit does, which issue is about that, the version
that it was made for, and the test that shows when it can go.
"""

from pathlib import Path

STYLES = "".join(
    file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "styles").glob("*.css"))
)
"""All of them. No two rules of different files are about the same, so that any order will do."""
