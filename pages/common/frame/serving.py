"""What the server sends before a page's script has run: Streamlit's page with our look in it."""

import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from pages.common.frame.navigation import NAME, PAGES
from pages.common.streamlit_workarounds.first_document import ICON_ADDRESS, first_document

_ICON = Path(__file__).parent / "shotlist.svg"
_STYLES = "/shotlist.css"


def routes() -> list[Route]:
    """The addresses of the pages, each answered with the same document, its styles and its icon."""
    addresses = ("/", *(f"/{Path(path).stem}" for path, _, _ in PAGES))
    parts = [Route(_STYLES, _serve_styles), Route(ICON_ADDRESS, _serve_icon)]
    return [*parts, *(Route(address, _serve) for address in addresses)]


def open_early() -> None:
    """Import what a page needs and open the workspace while the first browser still loads."""
    threading.Thread(target=_open, name="open-early", daemon=True).start()


def _open() -> None:
    # Imported here, as below: a browser already waits for the server, and this takes longer.
    from core.errors import ShotlistError
    from core.studio.map.pool_map import load_when_quiet
    from core.studio.session.studio import let_threads_sleep
    from pages.common.frame.page import open_studio

    let_threads_sleep()
    with suppress(ShotlistError):  # Shown by the page, which tries again.
        load_when_quiet(open_studio())


def _serve(_request: Request) -> Response:
    return HTMLResponse(_document(), headers={"Cache-Control": "no-cache"})


def _serve_styles(_request: Request) -> Response:
    from pages.common.frame.look import SHEET

    return Response(SHEET, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _serve_icon(_request: Request) -> Response:
    return FileResponse(_ICON, media_type="image/svg+xml")


@cache
def _document() -> str:
    return first_document(NAME, _STYLES)
