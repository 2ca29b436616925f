"""The house: which folder may import which, and how large a file may grow."""

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core"
BESIDE = {"studies": {"core"}, "fusion": {"core"}, "practice": {"core", "fusion"}}
"""The packages beside core, and which of our packages each may import."""
LINES, FILES = 65_890, 413
"""How large core may be; both are to come down to 55,000 and 400."""
ROWS = [
    {"types", "errors"},
    {"text", "native", "recent", "settings", "watcher", "writing"},
    {"demonstration", "generation", "recorded"},
    {"interval"},
    {"selection", "metrics"},
    {"index", "store", "embedding", "language_model", "projection", "background"},
    {"retrieval", "engines"},
    {"evaluation", "curation", "exporting", "programs"},
    {"passages"},
    {"reporting"},
    {"studio"},
    {"commands", "library"},
    {"__main__"},
]
ROWS_INSIDE = {
    "core/evaluation": [{"plan"}, {"results"}, {"scoring"}, {"runs"}],
    "core/programs": [{"prompting"}, {"primitives"}, {"paper"}, {"trial"}],
    "core/reporting": [{"results", "templates"}, {"words"}, {"figures"}, {"tables"}, {"html"}],
    "core/studio": [{"session"}, {"explore"}, {"map"}, {"pools"}, {"runs"}, {"programs"}],
    "pages/common": [
        {"streamlit_workarounds"}, {"state"}, {"frame"}, {"one_demonstration"},
        {"runs"}, {"demonstrations", "explore", "review"},
        {"map", "programs", "worth", "incorrect"},
    ],
}  # fmt: skip
WORKAROUNDS = ROOT / "pages/common/streamlit_workarounds"
STREAMLITS = {"streamlit", "streamlit.delta_generator", "streamlit.errors"}
"""The modules of Streamlit that are its interface."""
INNER = re.compile(
    r"data-testid|(?<![\w-])\.?st[A-Z]\w+|\bst\._\w+|session_state\._\w+"  # its elements and names
    r"|\.prototype\b|\bpushState\b|\breplaceState\b|\bWebSocket\b"  # functions of the browser
)
"""What only a workaround of Streamlit may name."""
TELLING_KNOWS = {
    "settings",
    "types",
    "watcher",
    "demonstration",
    "generation",
    "errors",
    "text",
    "writing",
    "interval",
    "recorded",
    "metrics",
    "retrieval",
    "curation",
    "evaluation",
    "programs",
    "reporting",
}
"""The parts of core that may be imported by what only tells results."""


def row_of(rows):
    return {name: row for row, names in enumerate(rows) for name in names}


ROW_OF = row_of(ROWS)
NUMPY_ONLY = {"selection", "metrics"}
HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "umap"}


def python_files():
    found = sorted(path for path in CORE.rglob("*.py") if path != CORE / "__init__.py")
    assert CORE / "selection" / "mmr.py" in found
    return found


def files_beside_tests():
    """Those of core and of what stands beside it: all keep the rules of size and heavy imports."""
    beside = (path for name in BESIDE for path in sorted((ROOT / name).rglob("*.py")))
    return [*python_files(), *beside]


def part_of(path):
    relative = path.relative_to(CORE)
    return relative.parts[0].removesuffix(".py")


def imported(path, tree):
    """What a file imports of core and pages, each as the parts of its name."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split(".") if node.module else ()))
            yield from ((*target, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)


def imported_parts(path, tree):
    """The parts of core that a file of core imports."""
    return {parts[1] for parts in imported(path, tree) if parts[0] == "core"}


def absolute_imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_imports_point_down():
    for path in python_files():
        here = part_of(path)
        assert here in ROW_OF, f"{here} has no row in the house"
        for other in imported_parts(path, parsed(path)):
            assert other == here or ROW_OF[other] < ROW_OF[here], f"{path} imports {other}"


def name_of(path):
    """The parts of a module's name; a folder's are those of its `__init__`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def modules_of(files, trees):
    """The modules that each module imports, by name.

    An import counts wherever it stands, also where it is for types alone: neither of two files that
    name each other's types can be read or changed without the other, and a type that is asked for
    "later" is how a circle starts. That a module's folder is imported with it does not count.
    """
    names = {name_of(path): tree for path, tree in zip(files, trees, strict=True)}
    found = {}
    for path, (name, tree) in zip(files, names.items(), strict=True):
        found[name] = set()
        for parts in imported(path, tree):
            while parts and parts not in names:
                parts = parts[:-1]
            found[name] |= {parts} - {(), name}
    return found


def circles(imports):
    """The modules of each circle: those from which a way of imports leads back to them."""

    @cache
    def reached(start):
        seen, left = set(), [start]
        while left:
            new = imports[left.pop()] - seen
            seen |= new
            left += new
        return seen

    found = {
        frozenset(other for other in reached(name) if name in reached(other)) for name in imports
    }
    return [sorted(map(".".join, circle)) for circle in found if circle]


