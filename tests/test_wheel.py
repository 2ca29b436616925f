"""Installed with pip, the folder core becomes the package shotlist, bundled pool included."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("core", "data", "pyproject.toml", "requirements.txt", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, so that no build folder is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(["cp", "-r", *[str(ROOT / name) for name in SOURCES], str(folder)], check=True)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
            "--wheel-dir", str(folder / "out"), str(folder),
        ],
        check=True,
    )  # fmt: skip
    (built,) = (folder / "out").glob("shotlist-*.whl")
    return built


def test_every_package_of_core_is_in_the_wheel_with_its_templates(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"shotlist/{path.relative_to(ROOT / 'core')}"
        for kind in ("py", "html", "css", "js")
        for path in (ROOT / "core").rglob(f"*.{kind}")
    }
    assert "shotlist/reporting/templates/report.html" in expected
    assert expected <= names
    bundled = ("service-desk.jsonl", "practice-model/config.json", "computed/embeddings.npz")
    assert {f"shotlist/data/{name}" for name in bundled} <= names
    assert not any(name.startswith(("core/", "tests/", "pages/")) for name in names)


def test_the_installed_package_retrieves(wheel, tmp_path):
    site = tmp_path / "site"
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile",
            "--disable-pip-version-check", "--target", str(site), str(wheel),
        ],
        check=True,
    )  # fmt: skip

    def shotlist(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "shotlist", *arguments, "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "SHOTLIST_WORKSPACE": str(tmp_path / "w")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    bundled = site / "shotlist" / "data" / "misconceptions.jsonl"
    shotlist("import", str(bundled), "--pool", "misconceptions")
    query = json.loads(bundled.read_text("utf-8").splitlines()[0])["query"]
    found = shotlist(
        "retrieve", "--pool", "misconceptions", "--query", query, "--method", "rel", "-k", "1"
    )
    (pick,) = found["demonstrations"]
    assert pick["query"] == query
    assert pick["relevance"] == pytest.approx(1.0, abs=1e-5)
