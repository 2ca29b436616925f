"""Make the pictures of the README: every page, used as a person would use it.

    .venv/bin/python docs/screenshots.py [--pool FILE] [--dark]

Starts the studio on a free port with a workspace of its own, so that the pictures show what a new
visitor sees; waits until the pool is ready, runs a calibration and a comparison, and writes
docs/PAGE.png (PAGE-dark.png with --dark). SHOTLIST_MODEL names another model than the default one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.driver import launched_browser, settle, start_app, stop_app

HEIGHT = {
    "start": 950,
    "demonstrations": 900,
    "map": 1000,
    "explore": 1300,
    "calibrate": 1300,
    "compare": 1250,
}
LONG = 600_000


def ready(page: Page) -> None:
    """Wait for the model, for what runs in the background, then for the page itself."""
    page.get_by_test_id("stSidebar").get_by_text(" parameters, ").wait_for(timeout=LONG)
    page.wait_for_timeout(1_500)
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=\"stProgress\"]')", timeout=LONG
    )
    settle(page)


def run(page: Page, button: str, examples: int) -> None:
    """Press the page's primary button for so many examples and wait for the end of the run."""
    page.get_by_role("spinbutton", name="Examples").fill(str(examples))
    page.keyboard.press("Enter")
    settle(page)
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_text("Download report").first.wait_for(timeout=LONG)
    ready(page)


def main() -> None:
    """Open each page and photograph it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=Path, help="a file to import and show instead")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    scheme, ending = ("dark", "-dark.png") if options.dark else ("light", ".png")
    with tempfile.TemporaryDirectory() as folder, launched_browser() as browser:
        workspace = Path(folder) / "workspace"
        view = ""
        if options.pool is not None:
            name = options.pool.name.split(".")[0].lower()
            command = [sys.executable, "-m", "core", "import", str(options.pool), "--pool", name]
            subprocess.run([*command, "--workspace", str(workspace)], cwd=ROOT, check=True)
            view = f"?pool={name}"
        app = start_app(workspace, os.environ.get("SHOTLIST_MODEL"))
        try:
            for name, height in HEIGHT.items():
                page = browser.new_context(color_scheme=scheme).new_page()
                page.set_viewport_size({"width": 1400, "height": height})
                page.goto(f"{app.url}/{name}{view}")
                page.wait_for_selector('[data-testid="stHeading"]', timeout=LONG)
                if name == "map":
                    page.wait_for_selector(".js-plotly-plot", timeout=LONG)
                ready(page)
                if name in ("calibrate", "compare"):
                    run(page, name.capitalize(), options.examples)
                page.screenshot(path=ROOT / "docs" / f"{name}{ending}")
                page.close()
        finally:
            stop_app(app)


if __name__ == "__main__":
    main()
