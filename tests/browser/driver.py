"""The real app on a free port and a headless Chromium, for the tests and the screenshots."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Locator, Page, expect, sync_playwright

from core.curation import import_file
from core.settings import data_folder
from core.store import Store

ROOT = Path(__file__).resolve().parents[2]
SERVE = (
    "import faulthandler, signal; faulthandler.enable(); faulthandler.register(signal.SIGUSR1); "
    "from streamlit.web.cli import main; main()"
)
"""`streamlit run`, which also writes what each thread does: when it dies, or asked by a signal."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SETTLED = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]');
}"""


SCRIPT_STATE = """() => document.querySelector('[data-testid="stApp"]')
  ?.getAttribute('data-test-script-state')"""
MOST_SHOWN, MOST_LOGGED = 1_500, 6_000
"""Letters of a window and of a server's log in the report of a test that failed."""

HEADER, ROW = 36, 35
"""Heights in Streamlit's tables, pixels."""

TICK_PLACE, ID_PLACE = 20, 60
"""Where a click meets a row's tick and its id, pixels from the left edge of the demonstrations."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class App:
    """A running studio: its address, its workspace, its process."""

    url: str
    workspace: Path
    process: subprocess.Popen
    log: Path


RUNNING: list[App] = []
OPEN: list[Page] = []
LEFT: list[Page] = []
"""Windows that wait for their next visitor."""


def import_few(workspace, bundled, queries, pool):
    """Put the first queries of a bundled pool into the workspace; their demonstrations."""
    lines = (data_folder() / f"{bundled}.jsonl").read_text(encoding="utf-8").splitlines()
    file = workspace.parent / "few.jsonl"
    file.write_text("\n".join(lines[:queries]), encoding="utf-8")
    with Store.open(workspace) as store:
        import_file(store, file, pool)
        return store.demonstrations.all(store.pools.get(pool).id)


def start_app(workspace, model=None, script="app.py"):
    port = free_port()
    environment = {**os.environ, "SHOTLIST_WORKSPACE": str(workspace), "OMP_NUM_THREADS": "1"}
    for name in ("SHOTLIST_MODEL", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    if model is not None:
        environment["SHOTLIST_MODEL"] = str(model)
    log = workspace.parent / f"app-{port}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [
                sys.executable, "-c", SERVE, "run", str(script), "--server.port", str(port),
                "--server.headless", "true",
            ],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    RUNNING.append(App(url, workspace, process, log))
                    return RUNNING[-1]
        except OSError:
            time.sleep(0.2)
    process.kill()
    raise RuntimeError(f"the app did not start: {log.read_text()}")


def stop_app(app):
    RUNNING.remove(app)
    app.process.terminate()
    try:
        app.process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        app.process.kill()
        app.process.wait()


@contextmanager
def launched_browser() -> Iterator[Browser]:
    """Debian's Chromium or Google's Chrome where there is one, else playwright's own."""
    expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        LEFT.clear()
        browser.close()


