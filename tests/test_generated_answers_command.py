"""`evaluate --generate`: every answer in JSON with its figures, for people, and in the report."""

import json
from html import unescape

import pytest

from core.commands.main import main
from core.metrics import METRICS
from core.metrics.overlap import exact_match, f1, novel_f1, precision, rouge_l
from core.metrics.scores import OfAnswer

GENERATED = tuple(OfAnswer.__annotations__)
ROWS = [
    ("Is glass a liquid?", ["No", "No, it is not a liquid"], ["Yes"]),
    ("Can dogs see?", ["Yes"], ["No"]),
    ("Is ice hot?", ["Never"], ["Always"]),
]


@pytest.fixture
def evaluate(tmp_path, monkeypatch, capsys, every_studio, load_once, load_encoder_once):
    """Runs the command on a pool of `ROWS` and gives what it prints; another with its options."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    every_studio(load_encoder=load_encoder_once, load_model=load_once)
    file = tmp_path / "pool.jsonl"
    lines = [{"query": q, "answers": a, "incorrect": b} for q, a, b in ROWS]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["import", str(file), "--pool", "small"]) == 0
    capsys.readouterr()

    def run(*options, command=("evaluate", "--methods", "none,rel", "-k", "2")):
        assert main([*command, "--pool", "small", *map(str, options)]) == 0
        return capsys.readouterr().out

    return run


def test_every_answer_is_in_the_document_with_its_figures(evaluate, tiny_lm_folder, tmp_path):
    report = tmp_path / "report.html"
    model = ("--model", tiny_lm_folder)
    found = json.loads(evaluate("--generate", "--json", *model, "--report", report))
    answers = {(each["row"], each["query"]): each for each in found["generated"]}
    assert answers.keys() == {(row, query) for row in ("none", "rel") for query, _, _ in ROWS}
    for query, correct, _ in ROWS:
        for row in ("none", "rel"):
            each = answers[row, query]
            text = each["text"]
            assert text == text.strip()
            assert each["model"] == tiny_lm_folder.name
            assert {name: each[name] for name in GENERATED} == {
                "exact_match": exact_match(text, correct),
                "f1": f1(text, correct),
                "precision": precision(text, correct),
                "rouge_l": rouge_l(text, correct),
                "nf1": novel_f1(text, correct, [query]),
            }
            wanted = "correct" if each["exact_match"] else ("other", "incorrect")
            assert each["verdict"] in wanted
    for row, figures in found["methods"].items():
        for name in GENERATED:
            of_row = [answers[row, query][name] for query, _, _ in ROWS]
            assert figures[name] == pytest.approx(sum(of_row) / 3)
            assert figures["n"][name] == 3
        assert sum(figures["generated"][kind] for kind in ("correct", "incorrect", "other")) == 3
    assert found["settings"]["generate"] is True
    page = unescape(report.read_text(encoding="utf-8"))
    assert all(METRICS[name].label in page for name in GENERATED)
    assert "The model's own answers that are a correct one" in page
    command = ("answer", "--method", "rel", "--query", ROWS[1][0])
    alone = json.loads(evaluate("--json", *model, command=command))["answers"][1]
    assert alone["text"] == answers["none", ROWS[1][0]]["text"], "the answer without a context"


def test_people_see_the_figures_and_how_many_answers_are_right(evaluate, tiny_lm_folder):
    with_them = evaluate("--generate", "--model", tiny_lm_folder)
    without = evaluate("--model", tiny_lm_folder)
    head = next(line for line in with_them.splitlines() if "exact_match" in line)
    assert set(GENERATED) <= set(head.split())
    assert "The model's own answers that are a correct one, an incorrect one, and neither (" in (
        with_them
    )
    assert not [name for name in GENERATED if name in without]
    assert "own answers" not in without
    assert json.loads(evaluate("--json", "--model", tiny_lm_folder)).keys() & {"generated"} == set()
