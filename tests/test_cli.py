"""Every command with its JSON keys, its end states, and the mistakes that users make."""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.commands.main import main
from core.curation import read_table
from core.language_model import TEMPLATES
from core.retrieval.registry import METHODS
from core.studio.session.models import NOT_ITS_TASK
from tests.support.reference_generation import reference_generation
from tests.support.reference_log_probs import reference_model

ROOT = Path(__file__).resolve().parents[1]
ROWS = [
    ("Can cats see in the dark?", ["Not in total darkness.", "Only with a little light."]),
    ("Do goldfish forget everything?", ["No, they remember for months."]),
    ("Is glass a liquid?", ["No, it is an amorphous solid.", "It is a solid."]),
    ("Does sugar make children wild?", ["Studies find no such effect."]),
    ("How tall is Mount Everest?", ["About 8,849 metres.", "8,849 m above the sea."]),
    ("Who discovered penicillin?", ["Alexander Fleming."]),
    ("What happens if you swallow gum?", ["It passes through you."]),
]


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    folder = tmp_path / "workspace"
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _each_model_is_loaded_once(every_studio, load_once, load_encoder_once):
    """Else each command loads its own."""
    every_studio(load_encoder=load_encoder_once, load_model=load_once)


def written(path):
    lines = [
        {"query": q, "answers": a, "incorrect": ["Yes.", "Nobody knows."], "tags": ["t"]}
        for q, a in ROWS
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "pool.jsonl")


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A workspace into which the file was imported, to be copied."""
    folder = tmp_path_factory.mktemp("imported")
    file, workspace = str(written(folder / "pool.jsonl")), str(folder / "workspace")
    assert main(["import", file, "--pool", "small", "--workspace", workspace]) == 0
    return workspace


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main([str(argument) for argument in (*arguments, "--json")])
        printed = capsys.readouterr()
        assert status == 0, printed.err
        return json.loads(printed.out)

    return call


@pytest.fixture
def pool(imported, workspace):
    shutil.copytree(imported, workspace)
    return "small"


@pytest.fixture(scope="module")
def read_only(tmp_path_factory, imported):
    folder = tmp_path_factory.mktemp("read") / "workspace"
    shutil.copytree(imported, folder)
    return folder


@pytest.fixture
def kept(read_only, monkeypatch):
    """The pool in a workspace of all tests that only read it: embedded and scored once for all."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(read_only))
    return "small"


