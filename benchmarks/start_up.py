"""How long it takes until something is there: the help, a command, the first page.

    python benchmarks/start_up.py [--times 7]

Runs each in a fresh process, prints medians with least and most in seconds. The first page is
timed twice: from the start of the server, and from a visitor's address to the page's heading on a
server that runs already, in a fresh browser window. The server's workspace is empty before, so it
loads the bundled pool. Needs playwright and a Chromium for the pages.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from sys import path as import_path

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.browser.driver import ROOT, launched_browser, start_app, stop_app

PAGES = ("demonstrations", "map", "explore", "calibrate", "compare")


def report(what: str, seconds: list[float]) -> None:
    low, high = min(seconds), max(seconds)
    print(f"{what:44} {statistics.median(seconds):6.2f} s ({low:.2f} to {high:.2f})", flush=True)


def time_command(times: int, folder: str, *arguments: str) -> list[float]:
    environment = {**os.environ, "SHOTLIST_WORKSPACE": folder}
    waits = []
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "core", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
        )
        waits.append(time.perf_counter() - started)
    return waits


def time_pages(times: int, folder: Path) -> None:
    with launched_browser() as browser:

        def open_page(url: str) -> float:
            context = browser.new_context()
            started = time.perf_counter()
            page = context.new_page()
            page.goto(url)
            page.get_by_role("heading", level=1).wait_for(timeout=120_000)
            waited = time.perf_counter() - started
            context.close()
            return waited

        fresh = []
        for attempt in range(max(1, times // 2)):
            workspace = folder / f"fresh-{attempt}"
            workspace.mkdir()
            started = time.perf_counter()
            app = start_app(workspace)
            open_page(app.url)
            fresh.append(time.perf_counter() - started)
            stop_app(app)
        report("server and first page, from nothing", fresh)
        app = start_app(folder / "fresh-0")
        report("first page of a server just started", [open_page(app.url)])
        for name in PAGES:
            report(f"page {name}, warm", [open_page(f"{app.url}/{name}") for _ in range(times)])
        stop_app(app)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shotlist-start-") as name:
        folder = Path(name)
        commands = str(folder / "commands")
        report("python -m core --help", time_command(asked.times, commands, "--help"))
        report("python -m core pools", time_command(asked.times, commands, "pools"))
        time_pages(asked.times, folder)


if __name__ == "__main__":
    main()
