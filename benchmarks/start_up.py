"""How long it takes until something is there: the help, a command, the first page.

    python benchmarks/start_up.py [--times 7] [--first-visit]

Runs each in a fresh process, prints medians with least and most in seconds. The first page is
timed twice: from the start of the server, and from a visitor's address to the page's heading on a
server that runs already, in a fresh browser window. The server's workspace is empty before, so it
loads the bundled pools.

A visit from nothing is timed in stages, from the start of the server: a fresh workspace, a cold
server, a fresh browser window; until the start page's picture stands, and, on another server, until
Explore shows its context and then its whole curve with the model's answers. Beside the seconds
stand those of CPU that the server had spent by then. Calibrate is timed from its button, on another
fresh workspace. Needs playwright and a Chromium.
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

from tests.browser.driver import ROOT, launched_browser, settle, start_app, stop_app

PAGES = ("start", "demonstrations", "map", "explore", "calibrate", "compare")


def report(what: str, seconds: list[float]) -> None:
    low, high = min(seconds), max(seconds)
    print(f"{what:44} {statistics.median(seconds):6.2f} s ({low:.2f} to {high:.2f})", flush=True)


def report_ratio(what: str, seconds: list[float], peers: list[float]) -> None:
    """Each run beside the peer's of the same round, so that the machine's pace cancels out."""
    ratios = [mine / other for mine, other in zip(seconds, peers, strict=True)]
    low, high = min(ratios), max(ratios)
    print(f"{what:44} {statistics.median(ratios):6.2f} x ({low:.2f} to {high:.2f})", flush=True)


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


BARE, BARE_PICTURE = "", "a bare Streamlit page's table"
STAGES = {
    BARE: ((BARE_PICTURE, "table td"),),
    "start": (("the start page's picture", ".idea-track .right"),),
    "explore": (
        ("Explore's context", "table.explore.context tbody tr:nth-child(6)"),
        ("Explore's answers with the context", "table.explore.answers tbody tr"),
        ("Explore's complete curve", ".st-key-explore_curve .js-plotly-plot .yaxislayer-above"),
    ),
}
"""What a first visitor waits for, in the order in which it comes: a name, and what then stands.

The curve's figure stands before it is complete; while it fills in, the button Cancel is beside it.
"""


BARE_PAGE = (
    "import streamlit as st\nst.title('Bare')\nst.html('<table><tr><td>.</td></tr></table>')\n"
)
"""The least that Streamlit itself needs to show a table: what a first visit is measured beside."""


def cpu_seconds(process: int) -> float:
    """CPU that the process has used so far, of both kinds; Linux alone tells."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def time_first_visit(times: int, folder: Path) -> None:
    waits: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    bare_page = folder / "bare.py"
    bare_page.write_text(BARE_PAGE)
    with launched_browser() as browser:
        for attempt in range(times):
            for name, stages in STAGES.items():
                workspace = folder / f"visit-{name}-{attempt}"
                workspace.mkdir()
                page = browser.new_context().new_page()
                started = time.perf_counter()
                script = bare_page if name == BARE else "app.py"
                app = start_app(workspace / "workspace", script=script, forked=False)
                page.goto(f"{app.url}/{name}")
                for what, part in stages:
                    page.locator(part).first.wait_for(timeout=120_000)
                    if "complete" in what:
                        cancel = page.locator(".st-key-explore_cancel")
                        cancel.wait_for(state="detached", timeout=120_000)
                    waits.setdefault(what, []).append(time.perf_counter() - started)
                    spent.setdefault(what, []).append(cpu_seconds(app.process.pid))
                page.context.close()
                stop_app(app)
    for what, seconds in waits.items():
        report(f"from nothing to {what}", seconds)
        report("  CPU of the server by then", spent[what])
        if what != BARE_PICTURE:
            report_ratio("  beside the bare page", seconds, waits[BARE_PICTURE])


def time_calibration(times: int, folder: Path) -> None:
    """From pressing Calibrate, with 30 examples and nothing scored before, to what it shows."""
    pictures, ends = [], []
    with launched_browser() as browser:
        for attempt in range(times):
            workspace = folder / f"calibration-{attempt}"
            workspace.mkdir()
            app = start_app(workspace / "workspace", forked=False)
            page = browser.new_context().new_page()
            page.goto(f"{app.url}/calibrate")
            page.get_by_role("spinbutton", name="Examples").fill("30")
            page.keyboard.press("Enter")
            settle(page)
            page.get_by_role("button", name="Calibrate", exact=True, disabled=False).click()
            started = time.perf_counter()
            page.locator('[data-testid="stMain"] .js-plotly-plot').first.wait_for(timeout=600_000)
            pictures.append(time.perf_counter() - started)
            page.get_by_text("Download report").first.wait_for(timeout=600_000)
            ends.append(time.perf_counter() - started)
            page.context.close()
            stop_app(app)
    report("Calibrate, 30 examples, to its first picture", pictures)
    report("  to its end", ends)


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
            app = start_app(workspace, forked=False)
            open_page(app.url)
            fresh.append(time.perf_counter() - started)
            stop_app(app)
        report("server and first page, from nothing", fresh)
        app = start_app(folder / "fresh-0", forked=False)
        report("first page of a server just started", [open_page(app.url)])
        for name in PAGES:
            report(f"page {name}, warm", [open_page(f"{app.url}/{name}") for _ in range(times)])
        stop_app(app)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--first-visit", action="store_true", help="only a visit from nothing")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shotlist-start-") as name:
        folder = Path(name)
        commands = str(folder / "commands")
        if not asked.first_visit:
            report("python -m core --help", time_command(asked.times, commands, "--help"))
            report("python -m core pools", time_command(asked.times, commands, "pools"))
        time_first_visit(asked.times, folder)
        time_calibration(asked.times, folder)
        if not asked.first_visit:
            time_pages(asked.times, folder)


if __name__ == "__main__":
    main()