def refused(capsys, *arguments):
    """The one line of a refused command; exit 2, nothing on standard output, no traceback."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert status == 2, printed.err
    assert printed.out == ""
    line = printed.err.strip()
    assert "\n" not in line
    assert "Traceback" not in line
    return line


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


def test_incorrect_answers_are_suggested_and_accepted_where_a_file_has_none(
    capsys, run, tmp_path, workspace
):
    path = tmp_path / "faq.jsonl"
    rows = [{"query": q, "answers": a} for q, a in ROWS]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", str(path), "--pool", "an faq", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["queries_with_incorrect"] == 0
    sentence, hint = printed.err.splitlines()
    assert sentence.startswith("Queries with incorrect answers: none of 7; ")
    assert hint == "To have answers of near queries suggested, run suggest --pool 'an faq'."
    found = run("suggest", "--pool", "an faq", "--per-query", 2)
    assert (found["pool"], found["queries"], found["without_incorrect"]) == ("an faq", 7, 7)
    assert (found["accepted"], found["action"]) == (False, None)
    assert [each["query"] for each in found["suggestions"]] == [q for q, _ in ROWS for _ in "12"]
    glass = [each for each in found["suggestions"] if each["query"] == "Is glass a liquid?"]
    for each in glass:
        assert each["answer"] == "No, it is an amorphous solid."
        assert each["text"] in dict(ROWS)[each["source_query"]]
    assert 1 > glass[0]["cosine"] >= glass[1]["cosine"]
    again = run("suggest", "--pool", "an faq", "--per-query", 2, "--accept")
    assert (again["suggestions"], again["accepted"]) == (found["suggestions"], True)
    (summary,) = run("pools")["pools"]
    assert summary["triples"] == 20
    assert run("suggest", "--pool", "an faq", "--accept")["without_incorrect"] == 0
    out = tmp_path / "out.jsonl"
    run("export", "--pool", "an faq", "--format", "jsonl", "--out", out)
    first = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    cats = [each["text"] for each in found["suggestions"][:2]]
    assert (first["incorrect"], first["incorrect_kinds"]) == (cats, ["near query"] * 2)


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


def test_suggestions_are_a_table_for_people(capsys, run, tmp_path):
    path = tmp_path / "faq.jsonl"
    path.write_text("\n".join(json.dumps({"query": q, "answers": a}) for q, a in ROWS))
    run("import", path, "--pool", "faq")
    assert main(["suggest", "--pool", "faq", "--per-query", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = ["ids", "query", "answer", "text", "source", "source_query", "cosine"]
    assert lines[0].split() == names
    cells = re.split(r"  +", lines[2])
    assert cells[:3] == ["1, 2", "Can cats see in the dark?", "Not in total darkness."]
    assert re.search(r"^without_incorrect +7$", "\n".join(lines), re.MULTILINE)


def test_the_models_own_wrong_answers_are_suggested_and_accepted_one_by_one(
    capsys, run, tmp_path, tiny_lm_folder
):
    path = tmp_path / "faq.jsonl"
    path.write_text("\n".join(json.dumps({"query": q, "answers": a}) for q, a in ROWS))
    run("import", path, "--pool", "faq")
    given = ("suggest", "--pool", "faq", "--source", "model", "--model", tiny_lm_folder)
    with_knobs = (*given, "--method", "rel", "-k", 1, "--limit", 3)
    found = run(*with_knobs)
    assert (found["queries"], found["without_incorrect"], found["accepted"]) == (3, 7, False)
    assert (found["model"], found["skipped"]) == (tiny_lm_folder.name, [])
    assert sum(found["answers"].values()) in range(3, 7)
    assert len(found["suggestions"]) == found["answers"].get("suggested", 0)
    assert all(each["kind"] == "model's answer" for each in found["suggestions"])
    assert main([*map(str, with_knobs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["ids", "query", "answer", "text", "shown", "log_prob"]
    assert re.search(r"^answers: unfinished +[0-6]$", "\n".join(lines), re.MULTILINE)
    refusal = refused(capsys, *given, "--accept")
    assert "its answers are accepted one by one, on the page Demonstrations" in refusal


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
    (warning,) = printed.err.splitlines()
    assert warning.startswith("short.csv was read as cp1252, which is unsure (it could be ")
    assert "--encoding" in warning
    assert main(["import", str(path), "--pool", "named", "--json", "--encoding", "latin1"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["encoding"], report["encoding_sureness"]) == ("iso8859-1", "chosen")
    assert report["other_encodings"] == []
    assert printed.err == ""


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
        "Texts that begin or end with white space: 4 (2 of 2 answers); they are kept as written, "
        "and strip=yes takes it away."
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


@pytest.fixture
def deaf_model(tiny_lm_folder, tmp_path):
    """A model whose tokenizer drops "}" and the white space at the end: " }" has no tokens."""
    folder = tmp_path / "deaf"
    shutil.copytree(tiny_lm_folder, folder)
    file = folder / "tokenizer.json"
    tokenizer = json.loads(file.read_text(encoding="utf-8"))
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            {"type": "Replace", "pattern": {"String": "}"}, "content": ""},
            {"type": "Strip", "strip_left": False, "strip_right": True},
        ],
    }
    file.write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def test_one_answer_without_tokens_stops_no_run(capsys, run, pool, deaf_model, tmp_path):
    path = tmp_path / "bracket.jsonl"
    row = {"query": "Which bracket closes { ?", "answer": "}", "incorrect": [")"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    (odd,) = run("import", path, "--pool", pool)["first_ids"]
    scored = run("quality", "--pool", pool, "--model", deaf_model)
    assert (scored["scored"], scored["too_long"], scored["without_tokens"]) == (10, [], [odd])
    common = ("--pool", pool, "--model", deaf_model, "-k", "2")
    out = tmp_path / "report.html"
    named = {"query": row["query"], "reason": "answer without tokens", "answer": "}"}
    for command in (
        ("evaluate", "--methods", "none,rel,rel+div+bias", "--report", out),
        ("calibrate",),
    ):
        found = run(*command, *common)
        assert (found["examples"], found["skipped"], found["total"]) == (7, 1, 8)
        assert found["skipped_examples"] == [named]
    sentence = "1 example had an answer that this model's tokenizer turns into no tokens"
    assert sentence in html.unescape(out.read_text("utf-8"))
    assert main([str(a) for a in ("evaluate", "--methods", "none", *common)]) == 0
    assert (
        f"{sentence} and could not be used: 'Which bracket closes {{ ?' with the answer '}}'."
        in (capsys.readouterr().out)
    )


def test_each_phase_of_a_run_tells_its_own_progress(capsys, pool, tiny_lm_folder, workspace):
    arguments = ("evaluate", "--pool", pool, "--model", tiny_lm_folder, "--methods", "rel+bias")
    assert main([str(argument) for argument in (*arguments, "--json")]) == 0
    printed = capsys.readouterr().err.splitlines()
    lines = [line for line in printed if re.search(r": \d+ of \d+", line)]
    phases = [line.split(":")[0] for line in lines]
    assert list(dict.fromkeys(phases)) == ["embedding", "scoring quality", "evaluating"]
    assert [line for line in lines if line.startswith("evaluating")] == [
        f"evaluating: {done} of 7" for done in range(1, 8)
    ]


def test_leaks_are_counted_and_left_out_where_asked_for(
    capsys, run, pool, tiny_lm_folder, tmp_path
):
    path = tmp_path / "again.jsonl"
    rows = [{"query": f"Once more: {query}", "answer": answers[0]} for query, answers in ROWS[:4]]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("import", path, "--pool", pool)
    out = tmp_path / "report.html"
    common = ("--pool", pool, "--model", tiny_lm_folder, "-k", "3", "--report", out, "--force")
    evaluate = ("evaluate", "--methods", "none,rel", *common)
    for command, rows_of in (
        (evaluate, lambda found: found["methods"]),
        (("calibrate", *common), lambda found: range(len(found["curve"]))),
    ):
        found, without = run(*command), run(*command, "--leave-out-leaks")
        key = "methods" if "methods" in found else "curve"
        counts = [found[key][row]["leaks"]["contexts"] for row in rows_of(found)]
        assert max(counts) == 8  # each of the four queries, and each of the new ones
        assert {without[key][row]["leaks"]["contexts"] for row in rows_of(without)} == {0}
        assert found["settings"]["leave_out"] == "same normalised query"
        assert "correct answer" in without["settings"]["leave_out"]
        assert without["settings"]["leave_out"] in html.unescape(out.read_text("utf-8"))
    assert main([str(argument) for argument in evaluate]) == 0
    printed = capsys.readouterr().out
    assert "Leaks: with rel, in 8 of 11 examples the context gives the answer away" in printed
    assert "none 0 of 11, rel 8 of 11" in html.unescape(out.read_text("utf-8"))


def test_a_mapping_says_which_column_holds_what(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("frage,wahr,falsch\nEin?,ja,nein\n", encoding="utf-8")
    report = run(
        "import", path, "--pool", "de", "--map", "query=frage,answer=wahr,incorrect=falsch"
    )
    assert (report["demonstrations"], report["triples"]) == (1, 1)


def test_embedding_again_reuses_everything(run, pool):
    first = run("embed", "--pool", pool)
    assert (first["embedded"], first["reused"], first["dimensions"]) == (7, 0, 384)
    again = run("embed", "--pool", pool)
    assert (again["embedded"], again["reused"]) == (0, 7)


@pytest.fixture
def odd_pool(tmp_path, capsys):
    """Texts that agree within the encoder's window, and some that it has no letters for."""
    long = "the quay and the bells and the grain and the boats " * 24
    queries = [f"{long}: {end}?" for end in ("who", "what", "when")]
    queries += ["食堂几点开门？", "打印机没有反应？"]
    rows = [{"query": query, "answer": f"answer {at}"} for at, query in enumerate(queries)]
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", str(path), "--pool", "odd"]) == 0
    capsys.readouterr()
    return long


