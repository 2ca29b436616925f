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

from tests.browser.forked import ROOT, Forked

SERVE = (
    "import faulthandler, signal; faulthandler.enable(); faulthandler.register(signal.SIGUSR1); "
    "from streamlit.web.cli import main; main()"
)
"""`streamlit run`, which also writes what each thread does: when it dies, or asked by a signal."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MENU = [
    "Start", "Demonstrations", "Review", "Map", "Explore", "Calibrate", "Compare", "Programs",
]  # fmt: skip
PATIENCE = 120
"""Seconds after which a state that did not come is a fault: a busy machine is slow, not wrong."""

AT_REST = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null
    && app.getAttribute('data-test-connection-state') === 'CONNECTED'
    && app.getAttribute('data-test-script-state') === 'notRunning'
    && document.querySelector('[data-runs]') !== null
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]');
}"""
"""Nothing runs, nothing on the screen is stale, and the last run was drawn to its end."""

DONE = f"""() => ({AT_REST})() && !document.querySelector('[data-waiting]')"""
"""At rest, with no work in the background that the page will still show."""

RUNS = """() => Math.max(0, ...[...document.querySelectorAll('[data-runs]')]
  .map(mark => Number(mark.dataset.runs)))"""
"""How many runs of this visitor's pages have finished."""

NOTHING_MOVES = """() => document.getAnimations().every(each =>
  each.playState !== 'running' || each.effect.getComputedTiming().iterations === Infinity)"""
"""No transition is on its way; what turns for ever does not count."""

CHARTS_FIT = """() => [...document.querySelectorAll('.js-plotly-plot')]
  .filter(plot => plot.checkVisibility())
  .every(plot => plot._fullLayout
    && Math.abs(plot._fullLayout.width - plot.getBoundingClientRect().width) < 2)"""
"""Every chart is laid out for the room that it has now: it hears of a new width a moment later."""

UNMOVED = f"""() => document.fonts.status === 'loaded' && ({NOTHING_MOVES})() && ({CHARTS_FIT})()"""
"""Colours and places are what they stay."""

SCRIPT_STATE = """() => document.querySelector('[data-testid="stApp"]')
  ?.getAttribute('data-test-script-state')"""
MOST_SHOWN, MOST_LOGGED = 1_500, 6_000
"""Letters of a window and of a server's log in the report of a test that failed."""

TICK = 0
"""The column of the ticks in the demonstrations' table."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class App:
    """A running studio: its address, its workspace, its process."""

    url: str
    workspace: Path
    process: subprocess.Popen | Forked
    log: Path


RUNNING: list[App] = []
OPEN: list[Page] = []
LEFT: list[Page] = []
"""Windows that wait for their next visitor."""


def start_app(workspace, *, forked=True, model=None, script="app.py", threads=1):
    """A running studio on the workspace.

    Args:
        workspace: Its folder.
        forked: From a process that has imported what every studio imports; otherwise a new Python,
            as a user starts it.
        model: Its language model; the practice model unless given.
        script: What it runs.
        threads: How many threads its models may use.
    """
    port = free_port()
    environment = {
        **os.environ,
        "SHOTLIST_WORKSPACE": str(workspace),
        "OMP_NUM_THREADS": str(threads),
    }
    for name in ("SHOTLIST_MODEL", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    if model:
        environment["SHOTLIST_MODEL"] = model
    log = workspace.parent / f"app-{port}.log"
    arguments = ["run", str(script), "--server.port", str(port), "--server.headless", "true"]
    process = (Forked if forked else started)(arguments, environment, log)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    RUNNING.append(App(url, workspace, process, log))
                    return RUNNING[-1]
        except OSError:
            time.sleep(0.2)
    process.kill()
    written = log.read_text() if log.exists() else "it wrote nothing"
    raise RuntimeError(f"the app did not start: {written}")


def started(arguments, environment, log):
    """A new Python that runs `streamlit` with these arguments."""
    with log.open("w") as output:
        return subprocess.Popen(
            [sys.executable, "-c", SERVE, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


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
    expect.set_options(timeout=PATIENCE * 1_000)
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--force-prefers-reduced-motion"],  # what turns keeps it busy
        )
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
        errors.append(error.stack or str(error))

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
        page.set_default_timeout(PATIENCE * 1_000)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.on("pageerror", note)
        if wait:
            visit(page, url)
        return page

    yield open_window
    for page in opened + own:
        OPEN.remove(page)
        page.remove_listener("pageerror", note)
        if page not in own and _cleared(page):
            LEFT.append(page)
        else:
            page.context.close()
    assert not errors, "\n\n".join(errors)


def _cleared(page: Page) -> bool:
    """Whether nothing of a visitor is left in a window; False where it does not answer any more."""
    try:
        for other in page.context.pages:
            if other is not page:
                other.close()
        if page.url.startswith("http"):
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.context.clear_cookies()
        page.goto("about:blank")
    except Error:
        return False
    return True


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
    settle(page)


def reload(page: Page) -> None:
    """Load the page anew, as a visitor who comes back."""
    page.reload()
    settle(page)


def turn_to(page: Page, title: str) -> None:
    """Go to another page by the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    settle(page)


