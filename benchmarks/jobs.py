"""Presses, pixels of scrolling, pages and seconds of three people's jobs, in headless Chromium.

    python benchmarks/jobs.py [--root CHECKOUT --as before] [--job curator] [--pictures FOLDER]

Each job is done in a studio that has just started, in a window of 1280 x 720. A curator has a messy
csv file (`tests/support/messy_pool.py`: questions and answers with planted faults), and ends with
copies merged, damaged letters and signs repaired, personal data masked, placeholders and answers
that repeat their query excluded, and the answers that contradict each other on the screen. An
engineer has a file of 80 queries that the practice model can answer, compares no context, the most
similar and RAGSys's, and ends with a setting that is used everywhere and a line to take along. Who
decides gets a link to that comparison, and ends with its headline on the screen.

A press is a click, an option that is chosen, a file, or a text that is typed and entered. Scrolling
is how far the page moved until what is pressed or read was in sight. `--as before` does the same,
with `--root` a checkout of commit a73f55b8, in the studio as it was before these jobs were made
shorter; what it could not do (find answers that contradict each other or repeat their query, mask
personal data, recommend a setting, write the line) is left out there, which favours it.
Needs playwright and a Chromium.
"""

import argparse
import contextlib
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.slider import ROOT, environment_of, studio
from core.demonstration.demonstration import Draft, incorrect_answers
from core.settings import data_folder
from tests.browser.driver import DONE
from tests.support.messy_pool import HEADER, messy_file

QUESTIONS, FAULTS, QUERIES = 240, 5, 80
PLACEHOLDERS = ("asdf", "tbd", "xxxx", "blah blah", "your answer here")
"""What a person looks for who knows which such answers the file has."""
LEADS = "the right answer wins in"
WINDOW = {"width": 1_280, "height": 720}
PATIENCE = 120_000
RUNS = """() => Math.max(-1, ...[...document.querySelectorAll('[data-runs]')]
  .map(mark => Number(mark.dataset.runs)))"""
"""How many runs of this visitor's pages have finished; -1 while a page loads."""
A_RUN = 5_000
"""Milliseconds after which an act that began no run is one that begins none."""
SCROLLED = """() => [...document.querySelectorAll('[data-testid="stMain"]')]
  .reduce((sum, each) => sum + each.scrollTop, 0)"""


@dataclass
class Effort:
    """What a job took."""

    presses: int = 0
    pixels: int = 0
    pages: int = 0
    seconds: float = 0.0


class Person:
    """Does a job in a window, and counts what it takes."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.effort, self.copied = page, Effort(), ""
        self._address, self._began = address, time.perf_counter()

    def copy_link(self) -> None:
        """Copy that of what is on the screen now, to send it to somebody."""
        self.copied = str(self.page.url).removeprefix(f"{self._address}/")

    def open(self, path: str = "") -> None:
        """A link that somebody sent, or the studio itself."""
        self.page.goto(f"{self._address}/{path}")
        self.effort.pages += 1
        self.rest()

    def go(self, name: str) -> None:
        """Another page, by the menu."""
        self.effort.pages += 1
        self.press("link", name)

    def press(self, role: str, name: str | re.Pattern[str]) -> None:
        """A button, a link, an option of a segmented control; the first of its name."""
        place = self.page.get_by_role(role, name=name, exact=isinstance(name, str))
        self._reach(place.first)
        self._act(lambda: place.first.click(force=role == "radio"))  # its label lies over it

    def choose(self, label: str, option: str) -> None:
        """An option of a list that opens."""
        field = self.page.get_by_role("combobox", name=label, exact=True).first
        self._reach(field)
        field.click()
        self.effort.presses += 1
        self._act(self.page.get_by_role("option", name=option, exact=True).first.click)
        self.page.keyboard.press("Escape")  # a list of several stays open

    def search(self, text: str) -> None:
        """Type into the page's search field, and enter it."""
        field = self.page.get_by_role("textbox", name="Find", exact=True).first
        self._reach(field)
        field.fill(text)
        self._act(lambda: field.press("Enter"))

    def upload(self, file: Path) -> None:
        """A file for the page's field of files."""
        field = self.page.locator("input[type=file]").first
        self._act(lambda: field.set_input_files(file))

    def see(self, text: str) -> None:
        """Read a text of the page, which comes into sight."""
        found = self.page.get_by_text(text).first
        found.wait_for(timeout=PATIENCE)
        self._reach(found)

    def rest(self) -> None:
        """Wait until nothing runs that the page will still show."""
        self.page.wait_for_function(DONE, timeout=PATIENCE)

    def finish(self) -> Effort:
        """What it took so far."""
        self.effort.seconds = time.perf_counter() - self._began
        return self.effort

    def _act(self, act: Callable[[], None]) -> None:
        before = self.page.evaluate(RUNS)
        act()
        self.effort.presses += 1
        began = f"before => ({RUNS})() !== before || !({DONE})()"
        with contextlib.suppress(PlaywrightTimeout):
            self.page.wait_for_function(began, arg=before, timeout=A_RUN)
        self.rest()

    def _reach(self, place: Any) -> None:
        before = self.page.evaluate(SCROLLED)
        place.scroll_into_view_if_needed(timeout=PATIENCE)
        self.effort.pixels += round(abs(self.page.evaluate(SCROLLED) - before))


