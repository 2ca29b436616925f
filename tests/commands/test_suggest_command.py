"""The command `suggest`: incorrect answers for a pool that has none."""

import json
import re

from core.commands.main import main
from tests.support.commands import ROWS, refused


def test_incorrect_answers_are_suggested_and_accepted_where_a_file_has_none(
    capsys, run, tmp_path, workspace
):
    path = tmp_path / "faq.jsonl"
    rows = [{"query": q, "answers": a} for q, a in ROWS]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["import", str(path), "--pool", "an faq", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["queries_with_incorrect"] == 0
    columns, rows, sentence, hint = printed.err.splitlines()
    assert columns == 'Read as the query: "query"; as the answer: "answers".'
    assert rows.startswith("7 rows: ")
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
