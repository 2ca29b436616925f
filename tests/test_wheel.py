"""Installed with pip, the folder core becomes the package shotlist, bundled pools included.

What stands beside core stays behind: no command needs it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    "core", "practice", "studies", "fusion", "data", "setup.py", "pyproject.toml",
    "requirements.txt", "README.md", "LICENSE",
)  # fmt: skip
OPEN_WITH_BUNDLED = """
import sys
from shotlist.studio import Studio
from shotlist.studio.pools.pools import load_bundled
with Studio.open(sys.argv[1]) as studio:
    load_bundled(studio)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The wheel, built and installed; from a copy, so that the checkout gets no build folder."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(["cp", "-r", *[str(ROOT / name) for name in SOURCES], str(folder)], check=True)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
            "--no-compile", "--disable-pip-version-check", "--target", str(folder / "site"),
            str(folder),
        ],
        check=True,
    )  # fmt: skip
    return folder / "site"


@pytest.fixture
def python(site, tmp_path):
    """Runs the interpreter with the installed package; gives what it prints."""

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "SHOTLIST_WORKSPACE": str(tmp_path / "w")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    return run


@pytest.fixture
def shotlist(python):
    return lambda *arguments: json.loads(python("-m", "shotlist", *arguments, "--json"))


def test_every_package_of_core_is_installed_with_its_templates(site):
    names = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    expected = {
        f"shotlist/{path.relative_to(ROOT / 'core')}"
        for kind in ("py", "html", "css", "js")
        for path in (ROOT / "core").rglob(f"*.{kind}")
    }
    assert "shotlist/reporting/templates/report.html" in expected
    assert expected <= names
    bundled = ("service-desk.jsonl", "practice-model/config.json", "computed/embeddings.npz")
    assert {f"shotlist/data/{name}" for name in bundled} <= names
    assert not any("practice-reader" in name for name in names)
    behind = ("core", "tests", "pages", "practice", "studies", "fusion")
    assert not {name.split("/")[0] for name in names} & {*behind}
    assert not {name.split("/")[1] for name in names if name.startswith("shotlist/")} & {*behind}


def first_query(site):
    bundled = site / "shotlist" / "data" / "misconceptions.jsonl"
    return json.loads(bundled.read_text("utf-8").splitlines()[0])["query"]


def test_the_front_door_of_the_installed_package(python):
    script = (
        "import shotlist, sys; loaded = 'numpy' in sys.modules; from shotlist import METHODS, mmr; "
        "chosen = mmr([0.9, 1.0], [[1, 0], [0, 1]], 1, lambda_d=1.0).indices; "
        "print(loaded, chosen, METHODS['rel'].name)"
    )
    assert python("-c", script).split() == ["False", "[1]", "rel"]


def test_the_installed_package_retrieves_from_a_bundled_pool(site, python, shotlist, tmp_path):
    """What was computed of it comes along, so that no encoder is loaded, which takes long."""
    python("-c", OPEN_WITH_BUNDLED, str(tmp_path / "w"))
    few = tmp_path / "few.jsonl"
    few.write_text('{"query": "Is water wet?", "answer": "Yes."}', encoding="utf-8")
    assert shotlist("import", str(few), "--pool", "few")["demonstrations"] == 1
    query = first_query(site)
    retrieve = ("retrieve", "--pool", "misconceptions", "--method", "rel", "-k", "1")
    (pick,) = shotlist(*retrieve, "--query", query)["demonstrations"]
    assert pick["query"] == query
    assert pick["relevance"] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.thorough
def test_the_installed_package_imports_and_encodes(site, shotlist):
    bundled = site / "shotlist" / "data" / "misconceptions.jsonl"
    shotlist("import", str(bundled), "--pool", "misconceptions")
    query = first_query(site)
    found = shotlist(
        "retrieve", "--pool", "misconceptions", "--query", query, "--method", "rel", "-k", "1"
    )
    (pick,) = found["demonstrations"]
    assert pick["query"] == query
    assert pick["relevance"] == pytest.approx(1.0, abs=1e-5)