def test_no_modules_import_each_other_in_a_circle():
    folders = (CORE, ROOT / "pages", *(ROOT / name for name in BESIDE))
    files = [path for folder in folders for path in folder.rglob("*.py")] + [ROOT / "app.py"]
    imports = modules_of(files, [parsed(path) for path in files])
    assert ("core", "retrieval", "knobs") in imports["core", "retrieval", "method"]
    assert ("core", "index") in imports["core", "retrieval", "candidates"]
    assert ("core", "interval") in imports["practice", "confirmation"]
    assert ("studies", "over_seeds") in imports["studies", "vrsd", "results"]
    assert not circles(imports)


@pytest.mark.parametrize(
    ("lines", "caught"),
    [
        ({"a": "from . import b", "b": "from .c import x", "c": "import core.text"}, []),
        ({"a": "from .b import x", "b": "from .a import y"}, [["core.a", "core.b"]]),
        ({"a": "from . import b", "b": "def f():\n    from .a import y"}, [["core.a", "core.b"]]),
        (
            {
                "a": "from .b import x",
                "b": "from .c.d import y",
                "c/d": "if TYPE_CHECKING:\n    from ..a import z",
            },
            [["core.a", "core.b", "core.c.d"]],
        ),
        ({"c/__init__": "from .d import y", "c/d": "from .e import z", "c/e": ""}, []),
        ({"c/__init__": "from .d import y", "c/d": "from . import y"}, [["core.c", "core.c.d"]]),
    ],
)
def test_a_circle_is_caught(lines, caught):
    files = [CORE / f"{name}.py" for name in lines]
    assert circles(modules_of(files, [ast.parse(text) for text in lines.values()])) == caught


def upward_inside(folder, path, tree):
    """The folders inside one that a file of it imports though they do not stand below its own."""
    rows, root = row_of(ROWS_INSIDE[folder]), tuple(folder.split("/"))
    here = path.relative_to(ROOT / folder).parts[0]
    for parts in imported(path, tree):
        for other in parts[len(root) : len(root) + 1] if parts[: len(root)] == root else ():
            if other in rows and other != here and rows[other] >= rows[here]:
                yield other


@pytest.mark.parametrize("folder", ROWS_INSIDE)
def test_imports_inside_a_folder_point_down(folder):
    inside = [path for path in (ROOT / folder).rglob("*.py") if path.parent != ROOT / folder]
    assert {path.relative_to(ROOT / folder).parts[0] for path in inside} == set(
        row_of(ROWS_INSIDE[folder])
    )
    for path in inside:
        assert not list(upward_inside(folder, path, parsed(path))), path


def test_what_tells_results_knows_neither_store_nor_model_nor_studio():
    for path in (CORE / "reporting").rglob("*.py"):
        assert imported_parts(path, parsed(path)) <= TELLING_KNOWS, path


def test_what_pages_share_knows_no_page():
    for path in (ROOT / "pages" / "common").rglob("*.py"):
        pages = [parts for parts in imported(path, parsed(path)) if parts[0] == "pages"]
        assert all(parts[1] == "common" for parts in pages), path


def names_inner(path, text):
    """What a file names of Streamlit's inside, or of functions of the browser that it replaces."""
    yield from INNER.findall(text)
    if path.suffix == ".py":
        for parts in imported(path, ast.parse(text)):
            if parts[0] == "streamlit" and ".".join(parts[:2]) not in STREAMLITS:
                yield ".".join(parts[:2])


def test_streamlit_is_worked_around_in_one_folder_only():
    files = [
        path
        for folder in (ROOT / "pages", CORE)
        for kind in ("py", "js", "css", "html")
        for path in folder.rglob(f"*.{kind}")
        if WORKAROUNDS not in path.parents
    ]
    assert ROOT / "pages/common/frame/look.css" in files
    for path in (ROOT / "app.py", *files):
        assert list(names_inner(path, path.read_text(encoding="utf-8"))) == [], path


def test_each_workaround_says_what_it_is_for_and_when_it_can_go():
    files = [*WORKAROUNDS.glob("*.py"), *WORKAROUNDS.rglob("*.css")]
    assert len(files) > 10
    tests = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("test_*.py")
    }
    for path in files:
        if path.stem in ("__init__", "style_sheets"):
            continue
        about = path.read_text(encoding="utf-8")
        assert all(part in about for part in ("What Streamlit does", "Issue", "1.67")), path
        file, test = re.search(
            r"can go when\s+`?(tests/\S+\.py)`?\s+fails\s+in[\s\S]*?`?(test_\w+)", about
        ).groups()
        assert f"def {test}" in tests[file], path


@pytest.mark.parametrize(
    ("file", "text", "caught"),
    [
        ("x.py", "from streamlit.runtime.scriptrunner import x", ["streamlit.runtime"]),
        ("x.py", "import streamlit.web.cli", ["streamlit.web"]),
        ("x.py", "import streamlit as st\nst._config", ["st._config"]),
        ("x.py", "from streamlit.errors import StreamlitAPIException", []),
        ("x.js", "window.history.pushState = () => {}", ["pushState"]),
        ("x.js", "WebSocket.prototype.send = send", ["WebSocket", ".prototype"]),
        ("x.css", '[data-testid="stMain"] p {}', ["data-testid", "stMain"]),
        ("x.css", ".stButton, .st-key-rows > p {}", [".stButton"]),
    ],
)
def test_a_workaround_elsewhere_is_caught(file, text, caught):
    assert list(names_inner(ROOT / "pages" / file, text)) == caught


