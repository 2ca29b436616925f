"""The documents name everything that is registered, and its promises about commands hold."""

import re
from pathlib import Path

import pytest

from core.commands.parser import argument_parser
from core.curation.files.tables import FORMATS
from core.exporting import EXPORTERS
from core.index import INDEXES
from core.language_model import TEMPLATES
from core.language_model.task import TASKS
from core.metrics.registry import METRICS
from core.retrieval.knobs import BiasScale
from core.retrieval.registry import METHODS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = "\n".join(
    [README, *(each.read_text(encoding="utf-8") for each in sorted((ROOT / "docs").glob("*.md")))]
)


def commands():
    (subparsers,) = argument_parser()._subparsers._group_actions
    return subparsers.choices


@pytest.mark.parametrize(
    "name",
    [
        *METHODS, *METRICS, *EXPORTERS, *INDEXES, *TEMPLATES, *FORMATS, *TASKS,
        *map(str, BiasScale), "diversity",
    ],
)  # fmt: skip
def test_every_registered_name_stands_in_the_documents(name):
    assert f"`{name}`" in DOCS


@pytest.mark.parametrize("name", commands())
def test_every_command_stands_in_the_documents_with_its_options(name):
    assert re.search(rf"`{name}[ `]", DOCS)
    options = {
        option
        for action in commands()[name]._actions
        for option in action.option_strings
        if option.startswith("--") and option not in ("--help",)
    }
    for option in options:
        assert option in DOCS, f"{option} of {name}"


def test_the_first_lines_say_what_for_and_for_whom():
    first = " ".join(README.splitlines()[:10])
    assert "demonstrations" in first
    assert "make app" in README
    assert "make test" in README
    assert README.index("make app") < README.index("pip install")


@pytest.mark.parametrize("target", re.findall(r"\]\(((?!http)[^)#]+)\)", README))
def test_every_link_and_picture_of_the_readme_exists(target):
    assert (ROOT / target).exists()


@pytest.mark.parametrize("command", re.findall(r"python -m core ([a-z]+)", README))
def test_every_command_line_of_the_readme_names_a_command(command):
    assert command in commands()


def test_the_readme_shows_every_page():
    for page in sorted((ROOT / "pages").glob("*.py")):
        assert f"docs/{page.stem}" in README
