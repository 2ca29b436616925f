"""What a page may import of core: services, what tells results, and the value types it names."""

import ast

import pytest

from tests.test_architecture import ROOT, imported, parsed

SERVICES = {"studio", "reporting"}
"""Rooms whose functions pages call: what is done, and how it is told."""
BASE = {"errors", "settings", "text", "watcher"}
"""What everything stands on: faults to show, defaults and phases to name, lists and numbers of a
sentence."""
NAMED = {
    "background",
    "curation",
    "demonstration",
    "evaluation",
    "exporting",
    "generation",
    "language_model",
    "metrics",
    "passages",
    "programs",
    "retrieval",
    "store",
}
"""Rooms of which pages name value types and constants and call no function: what a service takes or
gives, and the registries that list what can be chosen. The list may only get shorter."""


def pages():
    """The app and every file of the pages."""
    found = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
    assert ROOT / "pages/explore.py" in found
    return found


def file_of(parts):
    """The file of a module of that name; None for what is no module."""
    path = ROOT.joinpath(*parts)
    for each in (path.with_suffix(".py"), path / "__init__.py"):
        if each.is_file():
            return each
    return None


def targets(node):
    """The names that a statement gives to values."""
    given = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {each.id for one in given for each in ast.walk(one) if isinstance(each, ast.Name)}


def is_alias(node):
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).endswith("TypeAlias")


def is_value(parts):
    """Whether a name is that of a class, of a type or of a constant, wherever it is defined."""
    *module, name = parts
    path = file_of(module)
    if path is None:
        return False
    for node in parsed(path).body:
        match node:
            case ast.ClassDef():
                if node.name == name:
                    return True
            case ast.Assign() | ast.AnnAssign():
                if name in targets(node):
                    return name.isupper() or is_alias(node)
            case ast.ImportFrom():
                base = list(path.relative_to(ROOT).parent.parts)
                base = base[: len(base) - node.level + 1] if node.level else []
                for each in node.names:
                    if name == (each.asname or each.name):
                        return is_value([*base, *(node.module or "").split("."), each.name])
    return False


def refused(path, tree):
    """What a page imports of core that is neither a service nor something that it only names."""
    for parts in imported(path, tree):
        if parts[0] != "core" or parts[1:2] and parts[1] in SERVICES | BASE:
            continue
        if len(parts) < 3 or parts[1] not in NAMED or not is_value(parts):
            yield ".".join(parts)


def test_a_page_calls_services_and_names_values():
    assert {path: found for path in pages() if (found := [*refused(path, parsed(path))])} == {}


def test_no_room_is_named_that_no_page_needs():
    rooms = {
        parts[1] for path in pages() for parts in imported(path, parsed(path)) if parts[0] == "core"
    }
    assert rooms == SERVICES | BASE | NAMED, "take those off the list that need it no more"


def test_a_page_asks_a_service_and_not_the_store():
    for path in pages():
        lines = [
            node.lineno
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Attribute) and node.attr == "store"
        ]
        assert not lines, path


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("from core.studio.pools import demonstrations", []),
        ("from core.reporting.words.cautions import unread_sentence", []),
        ("from core.text import listed", []),
        ("from core.retrieval.knobs import KNOBS, BiasScale", []),
        ("from core.store import QUALITY_BIAS, ReviewQueue", []),
        ("from core.demonstration.criteria import LENGTH, Criterion", []),
        ("from core.retrieval.choosing import METHODS, find_method",
         ["core.retrieval.choosing.find_method"]),
        ("from core.curation import ImportReport, import_file", ["core.curation.import_file"]),
        ("from core.retrieval.methods import pgra", ["core.retrieval.methods.pgra"]),
        ("from core.retrieval.methods import no_such_method",
         ["core.retrieval.methods.no_such_method"]),
        ("from core.index import INDEXES", ["core.index.INDEXES"]),
        ("from core.embedding.encoder import Encoder", ["core.embedding.encoder.Encoder"]),
        ("from core import store", ["core.store"]),
        ("from core import retrieve", ["core.retrieve"]),
        ("import core.store.pools", ["core.store.pools"]),
        ("import core", ["core"]),
    ],
)  # fmt: skip
def test_what_is_no_service_is_caught(line, caught):
    assert list(refused(ROOT / "pages/explore.py", ast.parse(line))) == caught