def test_embed_and_retrieve_say_what_the_encoder_does_not_read(run, odd_pool, capsys):
    for _ in range(2):  # also where everything is embedded already
        found = run("embed", "--pool", "odd")
        assert (found["cut"], found["unread"], found["foreign"]) == ([1, 2, 3], 0.4, 0.4)
        cut, unread = found["notes"]
        assert cut.startswith("3 queries are longer than the encoder's window")
        assert unread.startswith("This encoder does not read these texts: in 40 % of the queries")
    assert main(["embed", "--pool", "odd"]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith(f"{cut}\n{unread}\n")
    asked = ("retrieve", "--pool", "odd", "--query", f"{odd_pool}: when?", "--method", "rel")
    found = run(*asked)
    nearest = [pick["relevance"] for pick in found["demonstrations"][:3]]
    assert nearest == pytest.approx([1.0] * 3)
    assert max(nearest) <= 1
    assert found["doubts"] == {
        "asked": 6, "chosen": 5, "query_cut": True, "cut": [1, 2, 3], "query_unread": False,
        "same_embedding": [1, 2, 3], "without_word": [], "same_query": 0,
        "labels_left_out": [],
    }  # fmt: skip
    assert found["notes"][0] == "5 of 6: there are no more that may be chosen."
    assert found["notes"][-1].startswith("3 of these (ranks 1, 2, 3) have the same embedding as")
    assert main([*asked]) == 0
    assert capsys.readouterr().out.endswith("\n".join(found["notes"]) + "\n")


def test_another_encoder_is_named_for_a_pool_that_is_not_english(run, tmp_path, capsys):
    queries = ("Wo ist mein Paket?", "Wie ändere ich mein Passwort?", "Kündigen Sie mein Abo.")
    path = tmp_path / "post.jsonl"
    rows = [json.dumps({"query": query, "answer": "Ja"}) for query in queries]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert main(["import", str(path), "--pool", "post"]) == 0
    capsys.readouterr()
    found = run("embed", "--pool", "post")
    assert (found["unread"], found["foreign"], found["dimensions"]) == (0.0, 1.0, 384)
    (note,) = found["notes"]
    assert "most often in German" in note
    assert "Choose --encoder use-multilingual-v3, an encoder for sixteen languages, or" in note
    other = ("--pool", "post", "--encoder", "use-multilingual-v3")
    found = run("embed", *other)
    assert (found["encoder"], found["dimensions"]) == ("use-multilingual-v3", 512)
    assert (found["foreign"], found["notes"]) == (0.0, [])
    asked = ("retrieve", *other, "--query", "Please end my subscription", "-k", "1", "--method")
    assert run(*asked, "rel")["demonstrations"][0]["query"] == "Kündigen Sie mein Abo."
    assert main([*asked, "coverage"]) == 2
    assert capsys.readouterr().err.endswith(
        "The encoder use-multilingual-v3 has no vectors of tokens, only of whole texts; choose "
        "another encoder, or a method that compares whole texts.\n"
    )


def test_an_index_fetches_k_at_least_and_bm25_says_when_no_word_is_shared(run, kept):
    common = ("retrieve", "--pool", kept, "--query", "zebra")
    found = run(*common, "--method", "rel", "--index", "hnsw", "--candidates", "2", "-k", "6")
    assert len(found["demonstrations"]) == found["doubts"]["chosen"] == 6
    many = run(*common, "--method", "rel", "--index", "hnsw", "--candidates", "2", "-k", "40")
    assert many["notes"][0] == "10 of 40: there are no more that may be chosen."
    words = run(*common, "--method", "bm25")
    assert words["notes"][0].startswith("No demonstration shares a word with the query")


def test_one_answer_per_query_on_request(run, kept, tiny_lm_folder):
    common = ("--pool", kept, "--query", ROWS[0][0])
    both = run("retrieve", *common, "--method", "rel", "-k", "3")
    assert [pick["query"] for pick in both["demonstrations"][:2]] == [ROWS[0][0]] * 2
    assert both["notes"] == ["2 of 3 answer the same query."]
    one = run("retrieve", *common, "--method", "rel", "-k", "3", "--one-per-query")
    queries = [pick["query"] for pick in one["demonstrations"]]
    assert (len(queries), len(set(queries)), one["notes"]) == (3, 3, [])
    pieces = run("path", *common, "-k", "9", "--lambda-b", "1", "--one-per-query")["pieces"]
    assert {len(piece["ids"]) for piece in pieces} == {len(ROWS)}
    compared = run(
        "evaluate", "--pool", kept, "--methods", "none,rel", "--limit", "2", "-k", "9",
        "--model", tiny_lm_folder, "--one-per-query",
    )  # fmt: skip
    assert compared["methods"]["rel"]["request"]["one_per_query"] is True
    assert compared["methods"]["rel"]["doubts"] == {"too_few": 2}
    assert "doubts" not in compared["methods"]["none"]


def test_retrieve_names_the_candidates_the_text_compared_and_the_methods_own_knobs(
    run, kept, tiny_lm_folder, capsys
):
    asked = ("retrieve", "--pool", kept, "--query", "Can dogs see?", "-k", "2")
    found = run(*asked, "--method", "rel")
    assert (found["candidates"], found["embed"], found["own"]) == (0, "query", {})
    settings = ("--method", "votek", "--candidates", "5", "--embed", "query+answer", "--neighbours")
    found = run(*asked, *settings, "3")
    assert (found["candidates"], found["embed"]) == (5, "query+answer")
    assert found["own"] == {"neighbours": 3}
    assert main([*asked, *settings, "3"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"candidates +5\n", printed)
    assert re.search(r"embed +query\+answer\n", printed)
    assert re.search(r"neighbours +3\n", printed)


@pytest.mark.parametrize("method", ["fix", "random", "bias"])
def test_candidates_that_a_method_does_not_use_are_named(run, kept, tiny_lm_folder, method, capsys):
    of_method = ("--pool", kept, "--method", method, "-k", "2", "--model", tiny_lm_folder)
    asked = (*of_method, "--query", "Can dogs see?")
    said = f"{method} does not choose by similarity and ignores the 1 candidate asked for."

    def retrieved(*more):
        assert main(["retrieve", *map(str, asked), *more, "--json"]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out)["demonstrations"], said in printed.err

    plain, _ = retrieved()
    assert retrieved() == (plain, False)
    assert retrieved("--candidates", "1") == (plain, True)
    compared = ("--pool", kept, "--methods", f"{method},rel", "-k", "2", "--candidates", "1")
    assert main(["evaluate", *compared, "--model", str(tiny_lm_folder)]) == 0
    assert said in capsys.readouterr().out


def test_quality_again_reuses_everything(run, pool, tiny_lm_folder):
    first = run("quality", "--pool", pool, "--model", tiny_lm_folder)
    assert (first["scored"], first["reused"], first["model"]) == (10, 0, tiny_lm_folder.name)
    again = run("quality", "--pool", pool, "--model", tiny_lm_folder)
    assert (again["scored"], again["reused"]) == (0, 10)


OF_NO_RUN = [name for name, each in METHODS.items() if not each.reads and name != "neighbours"]


@pytest.mark.parametrize("method", OF_NO_RUN)
def test_retrieve_shows_each_picks_parts(run, kept, tiny_lm_folder, method):
    found = run(
        "retrieve", "--pool", kept, "--query", "Can dogs see in the dark?", "--method", method,
        "-k", "3", "--model", tiny_lm_folder,
    )  # fmt: skip
    assert found["method"] == method
    picks = found["demonstrations"]
    assert len(picks) == (0 if method == "none" else 3)
    for pick in picks:
        assert {"id", "query", "answer", "relevance", "quality_bias", "redundancy", "value"} <= set(
            pick
        )
    if method == "rel":
        assert picks[0]["query"] == "Can cats see in the dark?"
        assert picks[0]["redundancy"] is None
        assert picks[0]["value"] == pytest.approx(picks[0]["relevance"], abs=1e-6)
    if method == "none":
        assert found["diversity"] is None


def test_a_query_of_the_pool_is_not_left_out_by_hand(run, kept):
    found = run("retrieve", "--pool", kept, "--query", ROWS[0][0], "--method", "rel", "-k", "2")
    assert [pick["query"] for pick in found["demonstrations"]] == [ROWS[0][0]] * 2


def test_an_index_with_all_candidates_gives_the_same(run, kept):
    common = ("retrieve", "--pool", kept, "--query", "Is ice a liquid?", "--method", "rel+div")
    exact = run(*common)
    fetched = run(*common, "--index", "flat", "--candidates", "50")
    assert exact["exact"]
    assert fetched["demonstrations"] == exact["demonstrations"]
    assert exact["selection"]["kind"] == fetched["selection"]["kind"] == "exact"
    graph = run(*common, "--index", "hnsw", "--candidates", "50")
    assert not graph["exact"]
    assert graph["selection"]["kind"] == "approximate"
    assert 0 < graph["selection"]["recall"] <= 1


def test_the_path_tiles_the_unit_interval_and_agrees_with_retrieve(run, kept):
    query = ("--pool", kept, "--query", "Is ice a liquid?", "-k", "3", "--lambda-b", "1")
    pieces = run("path", *query)["pieces"]
    assert pieces[0]["lambda_low"] == 0
    assert pieces[-1]["lambda_high"] == 1
    for left, right in zip(pieces, pieces[1:], strict=False):
        assert left["lambda_high"] == right["lambda_low"]
        assert left["ids"] != right["ids"]
    for piece in pieces:
        middle = (piece["lambda_low"] + piece["lambda_high"]) / 2
        found = run("retrieve", *query, "--method", "rel+div", "--lambda-d", middle)
        assert [pick["id"] for pick in found["demonstrations"]] == piece["ids"]


def test_the_path_over_lambda_b_agrees_with_retrieve(run, kept, tiny_lm_folder):
    query = (
        "--pool", kept, "--query", "Is ice a liquid?", "-k", "3", "--model", tiny_lm_folder,
    )  # fmt: skip
    found = run("path", *query, "--over", "lambda_b", "--lambda-d", "0.5")
    assert (found["over"], found["lambda_d"]) == ("lambda_b", 0.5)
    pieces = found["pieces"]
    assert pieces[0]["lambda_low"] == 0
    assert pieces[-1]["lambda_high"] == 1
    assert len(pieces) > 1
    for piece in pieces:
        middle = (piece["lambda_low"] + piece["lambda_high"]) / 2
        chosen = run(
            "retrieve", *query, "--method", "rel+div+bias", "--lambda-d", "0.5",
            "--lambda-b", middle,
        )  # fmt: skip
        assert [pick["id"] for pick in chosen["demonstrations"]] == piece["ids"]


def test_the_path_is_over_lambda_d_unless_told(run, kept):
    query = ("--pool", kept, "--query", "Is ice a liquid?", "--lambda-b", "1")
    assert run("path", *query) == run("path", *query, "--over", "lambda_d")
    assert run("path", *query)["over"] == "lambda_d"


@pytest.mark.parametrize("knob", ["lambda_d", "lambda_b"])
def test_a_path_takes_no_value_for_the_lambda_it_runs_over(capsys, kept, knob):
    option = f"--{knob.replace('_', '-')}"
    line = refused(
        capsys, "path", "--pool", kept, "--query", "Is ice a liquid?", "--over", knob, option, "0.3"
    )
    assert f"whole of {knob}" in line
    assert f"{option} 0.3 was given" in line


def test_the_prompt_has_the_most_relevant_last(run, kept, tiny_lm_folder):
    found = run(
        "prompt", "--pool", kept, "--query", "Can dogs see in the dark?", "--method", "rel",
        "-k", "1", "--model", tiny_lm_folder,
    )  # fmt: skip
    query, (answer, *_) = ROWS[0]
    assert found["prompt"] == f"Q: {query}\nA: {answer}\n\nQ: Can dogs see in the dark?\nA:"
    assert found["tokens"] > 0


def test_answer_continues_the_prompt_of_the_context_and_the_query_alone(run, pool, tiny_lm_folder):
    options = ("--pool", pool, "--query", "Is ice hot?", "--model", tiny_lm_folder)
    method = ("--method", "rel", "-k", "2")
    prompts = [
        run("prompt", *options, *method)["prompt"],
        run("prompt", *options, "--method", "none")["prompt"],
    ]
    found = run("answer", *options, *method, "--max-tokens", "9")
    assert list(found) == [
        "pool", "query", "method", "template", "model", "demonstrations", "answers",
    ]  # fmt: skip
    retrieved = run("retrieve", *options, *method)["demonstrations"]
    assert found["demonstrations"] == [each["id"] for each in retrieved]
    for prompt, row, context in zip(prompts, found["answers"], (True, False), strict=True):
        tokens, _ = reference_generation(tiny_lm_folder, prompt, 9)
        text = reference_model(tiny_lm_folder)[1].decode(tokens)
        assert row["context"] is context
        for stop in TEMPLATES["qa"].stop:
            text = text.split(stop)[0]
        assert row["text"] == text.rstrip("\ufffd").strip()  # half a character is not shown
        assert 0 < row["tokens"] <= 9
        assert row["log_prob_per_token"] == pytest.approx(row["log_prob"] / row["tokens"])
    assert run("answer", *options, *method, "--max-tokens", "9") == found
    alone = run("answer", *options, "--method", "none", "--max-tokens", "9")["answers"]
    assert alone[0] | {"context": False} == alone[1] == found["answers"][1]


def test_answer_is_printed_as_text_and_refuses_what_cannot_be_answered(
    capsys, kept, tiny_lm_folder
):
    options = ("answer", "--pool", kept, "--model", tiny_lm_folder, "--method", "rel")
    asked = [str(each) for each in (*options, "--query", "Is ice hot?", "--max-tokens", "3")]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "with the context" in printed
    assert "without a context" in printed
    assert "--max-tokens" in refused(capsys, *options, "--query", "x", "--max-tokens", "0")
    assert "The query is empty" in refused(capsys, *options, "--query", " ")
    line = refused(capsys, *options, "--query", "why " * 3000)
    assert "longer than the model's window of 256 tokens" in line


def test_evaluate_and_calibrate_never_score_a_pair_twice(run, pool, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", pool, "--methods", "none,rel,rel+div+bias", "--model",
        tiny_lm_folder, "-k", "2", "--limit", "4",
    )  # fmt: skip
    first = run(*evaluate)
    assert list(first["methods"]) == ["none", "rel", "rel+div+bias"]
    assert first["examples"] == 4
    assert first["language_model_calls"] > 0
    none = first["methods"]["none"]
    assert none["dpo_per_triple"] == pytest.approx(-0.693147, abs=1e-6)
    assert none["diversity"] is None
    keys = {"dpo", "dpo_per_triple", "delta", "mc1", "mc2", "mc3", "mc3_normalised", "diversity"}
    assert keys | {"intervals"} <= set(none)
    again = run(*evaluate)
    assert again["language_model_calls"] == 0
    assert again["methods"] == first["methods"]

    curve = run("calibrate", "--pool", pool, "--model", tiny_lm_folder, "-k", "2", "--limit", "4")
    assert [row["lambda_d"] for row in curve["curve"]] == [round(i / 20, 2) for i in range(21)]
    at_default = next(row for row in curve["curve"] if row["lambda_d"] == 0.75)
    assert at_default["dpo_per_triple"] == first["methods"]["rel+div+bias"]["dpo_per_triple"]
    assert {"dpo_low", "dpo_high", "diversity"} <= set(at_default)
    assert curve["best"]["dpo_per_triple"] == max(row["dpo_per_triple"] for row in curve["curve"])
    assert curve["end"] == "all"
    advice = curve["recommendation"]
    assert (advice["k"], advice["lambda_b"], advice["lambda_d"]) == (6, 0.95, 0.75)
    assert (advice["clear"], advice["settled"], advice["needed"]) == (False, False, 20)
    spread = [row["dpo_per_triple"] for row in curve["curve"]]
    idle = first["methods"]["none"]["dpo_per_triple"]
    assert advice["margin"] == pytest.approx(
        max(0.05 * (max(spread) - min(spread)), 0.02 * abs(max(spread) - idle))
    )
    assert curve["steps"]["lambda_low"][0] == 0.0
    assert curve["steps"]["dpo_per_triple"][-1] == pytest.approx(
        curve["curve"][-1]["dpo_per_triple"]
    )


def test_evaluate_tells_differences_from_each_reference_and_dpo_by_kind(
    run, capsys, tmp_path, tiny_lm_folder
):
    rows = [
        {"query": query, "answer": answer, "incorrect": ["Blue", "Five"], "incorrect_kinds": kinds}
        for query, answer, kinds in (
            ("Is glass a liquid?", "No", ["colour", ""]),
            ("Can dogs see?", "Yes", ["colour", "number"]),
            ("Is ice hot?", "Never", ["colour", "number"]),
        )
    ]
    (tmp_path / "kinds.json").write_text(json.dumps(rows), encoding="utf-8")
    run("import", tmp_path / "kinds.json", "--pool", "kinds")
    evaluate = (
        "evaluate", "--pool", "kinds", "--methods", "none,rel,random", "--reference", "rel, none",
        "--model", tiny_lm_folder, "-k", "2",
    )  # fmt: skip
    found = run(*evaluate)
    methods = found["methods"]
    assert found["reference"] == "rel"
    assert list(methods["random"]["differences"]) == ["rel", "none"]
    for metric in ("dpo_per_triple", "mc1"):
        less = methods["random"]["differences"]["none"][metric]
        assert less["mean"] == pytest.approx(methods["random"][metric] - methods["none"][metric])
        assert (less["low"], less["needed"]) == (None, 20)
    assert found["together"]["mc1"] == {
        "best": ["none", "rel", "random"],
        "examples": 3,
        "needed": 20,
    }
    by_kind = methods["none"]["dpo_per_triple_by_kind"]
    assert {kind: each["n"] for kind, each in by_kind.items()} == {"colour": 3, "number": 2}
    assert by_kind["colour"]["mean"] == pytest.approx(-0.693147, abs=1e-6)
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    assert "random less rel" in printed
    assert "random less none" in printed
    assert "dpo_per_triple by kind" in printed
    line = refused(capsys, *evaluate[:6], "best", *evaluate[7:])
    assert "'best' is not among the methods" in line


@pytest.fixture
def faq(run, tmp_path):
    """A pool of questions and answers, three of which may have incorrect answers; its name."""

    def imported(with_incorrect):
        rows = [
            {"query": f"How do I {verb} the {thing}?", "answer": f"{verb.title()} it, the {thing}."}
            | ({"incorrect": ["Nobody knows."]} if number < with_incorrect else {})
            for number, (verb, thing) in enumerate(
                (verb, thing)
                for verb in ("reset", "close", "mend")
                for thing in (
                    "door",
                    "phone",
                    "printer",
                    "invoice",
                    "parcel",
                    "shop",
                    "lamp",
                    "car",
                )
            )
        ]
        (tmp_path / "faq.json").write_text(json.dumps(rows), encoding="utf-8")
        run("import", tmp_path / "faq.json", "--pool", "faq")
        return "faq"

    return imported


def found_pair(document, row, other):
    """The wins of two rows by metric."""
    (metrics,) = [
        pair["metrics"]
        for pair in document["pairs"]
        if (pair["row"], pair["other"]) == (row, other)
    ]
    return metrics


def test_a_pool_without_incorrect_answers_is_evaluated_by_what_its_correct_ones_gain(
    run, capsys, faq, tiny_lm_folder, tmp_path
):
    out = tmp_path / "report.html"
    evaluate = (
        "evaluate", "--pool", faq(0), "--methods", "none,rel", "-k", "1",
        "--model", tiny_lm_folder,
    )  # fmt: skip
    found = run(*evaluate, "--report", out)
    assert found["headline"] == "dpo_correct_only"
    rel = found["methods"]["rel"]
    assert (rel["dpo_per_triple"], rel["mc1"], rel["n"]["mc1"]) == (None, None, 0)
    low, high = rel["intervals"]["dpo_correct_only"]
    assert low < rel["dpo_correct_only"] < high
    assert rel["gain_per_token"] != 0.0
    assert rel["n"]["gain_per_token"] == found["together"]["dpo_correct_only"]["examples"] == 24
    assert main([str(word) for word in evaluate]) == 0
    table, sentence, less, wins, _ = capsys.readouterr().out.split("\n\n")
    found = re.split(r"  +", wins.splitlines()[-1])
    pair = found_pair(run(*evaluate), "none", "rel")["dpo_correct_only"]
    assert wins.startswith("Wins in dpo_correct_only (the larger value)\nagainst none")
    assert found[:2] == ["rel", f"{100 * pair['losses'] / pair['n']:.1f}"]
    assert found[-2:] == [f"{pair['max_diff']:.3f}", "24"]
    head, _, none, *_ = table.splitlines()
    assert re.split(r"  +", head) == [
        "method", "dpo_correct_only", "95 % of dpo_correct_only", "gain_per_token",
        "gain_per_answer", "leaks",
    ]  # fmt: skip
    assert none.split()[:2] == ["none", "-0.693"]
    assert sentence.startswith("No example has an incorrect answer, so the figures show how far")
    assert re.split(r"  +", less.splitlines()[0])[1:] == ["dpo_correct_only", "gain_per_answer"]
    report = out.read_text("utf-8")
    assert "incorrect answers would add whether a context raises" in report
    assert "no figures yet" not in report.lower()

    calibrate = "calibrate", "--pool", "faq", "--model", tiny_lm_folder, "-k", "1", "--limit", "3"
    capsys.readouterr()
    assert main([str(word) for word in calibrate]) == 0
    printed = capsys.readouterr().out
    assert re.split(r"  +", printed.splitlines()[0])[:4] == [
        "lambda_d", "dpo_correct_only", "dpo_correct_only_low", "dpo_correct_only_high",
    ]  # fmt: skip
    (best,) = [line for line in printed.splitlines() if line.startswith("best ")]
    assert "dpo_correct_only: -" in best
    assert "dpo_per_triple" not in best


def test_a_mixed_pool_says_how_many_examples_each_figure_rests_on(run, capsys, faq, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", faq(3), "--methods", "none,rel", "-k", "1",
        "--model", tiny_lm_folder,
    )  # fmt: skip
    assert run(*evaluate)["headline"] == "dpo_correct_only"
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    columns = re.split(r"  +", printed.splitlines()[0])
    assert columns[1:4] == ["dpo_correct_only", "95 % of dpo_correct_only", "dpo_per_triple"]
    assert "3 of 24 examples have incorrect answers; on these rest DPO per triple" in printed
    assert "On the other 21 rests DPO without incorrect answers, on all 24 rest Gain" in printed


def test_the_reports_are_written(run, pool, tiny_lm_folder, tmp_path):
    out = tmp_path / "report.html"
    run(
        "evaluate", "--pool", pool, "--methods", "none,rel", "--model", tiny_lm_folder,
        "--limit", "2", "--report", out,
    )  # fmt: skip
    assert "<html" in out.read_text("utf-8")


def test_export_then_import_gives_the_same_pool(run, pool, tmp_path):
    out = tmp_path / "out.csv"
    report = run("export", "--pool", pool, "--format", "csv", "--out", out)
    assert (report["rows"], report["path"]) == (10, str(out))
    run("import", out, "--pool", "copy")
    small, copy = sorted(run("pools")["pools"], key=lambda pool: pool["name"] == "copy")
    assert (copy["demonstrations"], copy["queries"], copy["triples"]) == (
        small["demonstrations"], small["queries"], small["triples"],
    )  # fmt: skip


def test_the_model_is_practice_unless_the_environment_names_one(
    run, pool, tiny_lm_folder, monkeypatch
):
    first = run("quality", "--pool", pool)
    assert (first["scored"], first["model"]) == (10, "practice")
    assert run("quality", "--pool", pool, "--model", "practice")["reused"] == 10
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    other = run("quality", "--pool", pool)
    assert (other["scored"], other["model"]) == (10, tiny_lm_folder.name)


def test_on_other_pools_the_practice_model_says_that_it_knows_only_calls(run, pool, tmp_path):
    out = tmp_path / "report.html"
    run("calibrate", "--pool", pool, "--limit", "2", "-k", "1", "--report", out)
    assert NOT_ITS_TASK in out.read_text("utf-8")


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


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--pool", "smal", "--query", "x", "--method", "rel"], "small"),
        (["--pool", "small", "--query", "x", "--method", "mmr"], "(choose from 'none', 'random', "),
        (["--pool", "small", "--query", "  ", "--method", "rel"], "query is empty"),
        (["--pool", "small", "--query", "x", "--method", "rel", "-k", "0"], "from 1"),
        (["--pool", "small", "--query", "x", "--method", "rel", "-k", "two"], "from 1"),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--lambda-d", "1.5"],
            "from 0 to 1",
        ),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--lambda-d", "nan"],
            "from 0 to 1",
        ),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--template", "best"],
            "choose one of qa, qa-instruction",
        ),
        (["--query", "x", "--method", "rel"], "--pool"),
        (
            ["--pool", "small", "--query", "x", "--method", "rel", "--encoder", "/no/encoder"],
            "/no/encoder",
        ),
    ],
)
def test_mistakes_of_retrieve(capsys, kept, arguments, complaint):
    assert complaint in refused(capsys, "retrieve", *arguments)