def test_evaluation_asks_an_engine_and_knows_no_model():
    for path in (CORE / "evaluation").rglob("*.py"):
        assert not {"language_model", "engines"} & imported_parts(path, parsed(path)), path


def test_core_knows_neither_streamlit_nor_its_own_name():
    for path in python_files():
        names = set(absolute_imports(parsed(path)))
        assert not names & {"streamlit", "core"}, path
        if part_of(path) in NUMPY_ONLY:
            assert names <= {"numpy", *sys.stdlib_module_names}, path


def test_core_and_its_pages_know_nothing_of_what_stands_beside_core():
    for path in (*python_files(), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"):
        assert not BESIDE.keys() & set(absolute_imports(parsed(path))), path


@pytest.mark.parametrize(("folder", "below"), BESIDE.items())
def test_what_stands_beside_core_knows_no_page_and_only_what_is_below_it(folder, below):
    files = list((ROOT / folder).rglob("*.py"))
    names = {path: set(absolute_imports(parsed(path))) for path in files}
    assert "core" in set().union(*names.values())
    for path, found in names.items():
        assert not found & ({"streamlit", "pages", "app", "core", *BESIDE} - below), path


def test_heavy_libraries_are_imported_where_they_are_needed():
    for path in files_beside_tests():
        top = [node for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {name for node in top for name in absolute_imports(ast.Module([node], []))}
        assert not names & HEAVY, path


def test_a_module_can_be_read_in_a_sitting():
    for path in files_beside_tests():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def test_core_grows_no_further():
    """What comes pays for its lines by what is folded, or raises a number and says why."""
    files = [path.read_text(encoding="utf-8") for path in CORE.rglob("*.py")]
    assert sum(len(text.splitlines()) for text in files) <= LINES
    assert len(files) <= FILES


def fields_by_position(tree):
    """Of each dataclass how many of its fields an argument without a name can set."""
    for node in tree.body:
        calls = [
            each for each in getattr(node, "decorator_list", ()) if "dataclass" in ast.dump(each)
        ]
        if isinstance(node, ast.ClassDef) and calls and "kw_only" not in ast.unparse(calls[0]):
            fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
            fields = [each for each in fields if "ClassVar" not in each]
            marks = [place for place, each in enumerate(fields) if each == "_: KW_ONLY"]
            yield node.name, marks[0] if marks else len(fields)


def test_at_most_five_fields_are_set_by_position():
    many = {
        name
        for path in python_files()
        for name, number in fields_by_position(parsed(path))
        if number > 5
    }
    assert many == {"Draft", "_Pairs"}, "keyword-only is what has more fields"


def test_a_class_name_stands_for_one_thing():
    names = Counter(
        node.name
        for path in python_files()
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef)
    )
    assert names["Document"] == 1
    assert [name for name, times in names.items() if times > 1] == []


def test_a_file_name_is_used_three_times_at_most():
    names = Counter(path.stem for path in python_files() if path.stem != "__init__")
    assert names["pairs"] > 1
    assert [name for name, times in names.items() if times > 3 and name != "registry"] == []


def test_a_folder_can_be_taken_in_at_a_glance():
    pages = ROOT / "pages"
    houses = (CORE, *(ROOT / name for name in BESIDE))
    inside = (path for house in houses for path in house.rglob("*/"))
    for path in (*houses, *inside, *pages.rglob("*/")):
        names = {each.name for each in path.glob("*.py")} - {"__init__.py"}
        assert len(names) <= 20, path


def test_an_upward_import_is_caught():
    tree = ast.parse("from ..studio import explore\nfrom .. import commands")
    found = imported_parts(CORE / "selection" / "mmr.py", tree)
    assert found == {"studio", "commands"}
    assert all(ROW_OF[name] > ROW_OF["selection"] for name in found)


@pytest.mark.parametrize(
    ("folder", "file", "line", "caught"),
    [
        ("core/reporting", "words/advice.py", "from ..html import reports", ["html"]),
        ("core/reporting", "words/advice.py", "from .. import html", ["html"]),
        ("core/studio", "map/pool_map.py", "from ..runs.compare import run", ["runs"]),
        ("core/studio", "runs/compare.py", "from ..explore.path import path_of", []),
        ("pages/common", "state/state.py", "from pages.common.frame import look", ["frame"]),
        ("pages/common", "map/query.py", "import pages.common.explore.query", []),
    ],
)
def test_an_upward_import_inside_a_folder_is_caught(folder, file, line, caught):
    assert list(upward_inside(folder, ROOT / folder / file, ast.parse(line))) == caught
