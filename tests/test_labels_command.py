"""`evaluate` on a pool of labels: the table, the JSON document, settings of `pgra`, refusals."""

import json

import pytest

from core.commands.main import main
from core.evaluation.results.comparison import Comparison

ROWS = [
    {
        "query": f"Film {number} was {'grand' if number % 3 else 'dull'}",
        "answer": "subjective" if number % 3 else "objective",
        "incorrect": ["objective" if number % 3 else "subjective"],
    }
    for number in range(30)
]


@pytest.fixture
def evaluated(capsys, tmp_path, monkeypatch, tiny_lm_folder):
    """A command's output on a pool of labels, or of other answers."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))

    def call(*arguments, rows=ROWS, status=0):
        file = tmp_path / "pool.json"
        file.write_text(json.dumps(rows), encoding="utf-8")
        assert main(["import", str(file), "--pool", "films"]) == 0
        capsys.readouterr()
        assert main(["evaluate", "--pool", "films", "-k", "2", *arguments]) == status
        return capsys.readouterr()

    return call


SETTINGS = (
    *("--settings", "none", "--settings", "rel"),
    *("--settings", "pgra candidates=5 task=subjectivity exemplars=2"),
)


def test_label_consistency_is_printed_beside_chance_with_its_verdict(evaluated):
    found = evaluated(*SETTINGS)
    assert "label_consistency" in found.out
    assert "Chance for label consistency (true labels): 0.54" in found.out  # (20 19 + 10 9) / 870
    assert "MC1 here is the accuracy of choosing the label" in found.out
    assert "sort these texts" in found.out or "sorts these texts" in found.out
    assert "reading texts for their task" in found.err


def test_the_json_document_has_labels_and_opens_again(evaluated):
    document = json.loads(evaluated(*SETTINGS, "--json").out)
    rel = document["methods"]["rel"]
    assert 0.0 <= rel["label_consistency"] <= 1.0
    assert rel["intervals"]["label_consistency"][0] <= rel["label_consistency"]
    assert document["methods"]["none"]["label_consistency"] is None
    labels = document["labels"]
    assert labels["task"] == "subjectivity"
    assert labels["all_offered"] is True
    assert set(labels["rows"]) == set(document["methods"]) - {"none"}
    (name,) = set(labels["rows"]) - {"rel"}
    request = document["methods"][name]["request"]
    assert (request["method"], request["candidates"]) == ("pgra", 5)
    assert request["own"]["task"] == "subjectivity"
    for each in labels["rows"].values():
        assert sum(one["queries"] for one in each["by_consistent"]) == document["examples"]
    assert Comparison.from_json(document).to_json() == document


def test_a_pool_without_labels_is_refused_by_name_before_anything_runs(evaluated):
    other = [row | {"answer": f"answer {number}"} for number, row in enumerate(ROWS)]
    found = evaluated("--methods", "rel,pgra", rows=other, status=2)
    assert "The answers of pool 'films' are not labels that many queries share" in found.err
    assert "evaluating" not in found.err


def test_without_a_task_nothing_is_printed_of_labels(evaluated):
    other = [row | {"answer": f"answer {number}"} for number, row in enumerate(ROWS)]
    found = evaluated("--methods", "none,rel", "--limit", "4", rows=other)
    assert "label" not in found.out