@contextmanager
def windows(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens windows, each a visitor of its own; fails on an error of the page's own script.

    A window that was left is cleared and opened again for the next visitor: a new one reads all of
    Streamlit's scripts anew, which is most of what a visit costs. Who listens to a window, or
    stands between it and the server, wants one of its `own`.
    """
    errors: list[str] = []
    opened: list[Page] = []
    own: list[Page] = []

    def note(error: Error) -> None:
        errors.append(str(error))

    def open_window(
        url: str,
        *,
        scheme: Any = "light",
        width: int = 1400,
        height: int = 1000,
        wait: bool = True,
        alone: bool = False,
    ) -> Page:
        page = browser.new_context().new_page() if alone or not LEFT else LEFT.pop()
        (own if alone else opened).append(page)
        OPEN.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.on("pageerror", note)
        if wait:
            visit(page, url)
        return page

    yield open_window
    for page in opened + own:
        OPEN.remove(page)
        if page in own or page.is_closed():
            page.context.close()
        else:
            page.remove_listener("pageerror", note)
            _clear(page)
            LEFT.append(page)
    assert errors == []


def _clear(page: Page) -> None:
    """Leave nothing of a visitor in a window."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    if page.url.startswith("http"):
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.context.clear_cookies()
    page.goto("about:blank")


def on_the_screens() -> str:
    """What every open window shows, for the report of a test that failed."""
    return "\n".join(f"{page.url}\n{_shown(page)}" for page in OPEN if not page.is_closed())


def _shown(page: Page) -> str:
    try:
        state = page.evaluate(SCRIPT_STATE)
        text = page.locator("body").inner_text(timeout=2_000)
    except Error as fault:
        return f"(cannot be read: {fault})"
    return f"(script: {state})\n{text[:MOST_SHOWN]}"


def in_the_servers() -> str:
    """The end of each running server's log, with what its threads do."""
    for app in RUNNING:
        app.process.send_signal(signal.SIGUSR1)
    time.sleep(0.5)
    return "\n".join(f"{app.url} ({_how(app)})\n{_logged(app)[-MOST_LOGGED:]}" for app in RUNNING)


def _how(app: App) -> str:
    ended = app.process.poll()
    return "running" if ended is None else f"ended with {ended}"


def _logged(app: App) -> str:
    """The server's log, of the threads only those that are in the project's own code."""
    own = (f"{ROOT}/core/", f"{ROOT}/pages/")
    parts = app.log.read_text().split("\n\n")
    return "\n\n".join(
        part for part in parts if "Thread 0x" not in part or any(name in part for name in own)
    )


def visit(page: Page, url: str) -> None:
    """Open an address anew, as typing it would."""
    page.goto(url)
    page.wait_for_selector('[data-testid="stApp"]', timeout=60_000)
    settle(page)


def turn_to(page: Page, title: str) -> None:
    """Go to another page by the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=60_000)
    settle(page)


def until(page: Page, read: Callable[[], Any], wanted: Any, *, seconds: float = 60) -> None:
    """Wait until what is read is what is wanted; else fail, showing both."""
    deadline = time.monotonic() + seconds
    while (found := read()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert found == wanted, f"{found!r} instead of {wanted!r}"


def settle(page: Page, *, every: float = 100) -> None:
    """Wait until the script has run and nothing on the screen is stale, four looks in a row.

    `every` are the milliseconds between two looks; a slider tells where it stands after 200.
    """
    quiet = 0
    deadline = time.monotonic() + 60
    while quiet < 4:
        if time.monotonic() > deadline:
            raise TimeoutError("the page did not settle in 60 s")
        quiet = quiet + 1 if page.evaluate(SETTLED) else 0
        page.wait_for_timeout(every)


def figures(page: Page) -> list[dict]:
    """Title and data of every plotly figure on the screen, as the browser holds them."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => ({
             title: [...document.querySelectorAll('.figure-title')].filter(title =>
               title.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING
             ).at(-1)?.innerText ?? '',
             traces: plot._fullData.map(trace => ({
               name: trace.name ?? '', x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []),
             })),
           }))"""
    )


def grid(table: Locator) -> list[dict[str, str]]:
    """The rows that a table drawn on a canvas has on the screen, by the names of its columns."""
    return table.evaluate(
        """frame => {
             const rows = [...frame.querySelectorAll('[role=row]')]
               .map(row => [...row.children].map(cell => cell.textContent));
             const names = rows.shift() ?? [];
             return rows.map(row => Object.fromEntries(names.map((name, i) => [name, row[i]])));
           }"""
    )


def tables(page: Page) -> Locator:
    """The tables that are drawn on a canvas."""
    return page.get_by_test_id("stDataFrame")


def steady_box(page: Page, part: Locator) -> dict[str, float]:
    """Where a part of the page is, once it stays there."""
    box = None
    deadline = time.monotonic() + 60
    while (now := part.bounding_box()) is None or now != box:
        if time.monotonic() > deadline:
            raise TimeoutError("a part of the page did not come to rest in 60 s")
        box = now
        page.wait_for_timeout(200)
    return now


def click_row(page: Page, row: int, place: int) -> None:
    """Click into a row of the demonstrations' table, `place` pixels from its left edge."""
    box = steady_box(page, tables(page).first.locator("canvas").first)
    page.mouse.click(box["x"] + place, box["y"] + HEADER + (row + 0.5) * ROW)


def select_cell(page: Page, row: int, column: int) -> Locator:
    """Click on a row's id; a table that is just drawn anew is clicked again. The column's cell."""

    def cell(place: int) -> Locator:
        return tables(page).first.get_by_test_id(f"glide-cell-{place}-{row}")

    for _ in range(3):
        click_row(page, row, ID_PLACE)
        try:
            expect(cell(1)).to_have_attribute("aria-selected", "true", timeout=10_000)
            break
        except AssertionError:
            settle(page)
    for place in range(1, column):
        expect(cell(place)).to_have_attribute("aria-selected", "true", timeout=30_000)
        page.keyboard.press("ArrowRight")
    expect(cell(column)).to_have_attribute("aria-selected", "true", timeout=30_000)
    return cell(column)


def type_into_cell(page: Page, row: int, column: int, text: str) -> None:
    """Type into a cell of the demonstrations' table, reached by keyboard, and leave it open."""
    select_cell(page, row, column)
    page.keyboard.press("Enter")
    page.locator("#portal textarea").fill(text)


def edit_cell(page: Page, row: int, column: int, text: str) -> None:
    """Write into a cell of the demonstrations' table: from the id to the right by keyboard."""
    type_into_cell(page, row, column, text)
    page.keyboard.press("Enter")
    settle(page)
