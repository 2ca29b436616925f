"""Nothing heavy is imported before it is needed: neither by a command's help nor by a page."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {
    "torch", "transformers", "sentence_transformers", "faiss", "umap", "numba", "sklearn", "plotly",
}  # fmt: skip


def modules_after(statement):
    """What a fresh interpreter has in memory after the statement."""
    script = f"{statement}\nimport json, sys\nsys.stdout.write(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def used_by_pages():
    """The modules of core that the app and its pages import at the top."""
    found = set()
    for path in [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("core"):
                found.add(node.module)
    return sorted(found)


def test_a_command_starts_light():
    modules = "core.commands.main, core.studio, core.commands.run"
    assert not modules_after(f"import {modules}") & HEAVY


@pytest.mark.parametrize("module", ["core.commands.parser", "practice.commands.options"])
def test_help_needs_no_numbers_and_no_database(module):
    heavier = {"numpy", "duckdb", "pandas", "pyarrow"}
    found = modules_after(f"import {module}; {module}.argument_parser().format_help()")
    assert not found & heavier


def test_the_pages_start_light():
    modules = used_by_pages()
    assert {"core.studio", "core.studio.map.pool_map", "core.studio.explore.exploration"} <= set(
        modules
    )
    assert not modules_after(f"import {', '.join(modules)}") & HEAVY


def test_a_heavy_import_is_caught():
    assert "faiss" in modules_after("import faiss") & HEAVY
