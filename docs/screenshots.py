"""Make the pictures of the README, or of every page in both themes and at several widths.

    .venv/bin/python docs/screenshots.py [--pool FILE] [--dark]
    .venv/bin/python docs/screenshots.py --out FOLDER --widths 800 1280 1600 --themes light dark

Starts the studio on a free port with a workspace of its own, so that the pictures show what a new
visitor sees; waits until the pool is ready, runs a calibration and a comparison, and writes
docs/PAGE.png (PAGE-dark.png with --dark). Explore and Compare are shown with the small real
model (`python -m core model get smollm2`), the others with the practice model. With --out it
writes FOLDER/VIEW-THEME-WIDTH.png, each page whole, however tall: its sections and details, and the
runs also while they go on. SHOTLIST_MODEL names another model for all of them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.driver import App, finish, launched_browser, settle, start_app, stop_app
from tests.browser.views import Resizable, show, views

HEIGHT = {
    "start": 950,
    "demonstrations": 900,
    "review": 900,
    "map": 1000,
    "programs": 1100,
    "explore": 1300,
    "calibrate": 1300,
    "compare": 1250,
}
RUNS = ("calibrate", "compare")
BY_REAL_MODEL = ("explore", "compare")
"""The pages that the README shows with the small real model."""
REAL_MODEL = "smollm2"
EXAMPLES_BY_REAL_MODEL = 30
LONG = 1_800_000
"""Milliseconds: the real model first scores every demonstration of the pool."""


def ready(page: Page) -> None:
    """Wait for the model, for what runs in the background, then for the page itself."""
    page.get_by_test_id("stSidebar").get_by_text(" parameters, ").wait_for(
        timeout=LONG, state="attached"
    )
    page.wait_for_timeout(1_500)
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=\"stProgress\"]')", timeout=LONG
    )
    finish(page, LONG / 1_000)


def press(page: Page, button: str, examples: int) -> None:
    """Press the page's primary button for so many examples."""
    page.get_by_role("spinbutton", name="Examples").fill(str(examples))
    page.keyboard.press("Enter")
    settle(page)
    page.get_by_role("button", name=button, exact=True).click()


def run(page: Page, button: str, examples: int) -> None:
    """Press the page's primary button and wait for the end of the run."""
    press(page, button, examples)
    page.get_by_text("Download report").first.wait_for(timeout=LONG)
    ready(page)


def try_queries(page: Page) -> None:
    """Let the program try twenty queries, and open one that came out right."""
    page.get_by_role("spinbutton", name="Queries").fill("20")
    page.keyboard.press("Enter")
    settle(page)
    page.get_by_role("button", name="Try them", exact=True).click()
    page.get_by_role("button", name="Open").nth(2).click(timeout=LONG)
    ready(page)


def for_readme(
    app: App, browser: Browser, pages: Iterable[str], view: str, scheme: str, examples: int
) -> None:
    """The README's pictures of some pages, each at one width, its top."""
    ending = ".png" if scheme == "light" else f"-{scheme}.png"
    for name in pages:
        page = browser.new_context(color_scheme=scheme).new_page()
        page.set_viewport_size({"width": 1400, "height": HEIGHT[name]})
        page.goto(f"{app.url}/{name}{view}")
        page.wait_for_selector('[data-testid="stHeading"]', timeout=LONG)
        if name == "map":
            page.wait_for_selector(".js-plotly-plot", timeout=LONG)
        ready(page)
        if name in RUNS:
            run(page, name.capitalize(), examples)
        if name == "programs":
            try_queries(page)
        page.screenshot(path=ROOT / "docs" / f"{name}{ending}")
        page.close()


def survey(app: App, browser: Browser, out: Path, options: argparse.Namespace) -> None:
    """Every view in every theme at every width, first the runs while they go on."""
    out.mkdir(parents=True, exist_ok=True)
    for scheme in options.themes:
        for name in RUNS:
            with opened(browser, scheme) as page:
                page.goto(f"{app.url}/{name}?seed={len(scheme)}")
                page.wait_for_selector('[data-testid="stHeading"]', timeout=LONG)
                ready(page)
                press(page, name.capitalize(), 300)
                page.wait_for_selector('[data-testid="stMain"] .js-plotly-plot', timeout=LONG)
                page.wait_for_timeout(3_000)
                photograph(page, out, f"{name}-live", scheme, options.widths)
                page.get_by_role("button", name="Stop").click()
                over = page.get_by_text("Download report").or_(page.get_by_text("Stopped."))
                over.first.wait_for(timeout=LONG)
    for name in RUNS:
        with opened(browser, "light") as page:
            page.goto(f"{app.url}/{name}")
            ready(page)
            run(page, name.capitalize(), options.examples)
    for scheme in options.themes:
        with opened(browser, scheme) as page:
            for view in views():
                show(page, app.url, view)
                ready(page)
                photograph(page, out, view.name, scheme, options.widths)


@contextmanager
def studio(workspace: Path, model: str | None) -> Iterator[App]:
    """The studio on this workspace, with this model."""
    app = start_app(workspace, forked=False, model=model, threads=os.cpu_count() or 1)
    try:
        yield app
    finally:
        stop_app(app)


@contextmanager
def opened(browser: Browser, scheme: str) -> Iterator[Page]:
    """A window of its own."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def photograph(page: Page, out: Path, name: str, scheme: str, widths: list[int]) -> None:
    """The whole page at each width: the window is made as tall as what it shows."""
    resizable = Resizable(page)
    for width in widths:
        resizable.to(width, whole=True)
        page.screenshot(path=out / f"{name}-{scheme}-{width}.png")
    resizable.to(1280)


def main() -> None:
    """Open each page and photograph it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=Path, help="a file to import and show instead")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--dark", action="store_true", help="the README's pictures in dark")
    parser.add_argument("--out", type=Path, help="where every page goes, at every width")
    parser.add_argument("--widths", type=int, nargs="+", default=[800, 1280, 1600])
    parser.add_argument("--themes", nargs="+", choices=["light", "dark"], default=["light", "dark"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, launched_browser() as browser:
        workspace = Path(folder) / "workspace"
        view = ""
        if options.pool is not None:
            name = options.pool.name.split(".")[0].lower()
            command = [sys.executable, "-m", "core", "import", str(options.pool), "--pool", name]
            subprocess.run([*command, "--workspace", str(workspace)], cwd=ROOT, check=True)
            view = f"?pool={name}"
        named = os.environ.get("SHOTLIST_MODEL")
        if options.out is not None:
            with studio(workspace, named) as app:
                survey(app, browser, options.out, options)
            return
        scheme, examples = "dark" if options.dark else "light", options.examples
        with studio(workspace, named) as app:
            pages = [name for name in HEIGHT if name not in BY_REAL_MODEL]
            for_readme(app, browser, pages, view, scheme, examples)
        examples = min(examples, EXAMPLES_BY_REAL_MODEL)
        with studio(workspace, named or REAL_MODEL) as app:
            for_readme(app, browser, BY_REAL_MODEL, view, scheme, examples)


if __name__ == "__main__":
    main()
