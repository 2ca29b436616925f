"""How long the pages for curating take on a large pool, from a click to the page at rest.

    python benchmarks/curating.py [--file POOL] [--demonstrations 100000] [--rounds 5]
                                  [--workspace FOLDER]

Imports the file (by default the bundled service desk), and generated demonstrations of one query
each up to the number, then embeds them and scores their quality. With `--workspace` a folder is
kept: what lies there from an earlier run is not made again. Then it starts the studio on it and a
headless Chromium, and prints for each step (open the table, turn a page of it, find by words, by an
expression, by filters and by meaning, sort, exclude all that is found and undo it, open the
findings at once after that and when the pool is checked again, look at another kind, open and read
demonstrations one by one) the median, the least and the most of the rounds. Beside it is what a
plain page of Streamlit takes that draws the same rows from pandas and searches them by a word.
Needs playwright and a Chromium.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page

from core.settings import data_folder
from core.studio import Studio
from tests.browser.driver import (
    DONE,
    App,
    a_run,
    launched_browser,
    settle,
    start_app,
    stop_app,
    tables,
    turn_to,
    windows,
)
from tests.browser.table_page import search_for, sort_by, turn_leaf

ROOT = Path(__file__).resolve().parents[1]
POOL = "curating"
PLAIN = '''"""The same rows on a plain page."""

import pandas as pd
import streamlit as st

rows = st.cache_data(pd.read_json)("{rows}", lines=True)
word = st.text_input("Find")
found = rows[rows["query"].str.contains(word, case=False, regex=False)] if word else rows
st.dataframe(found)
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.html(f'<i data-runs="{{st.session_state["runs"]}}"></i>')
'''


@dataclass
class Times:
    """Seconds of each step, in the order in which the steps are made first."""

    of: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure what is done inside."""
        started = time.perf_counter()
        yield
        self.of.setdefault(name, []).append(time.perf_counter() - started)


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="shotlist-curating-") as folder:
        workspace = options.workspace or Path(folder) / "workspace"
        workspace.mkdir(parents=True, exist_ok=True)
        rows = workspace / "rows.jsonl"
        if not rows.exists():
            _fill(workspace, rows, options)
        ours, plain = _measured(workspace, rows, options)
    width = max(map(len, [*ours.of, *plain.of]))
    print(f"{'step':{width}}  median  least   most  seconds, {options.rounds} rounds")
    for times in (ours, plain):
        for name, seconds in times.of.items():
            middle, least, most = statistics.median(seconds), min(seconds), max(seconds)
            print(f"{name:{width}}  {middle:6.2f} {least:6.2f} {most:6.2f}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=data_folder() / "service-desk.jsonl")
    parser.add_argument("--demonstrations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workspace", type=Path, help="a folder to keep; default: none")
    return parser.parse_args()


def _fill(workspace: Path, rows: Path, options: argparse.Namespace) -> None:
    """Import, fill up, embed and check; and write the queries and answers for the plain page."""
    generated = workspace / "generated.jsonl"
    environment = {**os.environ, "SHOTLIST_WORKSPACE": str(workspace)}

    def shotlist(*arguments: str) -> None:
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "core", *arguments],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        print(f"{arguments[0]:7} {time.perf_counter() - started:.0f} s", flush=True)

    shotlist("import", str(options.file.resolve()), "--pool", POOL)
    with Studio.open(workspace) as studio:
        there = studio.store.pools.summary(POOL).demonstrations
    _generate(generated, options.demonstrations - there)
    shotlist("import", str(generated), "--pool", POOL)
    shotlist("embed", "--pool", POOL)
    shotlist("quality", "--pool", POOL)
    with Studio.open(workspace) as studio:
        pool = studio.store.pools.get(POOL)
        texts = studio.store.demonstrations.all(pool.id)
    lines = (json.dumps({"query": each.query, "answer": each.answer}) for each in texts)
    rows.write_text("\n".join(lines), encoding="utf-8")


