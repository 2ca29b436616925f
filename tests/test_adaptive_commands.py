"""`neighbours`, `fixed` and `retrieve --method neighbours`: their documents, their mistakes."""

import json

import pytest

from core.commands.main import main
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

N = 24
OF_FAKE = ("--pool", "small", "--model", "fake")


@pytest.fixture
def run(tmp_path, monkeypatch, every_studio, hashing_encoder, capsys):
    """Runs a command on a workspace with the pool `small`; returns its status, output and errors.

    With `--json` the output is the document.
    """
    model = FakeLanguageModel()
    every_studio(load_encoder=lambda name=None: hashing_encoder, load_model=lambda name: model)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    file = tmp_path / "pool.jsonl"
    lines = [
        {"query": f"Is thing {n} red?", "answer": f"Thing {n} is", "incorrect": ["Never"]}
        for n in range(N)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))

    def call(*arguments):
        status = main([*map(str, arguments)])
        written = capsys.readouterr()
        found = json.loads(written.out) if "--json" in arguments and not status else written.out
        return status, found, written.err

    assert call("import", file, "--pool", "small")[0] == 0
    return call


def test_a_run_chooses_and_says_what_choosing_is_worth(run):
    status, _, error = run("neighbours", *OF_FAKE)
    assert (status, error.count("\n")) == (2, 1)
    assert "Pool 'small' has no finished comparison of 2 settings or more" in error
    evaluated = run("evaluate", *OF_FAKE, "--methods", "rel,bm25,fix", "-k", 2, "--json")[1]
    status, found, error = run("neighbours", *OF_FAKE, "--nearest", 3, "--json")
    assert not status, error
    assert {"run", "metric", "neighbours", "settings", "per_query", "overall", "gain"} <= set(found)
    assert (found["run"], found["neighbours"], found["examples"]) == (evaluated["run"], 3, N)
    assert [each["name"] for each in found["settings"]] == ["rel", "bm25", "fix"]
    for each in found["settings"]:
        mean = evaluated["methods"][each["name"]]["dpo_per_triple"]
        assert each["value"]["mean"] == pytest.approx(mean)
    assert sum(each["chosen"] for each in found["settings"]) == N
    assert found["ceiling"]["mean"] >= found["overall"]["mean"]
    _, text, _ = run("neighbours", *OF_FAKE, "--nearest", 3, "--run", evaluated["run"])
    assert "by neighbours  one for all  own best" in text
    assert found["notes"][0] in text
    status, _, error = run("neighbours", *OF_FAKE, "--run", 99)
    assert (status, "no run with the id 99" in error) == (2, True)


def test_retrieve_names_the_setting(run):
    asked = ("retrieve", *OF_FAKE, "--query", "Is thing 5 red?", "--method", "neighbours")
    status, _, error = run(*asked)
    assert (status, "run evaluate, calibrate or Compare first." in error) == (2, True)
    run("evaluate", *OF_FAKE, "--settings", "a: rel k=2", "--settings", "b: bm25 k=3")
    _, found, _ = run(*asked, "--nearest", 1, "--json")
    name = found["notes"][-1].split()[2].rstrip(":")
    assert found["notes"][-1].startswith(f"Chosen as {name}: on the 1 nearest example of run")
    assert len(found["demonstrations"]) == {"a": 2, "b": 3}[name]
    assert found["own"] == {"nearest": 1, "run": 0}
    status, _, error = run(*asked, "--nearest", 0)
    assert (status, "nearest is '0'; it must be a whole number from 1" in error) == (2, True)


def test_fixed_finds_a_set_and_chooses_it(run):
    _, found, _ = run("fixed", *OF_FAKE, "--sets", 4, "-k", 2, "--json")
    assert len(found["sets"]) == 4
    means = [each["value"]["mean"] for each in found["sets"]]
    assert means == sorted(means, reverse=True)
    assert found["choosing"] + found["held_out"] == N
    assert found["chosen"] is False
    query = ("--query", "Another?", "--method", "fix", "-k", 2, "--json")
    before = [each["id"] for each in run("retrieve", *OF_FAKE, *query)[1]["demonstrations"]]
    assert before == found["present"]
    _, text, _ = run("fixed", *OF_FAKE, "--sets", 4, "-k", 2, "--choose")
    assert "winner's curse" in text
    assert "The method fix shows the best set now." in text
    after = [each["id"] for each in run("retrieve", *OF_FAKE, *query)[1]["demonstrations"]]
    assert after == found["sets"][0]["ids"]
    status, _, error = run("fixed", *OF_FAKE, "-k", 99)
    assert (status, "could choose among sets of 99" in error) == (2, True)
    status, _, error = run("fixed", *OF_FAKE, "--held-out", 1)
    assert (status, "held-out share is 1" in error) == (2, True)