def test_mistakes_with_models(capsys, kept, tmp_path):
    empty = tmp_path / "empty-folder"
    empty.mkdir()
    for model in ("/no/such/model", empty):
        assert str(model) in refused(capsys, "quality", "--pool", kept, "--model", model)


def test_a_template_is_chosen_and_told(capsys, run, pool, tiny_lm_folder):
    asked = ("prompt", "--pool", pool, "--query", "Is ice hot?", "--method", "none")
    asked = (*asked, "--model", tiny_lm_folder, "--template")
    found = run(*asked, "question-answer")
    assert found["prompt"] == "Question: Is ice hot?\nAnswer:"
    assert found["template"] == "question-answer"
    model = ("--pool", pool, "--model", tiny_lm_folder)
    assert run("quality", *model)["scored"] == 10
    other = run("quality", *model, "--template", "qa-instruction")
    assert (other["scored"], other["reused"], other["template"]) == (10, 0, "qa-instruction")
    evaluate = ("evaluate", *model, "--methods", "none,rel", "-k", "1", "--limit", "2")
    settings = run(*evaluate, "--template", "question-answer")["settings"]
    assert settings["template"] == "question-answer"
    line = refused(capsys, *asked, "chat")
    assert "has no chat template that can be used" in line
    assert "choose one of qa, qa-instruction, question-answer" in line


