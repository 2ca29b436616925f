"""A field of a demonstration is one line of `types.Draft` and one migration.

A copy of Shotlist gets both, and as much for a list of texts; a process that runs it takes the
fields through everything.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from core.demonstration.demonstration import Demonstration, Draft
from core.demonstration.fields import FIELD, FIELDS

ROOT = Path(__file__).resolve().parents[2]
LINE = """\
    source: Annotated[str, Field("source", Kind.TEXT, ("source", "origin"), label="source")] = ""
"""
OF_A_LIST = """\
    towns: Annotated[tuple[str, ...], Field("towns", Kind.TEXTS, ("towns",), label="towns")] = ()
"""
MIGRATION = '''\
def m_sources_and_towns(cursor: "DuckDBPyConnection") -> None:
    """Where each demonstration is from, and of which towns it is about."""
    cursor.execute("""
        ALTER TABLE demonstrations ADD COLUMN source VARCHAR DEFAULT '';
        ALTER TABLE demonstrations ALTER COLUMN source SET NOT NULL;
        ALTER TABLE demonstrations ADD COLUMN towns VARCHAR[] DEFAULT [];
        ALTER TABLE demonstrations ALTER COLUMN towns SET NOT NULL;
    """)


'''
PROGRAM = """
import json, sys
from pathlib import Path
from core.curation import guess_mapping, import_file, read_table
from core.demonstration.criteria import Words
from core.exporting import EXPORTERS, export_pool
from core.settings import OnDifference
from core.store import SearchOrder
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.edits import edits_of, save_each
from pages.common.demonstrations.editing import Editing
from pages.common.demonstrations.table_columns import SORTS, table_columns

folder, found = Path(sys.argv[1]), {}
with Studio.open(folder / "workspace") as studio:
    store = studio.store
    pool = store.pools.get("before")
    found["of an older workspace"] = [row.source for row in store.demonstrations.all(pool.id)]
    file = folder / "rows.csv"
    found["mapping"] = str(guess_mapping(read_table(file)))
    import_file(store, file, "rows")
    pool = store.pools.get("rows")
    sources = lambda: [row.source for row in store.demonstrations.all(pool.id)]
    found["imported"] = sources()
    again = import_file(store, folder / "again.csv", "rows", on_difference=OnDifference.ADD)
    found["differs in"] = again.to_json()["differing"]["fields"]
    found["mapping in JSON"] = again.to_json()["mapping"]["source"]
    found["added"] = sources()

    edition = store.pools.get("rows")
    shown = store.demonstrations.all(pool.id)
    saved = save_each(studio, edits_of(shown, {0: {"source": "a letter"}}).values())
    found["edited"], found["what"] = sources(), saved.what
    now = store.pools.get("rows")
    found["a new version"] = now.version > edition.version
    step = store.history.of(shown[0].id)[-1]
    found["step"] = [step.before, step.after]
    store.history.undo(saved.actions[0])
    found["undone"] = sources()

    order = SearchOrder("source", descending=True)
    rows = demonstrations.table(studio, TableRequest("rows", order=order)).rows
    found["sorted"] = [row.source for row in rows]
    rows = demonstrations.table(studio, TableRequest("rows", (Words("BOOK"),))).rows
    found["searched"] = [row.source for row in rows]
    frame = Editing(TableRequest("rows"), 0, tuple(rows), tuple(rows), 1, 0).frame({}, {})
    found["shown"] = frame["source"].tolist()
    found["columns"] = list(table_columns(()))
    found["sorts"] = SORTS["source"]

    for format, exporter in EXPORTERS.items():
        path = folder / f"out{exporter.extension}"
        export_pool(store, "rows", format, path)
        import_file(store, path, f"from {format}")
        back = store.demonstrations.all(store.pools.get(f"from {format}").id)
        found[f"from {format}"] = [[row.source, row.towns] for row in back]
print(json.dumps(found))
"""


def put(file, before, text):
    """Write the text before a place that the file has once."""
    source = file.read_text(encoding="utf-8")
    assert source.count(before) == 1
    file.write_text(source.replace(before, text + before), encoding="utf-8")


def with_one_more(copy):
    """Give the copy the field and the migration."""
    put(copy / "core" / "demonstration" / "demonstration.py", "    # fmt: on\n", LINE + OF_A_LIST)
    migrations = copy / "core" / "store" / "migrations.py"
    put(migrations, "MIGRATIONS: tuple", MIGRATION)
    put(migrations, ')\n"""The first makes version', ", m_sources_and_towns")


@pytest.fixture(scope="module")
def found(tmp_path_factory, workspace_with):
    """What the copy made of two files, in a workspace that Shotlist without the field had made."""
    copy, folder = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("one-more-field")
    workspace_with(folder / "workspace", "before", (Draft("Why?", "So."),))
    (folder / "rows.csv").write_text(
        'query,answer,origin,towns\nWhy?,So.,a letter of 1900,\nWho?,Ann.,,"[""Rome"", ""Oslo""]"\n'
        "When?,Now.,the Book,Lima\n"
    )
    (folder / "again.csv").write_text(
        "query,answer,origin,towns\nWhy?,So.,elsewhere,\nWho?,Ann.,hearsay,Rome\n"
    )
    for name in ("core", "pages"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    with_one_more(copy)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


IMPORTED = ["a letter of 1900", "", "the Book"]
ADDED = ["a letter of 1900", "hearsay", "the Book"]


def test_it_is_imported_and_what_a_file_adds_is_added(found):
    assert found["of an older workspace"] == [""]
    assert found["mapping"] == "query=query,answer=answer,towns=towns,source=origin"
    assert found["mapping in JSON"] == "origin"
    assert found["imported"] == IMPORTED
    assert (found["differs in"], found["added"]) == (["source", "towns"], ADDED)


def test_it_is_edited_as_a_new_version_and_undone(found):
    assert found["edited"] == ["a letter", *ADDED[1:]]
    assert found["what"] == "edited the source of demonstration 2"
    assert found["step"] == [{"source": "a letter of 1900"}, {"source": "a letter"}]
    assert found["a new version"] is True
    assert found["undone"] == ADDED


def test_it_is_sorted_searched_and_shown_in_the_table(found):
    assert found["sorted"] == ["the Book", "hearsay", "a letter of 1900"]
    assert found["searched"] == found["shown"] == ["the Book"]
    assert found["columns"][-7:] == [
        "source",
        "towns",
        "similarity",
        "quality bias",
        "retrieved",
        "worth",
        "changed",
    ]
    assert found["sorts"] == "source"


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "tsv", "parquet", "xlsx"])
def test_it_is_exported_and_read_back(found, format):
    towns = [[], ["Rome", "Oslo"], ["Lima"]]
    assert found[f"from {format}"] == [list(each) for each in zip(ADDED, towns, strict=True)]


def test_the_table_has_a_field_for_every_attribute():
    attributes = [each.name for each in fields(Draft)]
    assert [name for name in FIELD if name != "incorrect_kinds"] == attributes
    assert [each.name for each in fields(Demonstration)] == [*attributes, "id", "revision"]
    assert len(FIELD) == len(FIELDS)


def test_no_two_fields_answer_to_one_synonym_but_for_the_best_answer():
    synonyms = [word for field in FIELDS for word in field.synonyms]
    assert {word for word in synonyms if synonyms.count(word) > 1} == {"best_answer"}
    assert all(word == word.casefold() for word in synonyms)
    assert [field.name for field in FIELDS if field.name not in field.synonyms] == []