def menu(page: Page) -> list[tuple[str, str]]:
    """The menu's labels and addresses."""
    links = page.get_by_test_id("stSidebar").get_by_role("link")
    expect(links).to_have_count(len(MENU))
    return [
        (link.inner_text().split("\n")[-1], (link.get_attribute("href") or "").split("?")[0])
        for link in links.all()
    ]


def until(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Wait until what is read is what is wanted; else fail, showing both."""
    deadline = time.monotonic() + PATIENCE
    while (found := read()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert found == wanted, f"{found!r} instead of {wanted!r}"


def settle(page: Page) -> None:
    """Wait until nothing runs and the last run was drawn to its end."""
    page.wait_for_function(AT_REST, polling=50, timeout=PATIENCE * 1_000)


def finish(page: Page, patience: float = PATIENCE) -> None:
    """Wait, so many seconds at most, until all that goes on in the background is done and drawn."""
    page.wait_for_function(DONE, polling=100, timeout=patience * 1_000)


def still(page: Page) -> None:
    """Wait until nothing fades or slides any more: colours and places are then what they stay."""
    settle(page)
    page.wait_for_function(UNMOVED, polling=50, timeout=PATIENCE * 1_000)


@contextmanager
def a_run(page: Page) -> Iterator[None]:
    """Wait, after what is done inside, for the end of a run that it has asked for.

    A slider and a table send their value only after a while; until then the page is at rest.
    """
    before = page.evaluate(RUNS)
    yield
    page.wait_for_function(
        f"before => ({RUNS})() > before", arg=before, polling=50, timeout=PATIENCE * 1_000
    )
    settle(page)


def lambda_field(page: Page, name: str) -> Locator:
    """Where a lambda is typed on Explore."""
    return page.get_by_role("spinbutton", name=name, exact=True)


def type_lambda(page: Page, name: str, text: str) -> None:
    """Type a lambda on Explore and wait for the page to follow."""
    with a_run(page):
        lambda_field(page, name).fill(text)
        page.keyboard.press("Enter")
    finish(page)


def figures(page: Page) -> list[dict]:
    """Title and data of every plotly figure on the screen, as the browser holds them.

    Streamlit keeps a figure that was just replaced beside the new one, hidden.
    """
    return page.evaluate(
        """() => [...document.querySelectorAll('.js-plotly-plot')].filter(plot =>
             plot._fullData && plot.checkVisibility()
           ).map(plot => ({
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


def select_cell(page: Page, row: int, column: int) -> Locator:
    """Select a cell of the first table by the keyboard, from its first one; the cell."""
    table = tables(page).first
    cell = table.get_by_test_id(f"glide-cell-{column}-{row}")
    expect(cell).to_be_attached()
    table.hover()  # nothing can be selected while the mouse is known to be elsewhere
    table.locator("canvas").first.focus()
    for key in ("Control+Home", *["ArrowDown"] * row, *["ArrowRight"] * column):
        page.keyboard.press(key)
    expect(cell).to_have_attribute("aria-selected", "true")
    return cell


def tick(page: Page, row: int) -> None:
    """Tick a row of the demonstrations' table, or take its tick away."""
    cell = select_cell(page, row, TICK)
    wanted = "false" if cell.inner_text() == "true" else "true"
    with a_run(page):
        page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")  # a table describes itself anew when the selection moves
    expect(cell).to_have_text(wanted)


def type_into_cell(page: Page, row: int, column: int, text: str) -> None:
    """Type into a cell of the demonstrations' table and leave it open."""
    select_cell(page, row, column)
    page.keyboard.press("Enter")
    page.locator("#portal textarea").fill(text)


def edit_cell(page: Page, row: int, column: int, text: str) -> None:
    """Write into a cell of the demonstrations' table."""
    type_into_cell(page, row, column, text)
    with a_run(page):
        page.keyboard.press("Enter")