def _generate(path: Path, demonstrations: int) -> None:
    """Demonstrations of words drawn with a seed, a query each; a tenth of them have a tag."""
    draw = random.Random(0)
    words = ["".join(draw.choices("aeioulnrst", k=draw.randint(3, 8))) for _ in range(900)]

    def sentence(n: int) -> str:
        return " ".join(draw.choices(words, k=n)).capitalize()

    with path.open("w", encoding="utf-8") as file:
        for _ in range(demonstrations):
            row = {
                "query": f"{sentence(draw.randint(6, 12))}?",
                "answer": f"{sentence(draw.randint(4, 12))}.",
                "incorrect": [sentence(7)],
                "tags": ["seldom"] if draw.random() < 0.1 else [],
            }
            file.write(f"{json.dumps(row)}\n")


def _measured(workspace: Path, rows: Path, options: argparse.Namespace) -> tuple[Times, Times]:
    ours, plain = Times(), Times()
    script = workspace / "plain_page.py"
    script.write_text(PLAIN.format(rows=rows), encoding="utf-8")
    with launched_browser() as browser, windows(browser) as open_window:
        with _running(workspace, "app.py") as app:
            page = open_window(f"{app.url}/start", height=1300)
            link = urlencode({"pool": POOL, "method": "rel", "k": 3})
            page.goto(f"{app.url}/review?{link}")
            with ours.step("findings after a start"):
                _ready(page)
            for _ in range(options.rounds):
                _table(page, ours)
                _review(page, ours)
        with _running(workspace, str(script)) as app:
            for _ in range(options.rounds):
                _plain(open_window(app.url, wait=False, alone=True), app.url, plain)
    return ours, plain


@contextmanager
def _running(workspace: Path, script: str) -> Iterator[App]:
    app = start_app(workspace, forked=False, script=script)
    try:
        yield app
    finally:
        stop_app(app)


def _table(page: Page, times: Times) -> None:
    """The steps on Demonstrations, which begin on another page and end with nothing searched."""
    with times.step("open the table"):
        turn_to(page, "Demonstrations")
        tables(page).first.wait_for()
    with times.step("turn its page"):
        turn_leaf(page, 2)
    for name, text in (
        ("find a word", "tomorrow"),
        ("find an expression", r"/\b(forecast|room)\b.*\d/"),
        ("find by filters", "tag:seldom length:<40 wrong:>0"),
        ("find by meaning", "like:12"),
    ):
        with times.step(name):
            search_for(page, text)
    search_for(page, "tag:seldom")
    with times.step("sort what is found"):
        sort_by(page, "answer")
    _undone(page, times)
    sort_by(page, "id")
    search_for(page, "")


def _undone(page: Page, times: Times) -> None:
    """Exclude all that is found, and undo it."""
    page.get_by_text("All that match the filters").first.click()
    settle(page)
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    with times.step("exclude all that is found"):
        page.get_by_role("button", name="Exclude", exact=True).first.click()
        undo.wait_for()
        settle(page)
    with times.step("undo that"):
        undo.click()
        redo.wait_for()
        settle(page)


def _review(page: Page, times: Times) -> None:
    """The steps on Review."""
    with times.step("open the findings, changed"):
        _findings(page)
    with times.step("check what changed"):
        _ready(page)
    turn_to(page, "Demonstrations")
    tables(page).first.wait_for()
    with times.step("open the findings"):
        _findings(page)
    kinds = page.get_by_role("radiogroup", name="Findings").get_by_role("radio")
    for place in (1, 0):
        with times.step("look at another kind"), a_run(page):
            kinds.nth(place).click()
    with times.step("begin to read one by one"), a_run(page):
        page.get_by_role("button", name="Read what nobody has reviewed").click()
    for _ in range(3):
        with times.step("next one by a key"), a_run(page):
            page.keyboard.press("n")
    with a_run(page):
        page.get_by_role("button", name="Leave").click()


def _findings(page: Page) -> None:
    turn_to(page, "Review")
    tables(page).first.wait_for()


def _ready(page: Page) -> None:
    """Wait for what is done in the background, for as long as it takes."""
    page.wait_for_function(DONE, polling=200, timeout=0)


def _plain(page: Page, url: str, times: Times) -> None:
    with times.step("plain page: open the table"):
        page.goto(url)
        tables(page).first.wait_for()
        settle(page)
    box = page.get_by_role("textbox", name="Find")
    with times.step("plain page: find a word"), a_run(page):
        box.fill("tomorrow")
        box.press("Enter")


if __name__ == "__main__":
    main()