def test_mistakes_of_evaluate_and_export(capsys, kept, tiny_lm_folder, tmp_path):
    evaluate = ("evaluate", "--pool", kept, "--model", tiny_lm_folder, "--methods")
    assert "no method 'best'" in refused(capsys, *evaluate, "best")
    assert "The setting 'rel' is named twice" in refused(capsys, *evaluate, "rel,rel")
    assert "from 1" in refused(capsys, *evaluate, "rel", "--limit", "0")
    assert "nowhere" in refused(capsys, *evaluate, "rel", "--examples", "nowhere")
    out = tmp_path / "x.pdf"
    assert "jsonl" in refused(capsys, "export", "--pool", kept, "--format", "pdf", "--out", out)
    assert not out.exists()
    missing = tmp_path / "no" / "folder" / "x.csv"
    assert "folder" in refused(
        capsys, "export", "--pool", kept, "--format", "csv", "--out", missing
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["best k=2"], "no method 'best'"),
        (["close:"], "'close:' names no method"),
        (["rel size=2"], "The method 'rel' has no knob 'size'; it has k, candidates, embed"),
        (["rel lambda_d=0.5"], "The method 'rel' has no knob 'lambda_d'"),
        (["none k=2"], "The method 'none' has no knob 'k'; it has model."),
        (["rel+div lambda_d=1.5"], "lambda_d is '1.5'; it must be a number from 0 to 1."),
        (["rel@k=0"], "k is '0'; it must be a whole number from 1."),
        (["rel candidates=many"], "candidates is 'many'; it must be a whole number from 0."),
        (["rel embed=answer"], "embed is 'answer'; it must be one of query, query+answer."),
        (["rel one_per_query=maybe"], "one_per_query is 'maybe'; it must be true or false."),
        (["rel 4"], "'4' in the setting 'rel 4' is no key=value"),
        (["'rel k=4"], "opens a quote and does not close it"),
        (["rel", "rel"], "The setting 'rel' is named twice; change a knob of one of them"),
        (["a: rel", "b: rel@k=6"], "The settings 'a' and 'b' are the same; change a knob"),
        (["rel+div k=2 k=3"], "The setting 'rel+div k=2 k=3' gives k twice; leave one of them"),
        (["rel model="], "The setting 'rel model=' names no model after model=; leave it out"),
        (["a: rel", "a: bm25"], "Two settings have the name 'a'; give each a name of its own."),
    ],
)
def test_wrong_settings_are_refused_in_one_line(capsys, kept, tiny_lm_folder, settings, words):
    given = [part for each in settings for part in ("--settings", each)]
    line = refused(capsys, "evaluate", "--pool", kept, "--model", tiny_lm_folder, *given)
    assert words in line