Job = Callable[[Person, Path, bool], None]


def curate(person: Person, file: Path, before: bool) -> None:
    """From the file to a pool without its faults, and to its contradictions."""
    _import(person, file)
    if before:
        columns = ("Query", "Correct answers", "Incorrect answers", "Tags")
        for column, name in zip(columns, HEADER, strict=True):
            person.choose(column, name)
    person.press("button", "Import as a new pool")
    person.see("were added to")
    if before:
        person.go("Review")
        for kind, button in (
            ("Damaged letters", "Repair: all"),
            ("Escaped letters", "Repair"),
            ("Duplicates", "Merge: all"),
        ):
            _mend(person, kind, button)
        person.go("Demonstrations")
        person.press("radio", "Table")
        for placeholder in PLACEHOLDERS:
            person.search(placeholder)
            person.press("radio", re.compile("All that match"))
            person.press("button", "Exclude")
        return
    person.press("button", re.compile("Look through what is odd"))
    person.see("Correct answers that disagree")
    for kind, button in (
        ("Placeholders", "Exclude: all"),
        ("Answers that repeat their query", "Exclude: all"),
        ("Personal data", "Mask: all"),
        ("Damaged letters", "Repair: all"),
        ("Escaped letters", "Repair: all"),
        ("Duplicates", "Merge: all"),
    ):
        _mend(person, kind, button)


def tune(person: Person, file: Path, before: bool) -> None:
    """From the file to a setting that is used everywhere."""
    _import(person, file)
    person.press("button", "Import as a new pool")
    if before:
        person.go("Compare")
    else:
        person.press("button", re.compile("Compare methods"))
    person.press("button", "Compare")
    person.see(LEADS)
    person.copy_link()
    if before:
        person.go("Explore")
        person.choose("Method", "Relevance")
    else:
        person.press("button", re.compile("^Use "))
        person.press("button", re.compile("Take it with you"))


def decide(person: Person, file: Path, before: bool) -> None:
    """Open the link, read who leads."""
    person.see(LEADS)


def _import(person: Person, file: Path) -> None:
    person.go("Demonstrations")
    person.press("radio", "Import")
    person.upload(file)


def _mend(person: Person, kind: str, button: str) -> None:
    person.press("radio", re.compile(kind))
    person.press("button", re.compile(f"^{button}"))


def _file(folder: Path, job: str) -> Path:
    """What a person brings: a messy csv, or queries of the service desk."""
    if job == "engineer":
        file = folder / "calls.jsonl"
        lines = (data_folder() / "service-desk.jsonl").read_text("utf-8").splitlines()
        file.write_text("\n".join(lines[:QUERIES]), "utf-8")
        return file
    file = folder / "messy.csv"
    lines = (data_folder() / "misconceptions.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines[:QUESTIONS])
    drafts = [Draft(row["query"], row["best"], incorrect_answers(row["incorrect"])) for row in rows]
    file.write_text(messy_file(drafts, FAULTS, random.Random(0)), "utf-8", newline="")
    return file


JOBS: dict[str, Job] = {"curator": curate, "engineer": tune, "decider": decide}


def main() -> None:
    options = _options()
    options.pictures.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="shotlist-jobs-") as folder,
        sync_playwright() as player,
    ):
        browser = player.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        link, environment = "", environment_of(Path(folder), "practice")
        for name, job in JOBS.items():
            if name not in options.job:
                continue
            if name == "engineer":
                environment = environment_of(Path(folder) / name, "practice")
            with studio(environment, options.root) as (address, _):
                page = browser.new_page(viewport=WINDOW)
                page.set_default_timeout(PATIENCE)
                person = Person(page, address)
                person.open(link)
                try:
                    job(person, _file(Path(folder), name), options.version == "before")
                finally:
                    page.screenshot(path=options.pictures / f"{name}-{options.version}.png")
                print(f"{name:<9} {options.version:<7} {sentence_of(person.finish())}", flush=True)
                link = person.copied
                page.close()


def sentence_of(effort: Effort) -> str:
    """The four figures of an effort, in words."""
    return (
        f"{effort.presses} presses, {effort.pixels:,} px of scrolling, "
        f"{effort.pages} pages, {effort.seconds:.0f} s"
    )


def _chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout whose studio is used")
    parser.add_argument("--as", dest="version", choices=("before", "after"), default="after")
    parser.add_argument("--job", choices=list(JOBS), nargs="*", default=list(JOBS))
    parser.add_argument("--pictures", type=Path, default=ROOT / "benchmarks" / "pictures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
