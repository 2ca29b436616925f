"""The command `import`: what it reads, what it says of the file, what it refuses."""

import json
import re

import pytest

from core.commands.main import main
from core.curation import read_table
from tests.support.commands import ROWS, refused


def test_import_adds_and_skips_doubles(run, file):
    first = run("import", file, "--pool", "small")
    assert (first["pool"], first["demonstrations"]) == ("small", 10)
    assert (first["queries"], first["triples"], first["dropped"]) == (7, 20, {})
    again = run("import", file, "--pool", "small")
    assert (again["demonstrations"], again["already_there"]) == (0, 10)
    (summary,) = run("pools")["pools"]
    assert (summary["name"], summary["demonstrations"], summary["queries"]) == ("small", 10, 7)


def test_an_import_says_everything_that_happened_to_the_file(capsys, run, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(json.dumps([{"query": "q", "answer": "a", "incorrect": ["x"]}]))
    rows = [
        {"id": 1, "query": "q", "answer": "a", "incorrect": ["y"], "tags": ["t"]},
        {"id": 2, "query": "r", "answer": "b", "status": "discarded"},
        {"id": 3, "query": "r", "answer": "b"},
    ]
    second.write_text(json.dumps(rows))
    run("import", first, "--pool", "small")
    assert main(["import", str(second), "--pool", "small", "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["unused_columns"] == ["id"]
    assert found["joined"] == [{"by": "same text", "answers": 1}]
    assert found["excluded"] == {"discarded": 1}
    assert found["differing"] == {
        "rows": 1,
        "fields": ["incorrect", "tags"],
        "demonstrations": [{"id": 1, "query": "q", "answer": "a", "fields": ["incorrect", "tags"]}],
    }
    assert (found["read_as_lists"], found["sheets"], found["changed"]) == ({}, [], 0)
    assert "1 row differs from the pool in incorrect, tags" in printed.err
    assert "--on-difference add or replace" in printed.err
    again = run("import", second, "--pool", "small", "--on-difference", "replace")
    assert (again["changed"], again["differing"]["rows"]) == (1, 1)
    assert run("import", second, "--pool", "small")["differing"]["rows"] == 0


def test_a_classification_set_comes_in_by_its_lines_and_gets_its_other_labels(
    capsys, run, tmp_path
):
    path = tmp_path / "films.all"
    path.write_bytes("0 dull film\n1 good café\n2 fair\n".encode("latin-1") * 10 + b"2\n")
    found = run("import", path, "--pool", "films", "--encoding", "latin-1")
    assert (found["format"], found["demonstrations"], found["queries"]) == ("sent-conv", 3, 3)
    assert found["dropped"] == {"double answer": 27, "empty query": 1}
    more = tmp_path / "more.csv"
    more.write_text("".join(f"{n % 3} film {n}\n" for n in range(9)))
    assert run("import", more, "--format", "sent-conv", "--pool", "films")["demonstrations"] == 9
    suggested = run("suggest", "--pool", "films", "--per-query", 1, "--accept")["suggestions"]
    assert {each["kind"] for each in suggested} == {"other label"}
    cafe = [each["text"] for each in suggested if each["query"] == "good café"]
    assert (sorted(cafe), len(suggested)) == (["0", "2"], 24)
    more.write_text("0 film\nno label\n")
    assert "more.csv: line 2 begins with no label" in refused(
        capsys, "import", more, "--format", "sent-conv", "--pool", "films"
    )


RUSSIAN = """query,answer
Почему небо голубое?,Воздух рассеивает синий свет сильнее красного.
"Правда ли, что летучие мыши слепы?","Нет, они видят, а многие ещё и хорошо слышат эхо."
"""


def test_an_import_tells_the_encoding_and_how_sure_it_is(capsys, run, tmp_path):
    path = tmp_path / "russian.csv"
    path.write_text(RUSSIAN, encoding="cp1251")
    report = run("import", path, "--pool", "russian")
    assert (report["encoding"], report["encoding_sureness"]) == ("cp1251", "likely")
    exported = tmp_path / "out.jsonl"
    run("export", "--pool", "russian", "--format", "jsonl", "--out", exported)
    rows = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["query"] == "Почему небо голубое?"
    assert main(["import", str(path), "--pool", "again"]) == 0
    printed = capsys.readouterr()
    assert re.search(r"^encoding +cp1251$", printed.out, re.MULTILINE)
    assert re.search(r"^encoding_sureness +likely$", printed.out, re.MULTILINE)
    assert "unsure" not in printed.err


def test_an_unsure_encoding_is_warned_of_and_can_be_named(capsys, run, tmp_path):
    path = tmp_path / "short.csv"
    path.write_text("query,answer,incorrect\nWhat is it?,A café,Tea\n", encoding="cp1252")
    assert main(["import", str(path), "--pool", "guessed", "--json"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["encoding"], report["encoding_sureness"]) == ("cp1252", "unsure")
    assert "cp1251" in report["other_encodings"]
    warning, taken, rows = printed.err.splitlines()
    assert taken == (
        'Read as the query: "query"; as the answer: "answer"; as incorrect answers: "incorrect".'
    )
    assert rows == "1 row: 1 new demonstration."
    assert warning.startswith("short.csv was read as cp1252, which is unsure (it could be ")
    assert "--encoding" in warning
    assert main(["import", str(path), "--pool", "named", "--json", "--encoding", "latin1"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["encoding"], report["encoding_sureness"]) == ("iso8859-1", "chosen")
    assert report["other_encodings"] == []
    assert printed.err.splitlines() == [taken, rows]


@pytest.mark.parametrize(
    ("encoding", "complaint"),
    [
        ("klingon", 'There is no encoding "klingon": name one that Python knows'),
        ("utf-8", "russian.csv is not in utf-8: byte 13 of it is no letter there"),
    ],
)
def test_a_wrong_encoding_is_one_sentence_and_writes_nothing(
    capsys, run, tmp_path, encoding, complaint
):
    path = tmp_path / "russian.csv"
    path.write_text(RUSSIAN, encoding="cp1251")
    line = refused(capsys, "import", path, "--pool", "p", "--encoding", encoding)
    assert complaint in line
    assert run("pools")["pools"] == []


def test_a_delimiter_and_a_sheet_can_be_named(capsys, run, tmp_path):
    from openpyxl import Workbook

    path = tmp_path / "cells.csv"
    path.write_text("query,x|answer,y\nq,1|a\nr,2|b\n", encoding="utf-8")
    mapping = "query=query,x,answer=answer,y"
    report = run("import", path, "--pool", "cells", "--delimiter", "pipe", "--map", mapping)
    assert (report["rows"], report["demonstrations"]) == (2, 2)
    assert "is not understood" in refused(
        capsys, "import", path, "--pool", "p", "--delimiter", "both"
    )
    book = Workbook()
    for title in ("one", "two"):
        sheet = book.create_sheet(title)
        sheet.append(["query", "answer"])
        sheet.append([f"q {title}", "a"])
    book.save(tmp_path / "book.xlsx")
    run("import", tmp_path / "book.xlsx", "--pool", "book", "--sheet", "two")
    exported = tmp_path / "out.jsonl"
    run("export", "--pool", "book", "--format", "jsonl", "--out", exported)
    assert json.loads(exported.read_text(encoding="utf-8"))["query"] == "q two"
    line = refused(capsys, "import", tmp_path / "book.xlsx", "--pool", "p", "--sheet", "three")
    assert 'There is no sheet "three" in book.xlsx: choose one of "Sheet", "one", "two"' in line


def test_an_import_names_the_fixed_ones(capsys, run, file, tmp_path):
    assert run("import", file, "--pool", "small", "--fixed")["first_ids"] == [1, 2, 3, 4, 5, 6]
    primer = tmp_path / "primer.json"
    rows = [("Is water wet?", "Yes."), (ROWS[6][0], ROWS[6][1][0]), ("Is ice cold?", "Yes.")]
    primer.write_text(json.dumps([{"query": q, "answer": a} for q, a in rows]), encoding="utf-8")
    fixed = ("retrieve", "--pool", "small", "--query", "Why?", "--method", "fix")
    run("import", primer, "--pool", "small")
    assert [one["id"] for one in run(*fixed)["demonstrations"]] == [1, 2, 3, 4, 5, 6]
    assert run("import", primer, "--pool", "small", "--fixed")["first_ids"] == [11, 10, 12]
    shown = [(one["query"], one["answer"]) for one in run(*fixed)["demonstrations"]]
    assert shown == rows
    primer.write_text('[{"query": "Why?", "answer": ""}]', encoding="utf-8")
    line = refused(capsys, "import", primer, "--pool", "small", "--fixed")
    assert "No row of primer.json has both a query" in line
    assert [one["id"] for one in run(*fixed)["demonstrations"]] == [11, 10, 12]


def test_an_import_prints_the_rows_it_warns_of(capsys, run, tmp_path):
    path = tmp_path / "odd.jsonl"
    rows = [
        {"query": "Is ice cold?", "answers": ["Yes"], "incorrect": ["Yes"]},
        {"query": "Is fire hot?", "answers": ["Yes"], "incorrect": ["No"]},
        {"query": "Is fire hot? ", "answers": ["No"], "incorrect": ["Perhaps"]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    own, contradiction = run("import", path, "--pool", "odd")["oddities"]
    assert own["kind"] == "own incorrect answer"
    assert own["demonstrations"] == [
        {"query": "Is ice cold?", "answer": "Yes", "rows": [1], "against": [1], "id": 1}
    ]
    assert contradiction["kind"] == "contradiction"
    assert contradiction["demonstrations"] == [
        {"query": "Is fire hot? ", "answer": "No", "rows": [3], "against": [2], "id": 3}
    ]
    assert main(["import", str(path), "--pool", "again"]) == 0
    lines = capsys.readouterr().out.splitlines()
    place = lines.index(contradiction["sentence"])
    assert lines[place + 1].split("  ")[0] == "id"
    assert lines[place + 3].split() == ["6", "3", "2", "Is", "fire", "hot?", "No"]


def test_code_is_prompted_and_exported_as_it_was_written(run, workspace, tmp_path):
    rows = [
        ('def double(x):\n    """Twice x."""\n', "    y = x + x\n    return y\n"),
        ('def add(a, b):\n    """Sum."""\n', "    return a + b\n"),
    ]
    path = tmp_path / "code.jsonl"
    lines = [json.dumps({"prompt": q, "canonical_solution": a}) for q, a in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    mapping = ("--map", "query=prompt,answer=canonical_solution")
    report = run("import", path, "--pool", "code", *mapping)
    warning = (
        "Texts that begin or end with white space: 4 (2 of 2 answers); they are kept as written."
    )
    assert (report["demonstrations"], report["warnings"]) == (2, [warning])
    asked = ("--pool", "code", "--method", "rel", "-k", "1")
    query = "def double(x):\n"
    found = run("prompt", "--query", query, *asked)["prompt"]
    assert found == f"Q: {rows[0][0]}\nA: {rows[0][1]}\n\nQ: {query}\nA:"
    for format in ("jsonl", "csv", "xlsx"):
        out = tmp_path / f"out.{format}"
        run("export", "--pool", "code", "--format", format, "--out", out)
        table = read_table(out)
        assert [(row["query"], row["answer"]) for row in table.rows] == rows


def test_a_mapping_says_which_column_holds_what(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("frage,wahr,falsch\nEin?,ja,nein\n", encoding="utf-8")
    report = run(
        "import", path, "--pool", "de", "--map", "query=frage,answer=wahr,incorrect=falsch"
    )
    assert (report["demonstrations"], report["triples"]) == (1, 1)


def test_export_then_import_gives_the_same_pool(run, pool, tmp_path):
    out = tmp_path / "out.csv"
    report = run("export", "--pool", pool, "--format", "csv", "--out", out)
    assert (report["rows"], report["path"]) == (10, str(out))
    run("import", out, "--pool", "copy")
    small, copy = sorted(run("pools")["pools"], key=lambda pool: pool["name"] == "copy")
    assert (copy["demonstrations"], copy["queries"], copy["triples"]) == (
        small["demonstrations"], small["queries"], small["triples"],
    )  # fmt: skip


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"query,answer\n",
    "columns.csv": b"a,b\n1,2\n",
    "damaged.json": b'[{"query": "x", ',
    "damaged.jsonl": b'{"query": "x", "answer": "y"}\n{"query": \n',
    "damaged.parquet": b"PAR1 this is no parquet file PAR1",
    "damaged.xlsx": b"PK\x03\x04 this is no workbook",
    "binary.csv": bytes(range(256)) * 4,
    "blank.csv": b"query,answer\n , \n,\n",
    "notes.docx": b"something",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_sentence_and_writes_nothing(capsys, run, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(BAD_FILES[name])
    assert name in refused(capsys, "import", path, "--pool", "p")
    assert run("pools")["pools"] == []


def test_a_missing_file_and_a_folder_are_named(capsys, tmp_path):
    assert "no-such.csv" in refused(capsys, "import", tmp_path / "no-such.csv", "--pool", "p")
    assert "folder" in refused(capsys, "import", tmp_path, "--pool", "p")


def test_an_unknown_column_lists_those_that_there_are(capsys, run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("q,a\n1,2\n", encoding="utf-8")
    line = refused(capsys, "import", path, "--pool", "p", "--map", "query=question,answer=a")
    assert "question" in line
    assert "q" in line
    assert run("pools")["pools"] == []
