"""The document that the browser loads first: Streamlit's, with our title, styles and scripts.

What Streamlit does: its document has a title of its own and no way to add to it; styles come with
the page, once it has been drawn without them, and it then jumps. The scripts of most widgets are
fetched only when they are to be drawn, and what is there until then has another height. The
icon of the tab can be set by `st.set_page_config`, which imports a library for pictures while the
first visitor waits, so that `ICON_ADDRESS`, where the document looks for it, is answered instead.

- Issues: https://github.com/streamlit/streamlit/issues/9058 (title and icon of the first document)
  and https://github.com/streamlit/streamlit/issues/16634 (more in its head), both open; none found
  on fetching the scripts of widgets early.
- Made for: Streamlit 1.67, whose `st.App` lets the server answer these addresses itself.
- It can go when `tests/pages/test_first_document.py` fails in a test that begins with
  `test_streamlit_itself`.
"""

import re
from pathlib import Path

import streamlit

ICON_ADDRESS = "/favicon.png"
"""Where Streamlit's document looks for the icon of the browser's tab."""
STREAMLITS = Path(streamlit.__file__).parent / "static/index.html"
"""Streamlit's own document."""
_WIDGETS = (
    "Html", "PageLink", "Button", "DownloadButton", "Selectbox", "Multiselect", "TextInput",
    "NumberInput", "Slider", "ButtonGroup", "Checkbox",
)  # fmt: skip
"""The widgets that the first picture of most pages needs."""
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def first_document(title: str, styles: str) -> str:
    """Streamlit's document with a title, a style sheet, and the scripts of `_WIDGETS` named in it.

    Args:
        title: Of the browser's tab until the page gives its own.
        styles: The address of the style sheet, from the root.
    """
    document = STREAMLITS.read_text(encoding="utf-8")
    return (
        document.replace("<title>Streamlit</title>", f"<title>{title}</title>")
        .replace("</head>", f"{_script_hints(document)}</head>")
        # Below Streamlit's own styles, which go into the head: of equal rules the last one counts.
        .replace("</body>", f'<link rel="stylesheet" href=".{styles}"></body>')
    )


def _script_hints(document: str) -> str:
    """Links by which the browser fetches the scripts of `_WIDGETS`, and all that these import."""
    folder = STREAMLITS.parent / "static/js"
    wanted = [file.name for name in _WIDGETS for file in folder.glob(f"{name}.*.js")]
    found: dict[str, None] = {}
    while wanted:
        name = wanted.pop()
        if name not in found and name not in document:
            found[name] = None
            wanted += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return "".join(f'<link rel="modulepreload" href="./static/js/{name}">' for name in found)
