"""What the server sends before a page's script has run: Streamlit's page with our look in it.

Streamlit itself can only apply styles once a page has been drawn without them, and the page then
jumps. Here they stand in the page that the browser loads first.
"""

import re
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from pages.common.frame.navigation import NAME, PAGES

_INDEX = Path(streamlit.__file__).parent / "static/index.html"
_ICON = Path(__file__).parent / "shotlist.svg"
_ICON_ADDRESS = "/favicon.png"
"""Where Streamlit's page looks for the icon of the browser's tab. To give it another address, or a
name, `st.set_page_config` imports a library for pictures while the first visitor waits."""
_STYLES = "/shotlist.css"
_WIDGETS = (
    "Html", "PageLink", "Button", "DownloadButton", "Selectbox", "Multiselect", "TextInput",
    "NumberInput", "Slider", "ButtonGroup", "Checkbox",
)  # fmt: skip
"""Streamlit's scripts that the first picture of most pages needs. It fetches them only when it
comes to draw; what it draws until then has another height, and the page would jump."""
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def routes() -> list[Route]:
    """The addresses of the pages, each answered with the same document, its styles and its icon."""
    addresses = ("/", *(f"/{Path(path).stem}" for path, _, _ in PAGES))
    parts = [Route(_STYLES, _serve_styles), Route(_ICON_ADDRESS, _serve_icon)]
    return [*parts, *(Route(address, _serve) for address in addresses)]


def open_early() -> None:
    """Import what a page needs and open the workspace while the first browser still loads."""
    threading.Thread(target=_open, name="open-early", daemon=True).start()


def _open() -> None:
    # Imported here, as below: a browser already waits for the server, and this takes longer.
    from core.errors import ShotlistError
    from pages.common.frame.page import open_studio

    with suppress(ShotlistError):  # Said by the page, which tries again.
        open_studio()


def _serve(_request: Request) -> Response:
    return HTMLResponse(_document(), headers={"Cache-Control": "no-cache"})


def _serve_styles(_request: Request) -> Response:
    from pages.common.frame.look import SHEET

    return Response(SHEET, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _serve_icon(_request: Request) -> Response:
    return FileResponse(_ICON, media_type="image/svg+xml")


@cache
def _document() -> str:
    document = _INDEX.read_text(encoding="utf-8")
    return (
        document.replace("<title>Streamlit</title>", f"<title>{NAME}</title>")
        .replace("</head>", f"{_script_hints(document)}</head>")
        # Below Streamlit's own styles, which it puts into the head: the last of equal rules holds.
        .replace("</body>", f'<link rel="stylesheet" href=".{_STYLES}"></body>')
    )


def _script_hints(document: str) -> str:
    """Links by which the browser fetches the scripts of `_WIDGETS`, and all that these import."""
    folder = _INDEX.parent / "static/js"
    wanted = [file.name for name in _WIDGETS for file in folder.glob(f"{name}.*.js")]
    found: dict[str, None] = {}
    while wanted:
        name = wanted.pop()
        if name not in found and name not in document:
            found[name] = None
            wanted += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return "".join(f'<link rel="modulepreload" href="./static/js/{name}">' for name in found)
