"""Files as other programs read them, and what happens when one cannot be written."""

import csv
import json
import os

import pytest

from core.demonstration.demonstration import Demonstration, Draft, Status, incorrect_answers
from core.errors import InvalidInput
from core.exporting import EXPORTERS, export_demonstrations, export_pool

ROWS = [
    Demonstration(
        'Why, "so"?',
        "=1+1",
        incorrect_answers(["x;y", "猫"], ["", "myth"]),
        ("t",),
        True,
        id=3,
        revision=1,
    ),
    Demonstration(
        "q\nr",
        "[1, 2]",
        (),
        (),
        False,
        Status.EXCLUDED,
        "look",
        "So.",
        ("a | b", "c"),
        "vanilla",
        ("leak 0123456789abcdef",),
        ("2026-11-27T12:00:00",),
        id=7,
        revision=4,
    ),  # fmt: skip
]
COLUMNS = [
    "id",
    "query",
    "answer",
    "incorrect",
    "incorrect_kinds",
    "tags",
    "best",
    "status",
    "note",
    "rationale",
    "passages_shown",
    "written_by",
    "dismissed",
    "reviewed",
]
AS_JSON = [
    {"id": 3, "query": 'Why, "so"?', "answer": "=1+1", "incorrect": ["x;y", "猫"],
     "incorrect_kinds": ["", "myth"], "tags": ["t"],
     "best": True, "status": "included", "note": "",
     "rationale": "", "passages_shown": [], "written_by": "",
     "dismissed": [], "reviewed": []},
    {"id": 7, "query": "q\nr", "answer": "[1, 2]", "incorrect": [],
     "incorrect_kinds": [], "tags": [],
     "best": False, "status": "excluded", "note": "look",
     "rationale": "So.", "passages_shown": ["a | b", "c"], "written_by": "vanilla",
     "dismissed": ["leak 0123456789abcdef"], "reviewed": ["2026-11-27T12:00:00"]},
]  # fmt: skip
AS_TEXT = [
    ["3", 'Why, "so"?', "=1+1", '["x;y", "猫"]', '["", "myth"]', '["t"]', "true", "included", "",
     "", "[]", "", "[]", "[]"],
    ["7", "q\nr", '["[1, 2]"]', "[]", "[]", "[]", "false", "excluded", "look",
     "So.", '["a | b", "c"]', "vanilla", '["leak 0123456789abcdef"]', '["2026-11-27T12:00:00"]'],
]  # fmt: skip


def test_json_lines(tmp_path):
    report = export_demonstrations(ROWS, "jsonl", tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == AS_JSON
    assert list(json.loads(lines[0])) == COLUMNS
    assert "猫" in lines[0]
    assert (report.rows, report.path) == (2, tmp_path / "a.jsonl")


def test_json(tmp_path):
    export_demonstrations(ROWS, "json", tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == AS_JSON


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_delimited(tmp_path, format, delimiter):
    export_demonstrations(ROWS, format, tmp_path / "a")
    with (tmp_path / "a").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file, delimiter=delimiter)) == [COLUMNS, *AS_TEXT]


def test_parquet(tmp_path):
    import pyarrow.parquet as pq

    export_demonstrations(ROWS, "parquet", tmp_path / "a")
    rows = pq.read_table(tmp_path / "a").to_pylist()
    assert rows == AS_JSON
    assert list(rows[0]) == COLUMNS


def test_xlsx_holds_texts_and_no_formulas(tmp_path):
    from openpyxl import load_workbook

    export_demonstrations(ROWS, "xlsx", tmp_path / "a.xlsx")
    sheet = load_workbook(tmp_path / "a.xlsx").active
    assert [cell.value for cell in sheet[1]] == COLUMNS
    assert [cell.value for cell in sheet[2]] == [
        3, *AS_TEXT[0][1:6], True, "included", None, None, "[]", None, "[]", "[]",
    ]  # fmt: skip
    assert {cell.data_type for cell in sheet[2]} == {"n", "s", "b"}


@pytest.mark.parametrize("format", EXPORTERS)
def test_an_empty_pool_gives_a_file_without_rows(tmp_path, store, format):
    store.pools.create("empty")
    report = export_pool(store, "empty", format, tmp_path / "a")
    assert report.rows == 0
    assert (tmp_path / "a").is_file()


def failing(rows, path):
    path.write_text("half")
    raise OSError(28, "No space left on device")


def test_a_fault_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("old")
    monkeypatch.setattr(EXPORTERS["csv"], "write", failing)
    with pytest.raises(InvalidInput, match="cannot be written .No space left on device."):
        export_demonstrations(ROWS, "csv", tmp_path / "a.csv", overwrite=True)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.csv", "old")]


def test_an_existing_file_is_replaced_where_that_is_asked_for(tmp_path):
    out = tmp_path / "a.jsonl"
    out.write_text("old\n" * 99)
    with pytest.raises(InvalidInput, match=r"a\.jsonl already exists: .* overwrite=True"):
        export_demonstrations(ROWS[:1], "jsonl", out)
    assert out.read_text() == "old\n" * 99
    export_demonstrations(ROWS[:1], "jsonl", out, overwrite=True)
    assert json.loads(out.read_text(encoding="utf-8")) == AS_JSON[0]
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_link_stays_and_what_it_names_is_replaced(tmp_path):
    kept, link = tmp_path / "kept.jsonl", tmp_path / "link.jsonl"
    kept.write_text("old")
    link.symlink_to(kept)
    export_demonstrations(ROWS[:1], "jsonl", link, overwrite=True)
    assert link.is_symlink()
    assert json.loads(kept.read_text(encoding="utf-8")) == AS_JSON[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_place_that_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="pipe is no ordinary file: name another place"):
        export_demonstrations(ROWS, "csv", tmp_path / "pipe", overwrite=True)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("out", "complaint"),
    [
        ("~no-such-person/a.csv", "There is no home folder for ~no-such-person/a.csv: name"),
        ("a" * 300 + ".csv", r"cannot be written .File name too long.: name another place"),
        ("a.xlsx", r"a\.xlsx ends in \.xlsx, and the format is csv: .* in \.csv, or .* xlsx"),
    ],
)
def test_a_place_that_cannot_be_is_one_sentence(out, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=complaint):
        export_demonstrations(ROWS, "csv", out)
    assert list(tmp_path.iterdir()) == []


def test_a_text_too_long_for_a_cell_of_xlsx(tmp_path):
    def one(query):
        return [Demonstration(query, "a", id=5, revision=1)]

    export_demonstrations(one("x" * 32_767), "xlsx", tmp_path / "fits.xlsx")
    with pytest.raises(
        InvalidInput, match="Demonstration 5 .* its query is longer than the 32,767"
    ):
        export_demonstrations(one("x" * 32_768), "xlsx", tmp_path / "a.xlsx")
    assert not (tmp_path / "a.xlsx").exists()


def test_mistakes(tmp_path, store):
    pool = store.pools.create("pool")
    store.demonstrations.add(pool.id, [Draft("q", "a")])
    with pytest.raises(InvalidInput, match='Unknown format "xml": choose one of jsonl, json, csv'):
        export_pool(store, "pool", "xml", tmp_path / "a")
    with pytest.raises(InvalidInput, match="no pool named 'other'"):
        export_pool(store, "other", "csv", tmp_path / "a")
    with pytest.raises(InvalidInput, match="is a folder: name a file in it"):
        export_pool(store, "pool", "csv", tmp_path)
    with pytest.raises(InvalidInput, match="There is no folder"):
        export_pool(store, "pool", "csv", tmp_path / "none" / "a.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]
