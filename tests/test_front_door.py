"""The front door: its names, what importing it loads, and that the documents need nothing else."""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import core

ROOT = Path(__file__).resolve().parents[1]
NAMES = {
    "mmr", "mmr_path", "mmr_triangle", "vrsd", "Knobs", "Store", "import_file", "load_encoder",
    "load_pool_view", "choose_context", "evaluate", "calibrate", "METHODS", "METRICS",
}  # fmt: skip
HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "umap", "sklearn", "plotly"}
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def loaded_by(statement):
    """The top-level modules that the statement adds to a fresh interpreter, but for its library."""
    script = (
        "import json, sys\nbefore = set(sys.modules)\n"
        f"{statement}\n"
        "sys.stdout.write(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout)} - sys.stdlib_module_names


def typed():
    """Where the type checker finds each name: what the package imports for it alone."""
    tree = ast.parse((ROOT / "core" / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.name: f"core.{node.module}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


def notebook_code():
    cells = json.loads((ROOT / "docs" / "library.ipynb").read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def page_code(name):
    return PYTHON.findall((ROOT / name).read_text(encoding="utf-8"))


def test_the_names_are_these_and_no_others():
    assert set(core.__all__) == NAMES == set(typed())
    assert len(core.__all__) == len(NAMES)
    assert set(dir(core)) >= NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_is_what_the_type_checker_takes_it_for(name):
    found = getattr(core, name)
    assert found is getattr(import_module(typed()[name]), name)
    assert found is getattr(core, name)


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'mmrr'"):
        core.mmrr  # noqa: B018
    with pytest.raises(ImportError):
        exec("from core import mmrr")


def test_importing_the_package_loads_nothing_else():
    assert loaded_by("import core") == {"core"}


def test_the_arrays_need_numpy_only():
    names = "METRICS, mmr, mmr_path, mmr_triangle, vrsd"
    assert loaded_by(f"from core import {names}") == {"core", "numpy"}


def test_no_name_loads_what_is_heavy():
    assert not loaded_by("from core import *") & HEAVY


@pytest.mark.parametrize(
    "code", [notebook_code(), page_code("docs/library.md"), page_code("README.md")],
    ids=["docs/library.ipynb", "docs/library.md", "README.md"],
)  # fmt: skip
def test_the_documents_import_from_the_front_door_alone(code):
    taken = set()
    for node in (node for each in code for node in ast.walk(ast.parse(each))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "core" for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "core":
            assert node.module == "core"
            taken |= {alias.name for alias in node.names}
    assert taken
    assert taken <= NAMES


def test_the_page_of_the_library_explains_every_name():
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \| \S", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == NAMES
    assert {
        name
        for each in page_code("docs/library.md")
        for node in ast.walk(ast.parse(each))
        if isinstance(node, ast.ImportFrom) and node.module == "core"
        for name in (alias.name for alias in node.names)
    } == NAMES - {"METHODS"}
