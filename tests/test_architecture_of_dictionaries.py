"""A dictionary of anything stands only where JSON is written or read: all else has a type."""

import ast
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
STILL_ALLOWED = {"core/store/demonstration_rows.py"}
"""Files that have one elsewhere. The list may only get shorter."""


def untyped(node, inside=""):
    """The lines of `dict[str, Any]` and its like outside `to_json`, `from_json` and their like."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = node.name
    if not inside.endswith(("to_json", "from_json")):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            name = ast.unparse(node.value).rpartition(".")[2]
            given = [ast.unparse(each).rpartition(".")[2] for each in node.slice.elts]
            if name in MAPPINGS and given == ["str", "Any"]:
                yield node.lineno
        elif isinstance(node, ast.Constant) and any(
            f"{name}[str, Any]" in str(node.value) for name in MAPPINGS
        ):
            yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from untyped(child, inside)


def test_a_dictionary_of_anything_is_only_for_json():
    folders = (ROOT / name for name in ("core", "pages", "practice", "studies", "fusion"))
    files = [ROOT / "app.py", *chain.from_iterable(each.rglob("*.py") for each in folders)]
    found = {
        str(path.relative_to(ROOT)): lines
        for path in files
        if (lines := list(untyped(ast.parse(path.read_text(encoding="utf-8")))))
    }
    more = {name: lines for name, lines in found.items() if name not in STILL_ALLOWED}
    assert not more, "give these a dataclass, or say what the dictionary holds"
    assert set(found) == STILL_ALLOWED, "take those off the list that need it no more"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def rows(x: dict[str, Any]): ...", [1]),
        ("class A:\n    def f(self) -> list[Mapping[str, Any]]: ...", [2]),
        ("import typing as t\nRow = t.Dict[str, t.Any]", [2]),
        ("x: 'Mapping[str, Any] | None' = None", [1]),
        ("def to_json(x):\n    row: dict[str, Any] = {}", []),
        ("class A:\n    def from_json(cls, row: Mapping[str, Any]): ...", []),
        ("def figures_from_json(row: Mapping[str, Any]): ...", []),
        ("def f(x: Mapping[str, object], y: dict[int, Any]): ...", []),
    ],
)
def test_one_that_is_not_is_caught(source, lines):
    assert list(untyped(ast.parse(source))) == lines
