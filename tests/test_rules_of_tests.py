"""The rules that keep the suite calm: no browser test pauses, and the gate drives few of them."""

import re
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
BROWSER = sorted((TESTS / "browser").rglob("*.py"))
MOST_JOURNEYS = 10
A_PAUSE = re.compile(r"wait_for_timeout|time\.sleep|[^_]sleep\(")
MAY_PAUSE = {"driver.py"}
"""Looks at a state again and again where no browser can wait for it: `until`, a server's start."""


@pytest.mark.parametrize("file", BROWSER, ids=lambda file: file.stem)
def test_no_browser_test_waits_for_a_time(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    pauses = [line.strip() for line in lines if A_PAUSE.search(line)]
    assert file.name in MAY_PAUSE or pauses == []


def test_the_gate_drives_a_browser_on_ten_journeys_at_most():
    (file,) = (TESTS / "browser" / "journeys").glob(
        "test_*.py"
    )  # one file: one server, one browser
    text = file.read_text(encoding="utf-8")
    assert 0 < len(re.findall(r"^def test_", text, re.MULTILINE)) <= MOST_JOURNEYS
    assert "parametrize" not in text


def test_every_module_of_tests_has_a_name_of_its_own():
    names = Counter(file.name for file in TESTS.rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


def test_every_target_of_the_makefile_is_explained():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    targets = set(phony.split()) - {"clean"}
    assert {"test", "test-browser", "test-thorough"} <= targets
    assert {target for target in targets if f"make {target}" not in contributing} == set()
