"""Pools as a service: uploads, previews, exports, names."""

import gzip

import pytest

from core.curation import Mapping
from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import InvalidInput
from core.exporting import EXPORTERS
from core.settings import data_folder
from core.store import demonstrations as store_demonstrations
from core.store.pools import create_pool
from core.studio import Studio
from core.studio.pools import demonstrations, pools
from core.studio.pools.pools import ImportRequest, suggested_name

CSV = "Frage,Antwort,Falsch\nIst der Mond aus Käse?,Nein,Ja\n,leer,x\nSehen Fledermäuse?,Ja,Nein\n"


@pytest.fixture
def studio(tmp_path, workspace_with):
    workspace_with(tmp_path / "workspace")
    with Studio.open(tmp_path / "workspace") as opened:
        yield opened


def test_the_bundled_pools_come_all_or_none_and_a_deleted_one_stays_away(studio, monkeypatch):
    def named():
        return [summary.name for summary in pools.summaries(studio)]

    def killed_at_the_last(cursor, name):
        if name == pools.BUNDLED[-1]:
            raise KeyboardInterrupt
        return create_pool(cursor, name)

    with monkeypatch.context() as patch:
        patch.setattr(store_demonstrations, "create_pool", killed_at_the_last)
        with pytest.raises(KeyboardInterrupt):
            pools.load_bundled(studio)
    assert named() == []
    pools.load_bundled(studio)
    assert named() == sorted(pools.BUNDLED)
    for name in pools.BUNDLED:
        file = data_folder() / f"{name}.jsonl"
        again = pools.run_import(studio, ImportRequest(file, name))
        assert (again.demonstrations, again.action) == (0, None)
    pools.delete(studio, pools.BUNDLED[1])
    pools.load_bundled(studio)
    assert named() == sorted({*pools.BUNDLED} - {pools.BUNDLED[1]})


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("TruthfulQA.csv", "truthfulqa"),
        ("My Questions (v2).jsonl.gz", "my-questions-v2"),
        ("/tmp/x/Пул вопросов.xlsx", "пул-вопросов"),
        ("***.csv", "pool"),
        ("", "pool"),
    ],
)
def test_suggested_name(filename, name):
    assert suggested_name(filename) == name


@pytest.mark.parametrize("name", ["f.csv", "../../f.csv", "a/b\\f.csv", "..csv.csv"])
def test_an_upload_is_read_whatever_its_name(name):
    table = pools.read_upload(name, CSV.encode("cp1252"))
    assert table.columns == ["Frage", "Antwort", "Falsch"]
    assert table.encoding == "cp1252"
    assert table.rows[0]["Frage"] == "Ist der Mond aus Käse?"


def test_an_upload_s_delimiter_and_sheet_may_be_named():
    assert pools.read_upload("f.csv", b"a,b|c\nx,y|z\n", delimiter="|").columns == ["a,b", "c"]
    with pytest.raises(InvalidInput, match="has no sheets"):
        pools.read_upload("f.csv", CSV.encode(), sheet="one")


def test_a_gzipped_upload_and_a_named_format():
    assert len(pools.read_upload("f.csv.gz", gzip.compress(CSV.encode())).rows) == 3
    assert len(pools.read_upload("f.data", CSV.encode(), format="csv").rows) == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.csv", b"", "f.csv is empty"),
        ("f.csv", b"query,answer\n", "no rows"),
        ("f.md", b"# hello", "is not clear from its name"),
        ("f.parquet", b"PAR1 not really", "cannot be read as parquet"),
        ("f.xlsx", b"PK\x03\x04 nothing", "cannot be read as an Excel workbook"),
        ("..", b"x", "is not clear from its name"),
    ],
)
def test_a_wrong_upload_is_one_sentence(name, content, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        pools.read_upload(name, content)
    assert "\n" not in str(caught.value)
    assert "/tmp" not in str(caught.value)


def test_a_preview_writes_nothing_and_the_import_does_what_it_said(studio):
    table = pools.read_upload("fragen.csv", CSV.encode())
    unknown = pools.preview_import(ImportRequest(table, ""))
    assert (unknown.mapping, unknown.report) == (None, None)
    assert "looks like the answer" in unknown.problem
    mapping = Mapping(query=("Frage",), answer=("Antwort",), incorrect=("Falsch",))
    found = pools.preview_import(ImportRequest(table, "", mapping=mapping))
    assert found.drafts == [
        Draft("Ist der Mond aus Käse?", "Nein", incorrect_answers(("Ja",))),
        Draft("Sehen Fledermäuse?", "Ja", incorrect_answers(("Nein",))),
    ]
    assert (found.report.demonstrations, found.report.queries, found.report.triples) == (2, 2, 2)
    assert pools.summaries(studio) == []
    report = pools.run_import(studio, ImportRequest(table, "fragen", mapping=mapping))
    assert (report.rows, report.demonstrations, report.already_there) == (3, 2, 0)
    assert {reason: n for reason, n in report.dropped.items() if n} == {"empty query": 1}
    again = pools.run_import(studio, ImportRequest(table, "fragen", mapping=mapping))
    assert (again.demonstrations, again.already_there, again.action) == (0, 2, None)
    demonstrations.undo(studio, report.action)
    assert demonstrations.summary(studio, "fragen").demonstrations == 0


def test_a_refused_import_leaves_no_pool(studio):
    table = pools.read_upload("fragen.csv", CSV.encode())
    with pytest.raises(InvalidInput):
        pools.run_import(studio, ImportRequest(table, "fragen"))
    assert pools.summaries(studio) == []


@pytest.mark.parametrize("format", EXPORTERS)
def test_a_download_imports_back_to_the_same_demonstrations(studio, format):
    pool = studio.store.pools.create("one")
    drafts = [
        Draft("=1+1?", '2; always, "so"', incorrect_answers(("3", "a\nb")), ("maths",), best=True),
        Draft("月?", "岩", note="🌑"),
    ]
    studio.store.demonstrations.add(pool.id, drafts)
    content = pools.export_bytes(studio, "one", format)
    table = pools.read_upload(f"one{EXPORTERS[format].extension}", content)
    pools.run_import(studio, ImportRequest(table, "two"))
    back = studio.store.demonstrations.all(studio.store.pools.get("two").id)
    assert [
        Draft(d.query, d.answer, d.incorrect, d.tags, d.best, d.status, d.note) for d in back
    ] == drafts


def test_rename_and_delete(studio):
    studio.store.pools.create("one")
    studio.store.pools.create("two")
    assert pools.rename(studio, "one", " first  pool ") == "first pool"
    with pytest.raises(InvalidInput, match="'two' already"):
        pools.rename(studio, "first pool", "two")
    with pytest.raises(InvalidInput, match="name is empty"):
        pools.rename(studio, "two", "  ")
    pools.delete(studio, "two")
    assert [summary.name for summary in pools.summaries(studio)] == ["first pool"]
