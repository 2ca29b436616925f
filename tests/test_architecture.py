"""The house: which folder may import which, and how large a file may grow."""

import ast
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "core"
ROWS = [
    {"types", "errors"},
    {"text", "incorrect", "faiss_loading", "reading_weights", "settings"},
    {"selection", "metrics"},
    {"index", "store", "embedding", "language_model", "projection", "background"},
    {"retrieval", "engines"},
    {"evaluation", "curation", "exporting", "practice", "flags"},
    {"studio"},
    {"cli"},
    {"__main__"},
]
ROW_OF = {name: row for row, names in enumerate(ROWS) for name in names}
NUMPY_ONLY = {"selection", "metrics"}
HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "umap"}


def python_files():
    return sorted(path for path in CORE.rglob("*.py") if path != CORE / "__init__.py")


def part_of(path):
    relative = path.relative_to(CORE)
    return relative.parts[0].removesuffix(".py")


def imported_parts(path, tree):
    """The parts of core that a file imports, relative imports resolved."""
    package = path.relative_to(CORE).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = (*base, *(node.module or "").split(".")) if node.module else base
            if target:
                yield target[0]
            else:
                yield from (alias.name for alias in node.names)


def absolute_imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_imports_point_down(path):
    here = part_of(path)
    assert here in ROW_OF, f"{here} has no row in the house"
    for other in imported_parts(path, parsed(path)):
        assert other == here or ROW_OF[other] < ROW_OF[here], f"{here} imports {other}"


def test_evaluation_asks_an_engine_and_knows_no_model():
    for path in (path for path in python_files() if part_of(path) == "evaluation"):
        assert not {"language_model", "engines"} & set(imported_parts(path, parsed(path))), path


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_core_knows_neither_streamlit_nor_its_own_name(path):
    names = set(absolute_imports(parsed(path)))
    assert "streamlit" not in names
    assert "core" not in names
    if part_of(path) in NUMPY_ONLY:
        allowed = {"numpy", *sys.stdlib_module_names}
        assert names <= allowed


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_heavy_libraries_are_imported_where_they_are_needed(path):
    top = [node for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in top for name in absolute_imports(ast.Module([node], []))}
    assert not names & HEAVY


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_a_module_can_be_read_in_a_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_an_upward_import_is_caught():
    tree = ast.parse("from ..studio import explore\nfrom .. import cli")
    found = set(imported_parts(CORE / "selection" / "mmr.py", tree))
    assert found == {"studio", "cli"}
    assert all(ROW_OF[name] > ROW_OF["selection"] for name in found)
