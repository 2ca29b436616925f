"""README and docs name everything that is registered, and what they show and promise is so."""

import io
import re
import runpy
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from core.curation.files.tables import FORMATS
from core.curation.findings.registry import CHECKS
from core.demonstration.criteria import OPERATORS
from core.exporting import EXPORTERS
from core.index import INDEXES
from core.language_model import TEMPLATES
from core.metrics.registry import METRICS
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import BiasScale
from practice.commands import options
from tests.support.gated import gated

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {
    each.name: each.read_text(encoding="utf-8") for each in sorted((ROOT / "docs").glob("*.md"))
}
PAGES = {"README.md": README, **{f"docs/{name}": text for name, text in DOCS.items()}}
EVERYTHING = "\n".join(PAGES.values())
CLI = runpy.run_path(str(ROOT / "docs" / "cli.py"))
PARSERS = CLI["PROGRAMS"]
COMMANDS = [
    (program, name) for program, parser in PARSERS.items() for name in CLI["commands"](parser())
]

MOST_LINES = 150
LONGEST_LINE = 300
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(((?!http)[^)]+)\)")
FILE_NAME = re.compile(
    r"`((?:core|pages|tests|docs|studies|fusion|practice|benchmarks|data)/[\w/.-]*)`"
)
PROGRAM = f"python -m ({'|'.join(PARSERS)})"
COMMAND_LINE = re.compile(rf"^(?:\$ )?{PROGRAM} (.+)$", re.MULTILINE)


def prose(text):
    """The text without its code, in which a bracket is no link."""
    return re.sub(r"`[^`\n]+`", "`code`", FENCE.sub("", text))


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def command_lines():
    """Every command line in a block of code that is whole: a synopsis has brackets."""
    for page, text in PAGES.items():
        for block in FENCE.findall(text):
            for program, line in COMMAND_LINE.findall(block):
                if "[" not in line:
                    yield pytest.param(program, line, id=f"{page}: {program} {line}")


@pytest.mark.parametrize(
    "name",
    [
        *METHODS, *METRICS, *EXPORTERS, *INDEXES, *TEMPLATES, *FORMATS, *map(str, BiasScale),
        "diversity",
    ],
)  # fmt: skip
def test_every_registered_name_is_in_the_readme_or_the_docs(name):
    assert f"`{name}`" in EVERYTHING


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_the_readme_and_has_a_row_on_the_page_of_choosing(name):
    assert f"`{name}`" in README
    assert re.search(rf"^\| `{re.escape(name)}` \| \w", DOCS["selection.md"], re.MULTILINE)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_in_the_readme_and_has_a_row_on_the_page_of_judging(name):
    assert f"`{name}`" in README
    assert re.search(rf"^\| `{name}` \| \S", DOCS["evaluation.md"], re.MULTILINE)


@pytest.mark.parametrize("heading", ["method", "metric", "what"])
def test_the_tables_of_the_readme_have_at_most_nine_rows(heading):
    (table,) = re.findall(rf"^\| {heading} \|.*\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert 1 <= table.count("\n") - 1 <= 9  # less the line below the heading


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_has_a_row_on_its_page(name):
    assert re.search(rf"^\| `{name}` \| \w", DOCS["findings.md"], re.MULTILINE)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_filter_of_a_search_is_on_the_page_of_the_studio(name):
    (table,) = re.findall(r"^\| filter \|.*?\n\n", DOCS["studio.md"], re.MULTILINE | re.DOTALL)
    assert f"`{name}`" in table


def test_the_picture_of_the_house_is_what_the_imports_say():
    drawn = runpy.run_path(str(ROOT / "docs" / "house.py"))["picture"]()
    written = (ROOT / "docs" / "house.svg").read_text(encoding="utf-8")
    assert written == drawn, "draw it again: make docs"


def test_the_page_of_the_command_line_is_what_the_parser_says():
    assert DOCS["cli.md"] == CLI["reference"](), "write it again: make docs"


@pytest.mark.parametrize(("program", "name"), COMMANDS)
def test_every_command_is_on_its_page_with_the_options_of_its_help(program, name, capsys):
    with pytest.raises(SystemExit) as ended:
        PARSERS[program]().parse_args([*name.split(), "--help"])
    assert ended.value.code == 0
    options = re.findall(
        r"^ {2}(?:-h, )?(--?[a-z][a-z0-9-]*)", capsys.readouterr().out, re.MULTILINE
    )
    assert {"--help", "--json", "--workspace"} <= set(options)
    section = DOCS["cli.md"].split(f"## `{CLI['heading'](program, name)}`\n")[1].split("\n## ")[0]
    for option in set(options) - {"--help", "--json", "--workspace"}:
        assert re.search(rf"^\| `{option}[` ]", section, re.MULTILINE), option
    assert f"python -m {program} {name}" in section


@pytest.mark.parametrize(("program", "line"), list(command_lines()))
def test_every_command_line_can_be_read(program, line):
    PARSERS[program]().parse_args(shlex.split(line, comments=True))


@pytest.mark.parametrize(
    ("program", "command"), sorted(set(re.findall(rf"{PROGRAM} ([a-z]+)", EVERYTHING)))
)
def test_every_command_that_is_named_exists(program, command):
    assert command in {name.split()[0] for where, name in COMMANDS if where == program}


@pytest.mark.parametrize("name", CLI["commands"](options.argument_parser()))
def test_every_command_of_the_practice_model_is_on_its_page(name):
    assert f"| `python -m practice {name}" in DOCS["practice-model.md"]


def test_the_first_lines_say_what_for_and_for_whom():
    first = " ".join(README.splitlines()[:10])
    assert "demonstrations" in first
    assert "for people who" in first
    assert "make app" in README
    assert "make test" in README


def test_the_readme_is_one_page():
    lines = README.splitlines()
    assert len(lines) <= MOST_LINES
    long = [line for line in lines if len(line) > LONGEST_LINE and not line.startswith("|")]
    assert long == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_picture_leads_somewhere(page):
    for target in LINK.findall(prose(PAGES[page])):
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found.read_text(encoding="utf-8")), target


def test_every_file_that_contributors_are_sent_to_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = FILE_NAME.findall(text)
    assert len(found) > 100
    assert [name for name in found if not (ROOT / name).exists()] == []
    _, walk = text.split("### How does Compare work?\n")
    assert len(FILE_NAME.findall(walk.split("\n## ")[0])) == 15, "few enough for one sitting"


@pytest.mark.parametrize("name", DOCS)
def test_the_readme_leads_to_every_page_and_every_page_back(name):
    assert f"(docs/{name})" in README
    assert "](../README.md)" in DOCS[name]
    heading, sentence, *_ = DOCS[name].split("\n\n")
    assert heading.startswith("# ")
    assert re.fullmatch(r"This page (explains|shows) [^.]+\.", sentence)


def test_the_readme_shows_every_page_of_the_studio():
    for page in sorted((ROOT / "pages").glob("*.py")):
        assert f"docs/{page.stem}" in README


@pytest.mark.parametrize(("page", "lines"), gated([("README.md", 4), ("docs/library.md", 13)]))
def test_a_library_session_prints_what_its_page_says(page, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    names, promised, printed = {}, [], io.StringIO()
    for session in re.findall(r"^```python\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL):
        promised += re.findall(r"^# (.+)$", session, re.MULTILINE)
        with redirect_stdout(printed):
            exec(session.replace('"data/workspace"', repr(str(tmp_path))), names)
    assert len(promised) == lines
    assert printed.getvalue().splitlines() == promised
    assert any(tmp_path.iterdir()), "the workspace of the session"