def test_settings_are_evaluated_under_their_names(run, capsys, pool, tiny_lm_folder):
    evaluate = (
        "evaluate", "--pool", pool, "--model", tiny_lm_folder, "--methods", "none,rel+div",
        "--settings", "wide: rel+div lambda_d=0.1 k=2", "--settings", "vrsd@candidates=3",
        "--reference", "wide", "-k", "3", "--limit", "2",
    )  # fmt: skip
    found = run(*evaluate)
    asked = {name: each["request"] for name, each in found["methods"].items()}
    assert [(name, each["method"], each["k"]) for name, each in asked.items()] == [
        ("none", "none", 3),
        ("rel+div", "rel+div", 3),
        ("wide", "rel+div", 2),
        ("vrsd@candidates=3", "vrsd", 3),
    ]
    assert asked["wide"]["lambda_d"] == 0.1
    assert asked["vrsd@candidates=3"]["candidates"] == 3
    assert found["reference"] == "wide"
    assert main([str(word) for word in evaluate]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("setting ")
    assert "rel+div less wide" in printed
    settings = "The settings: k 3; rel+div: lambda_d 0.75; wide: rel+div, k 2, lambda_d 0.10."
    assert settings in printed
    figures = printed.split("rel+div less wide")[0]
    assert max(map(len, figures.splitlines())) <= 100, "columns that do not fit go on below"
    assert figures.count("\nnone  ") == figures.count("\nvrsd@candidates=3 ") > 1


def test_no_command_and_an_unknown_one(capsys):
    assert "COMMAND" in refused(capsys)
    assert "fly" in refused(capsys, "fly")


def test_a_workspace_that_is_a_file(capsys, tmp_path):
    path = tmp_path / "file"
    path.write_text("x", encoding="utf-8")
    assert str(path) in refused(capsys, "pools", "--workspace", path)


def test_a_second_process_gets_one_line(store, capsys):
    done = subprocess.run(
        [sys.executable, "-m", "core", "pools", "--workspace", str(store.folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert str(store.folder) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_fault_of_ours_is_exit_1_with_its_traceback(pool, monkeypatch, tmp_path):
    broken = "import core.commands.run as c; c.run_pools = lambda *_: 1 / 0; "
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{broken}from core.commands.main import main; raise SystemExit(main(['pools']))",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    "command",
    ["import", "pools", "suggest", "embed", "quality", "retrieve", "path", "prompt", "answer",
     "evaluate", "calibrate", "export"],
)  # fmt: skip
def test_every_command_has_help(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "--json" in printed
    assert "--workspace" in printed


def test_without_json_people_get_a_table(capsys, kept):
    assert main(["pools"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == [
        "name", "demonstrations", "queries", "triples", "excluded", "version",
    ]  # fmt: skip
    assert printed[2].split()[:4] == ["small", "10", "7", "20"]
