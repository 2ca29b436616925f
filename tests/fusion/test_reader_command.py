"""`python -m fusion`: its documents, its lines, and the mistakes that users make."""

import json

import pytest

from core.commands.main import main as core_main
from fusion.main import main
from fusion.options import argument_parser
from fusion.reader import FusionReader
from fusion.training import FineTuning
from tests.support.tiny_t5 import build_tiny_t5

ROWS = [
    (f"the {thing} is {word}", label)
    for thing in ("house", "story", "war", "moon", "spider", "water", "sky", "answer", "red leg")
    for word, label in (("good", "positive"), ("bad", "negative"), ("red", "negative"))
]


@pytest.fixture(autouse=True)
def pool(tmp_path, monkeypatch, every_studio, hashing_encoder, capsys):
    every_studio(load_encoder=lambda name=None: hashing_encoder)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    file = tmp_path / "pool.jsonl"
    file.write_text("\n".join(json.dumps({"query": q, "answer": a}) for q, a in ROWS))
    assert core_main(["import", str(file), "--pool", "small"]) == 0
    capsys.readouterr()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return build_tiny_t5(tmp_path_factory.mktemp("t5") / "tiny-t5")


def train(model, out, *arguments):
    return main(
        [
            "train", "--model", str(model), "--pool", "small", "--out", str(out),
            "--steps", "4", "--check-every", "2", "--learning-rate", "1e-3", "-k", "3", *arguments,
        ]
    )  # fmt: skip


def answer(reader, *arguments):
    given = ["--reader", str(reader), "--pool", "small", "-k", "2", *arguments]
    return main(["answer", *given])


def test_what_is_not_given_is_as_the_training_has_it():
    given = argument_parser().parse_args(["train", "--model", "m", "--pool", "p", "--out", "o"])
    usual = FineTuning()
    names = FineTuning.__dataclass_fields__
    assert {name: getattr(given, name) for name in names} == {
        name: getattr(usual, name) for name in names
    }


def test_train_then_answer(model, tmp_path, capsys):
    out = tmp_path / "out"
    assert train(model, out, "--json") == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["model"], found["pool"], found["k"], found["labels"]) == (
        "tiny-t5",
        "small",
        3,
        2,
    )
    assert (found["steps"], found["stopped_early"], found["folder"]) == (4, False, str(out))
    assert [check["step"] for check in found["checks"]] == [2, 4]
    assert found["episodes"] + found["validation"] == len(ROWS)
    assert "training: 4 of 4" in printed.err
    query = "the garden is good"
    assert answer(out, "--query", query, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["query"] == query
    assert [set(each) for each in found["evidence"]] == [{"id", "text"}] * 2
    reader = FusionReader.load(out, device="cpu")
    labels = [each["label"] for each in found["ranked"]]
    assert sorted(labels) == ["negative", "positive"]
    scored = reader.log_probs(query, [each["text"] for each in found["evidence"]], labels)
    assert [each["log_prob"] for each in found["ranked"]] == pytest.approx(
        [each.total for each in scored], abs=1e-5
    )
    assert found["answer"] == labels[0]


def test_the_answer_for_people_has_its_evidence(model, capsys):
    assert answer(model, "--query", "the garden is good", "--label", "yes", "--label", "no") == 0
    printed = capsys.readouterr().out
    assert "answer" in printed
    assert "the garden is good" in printed
    assert "positive" in printed  # the evidence, with its answers
    assert "log_prob" in printed


def mistake(capsys, status):
    assert status == 2
    message = capsys.readouterr().err
    (line,) = [line for line in message.splitlines() if line.startswith("python -m fusion ")]
    assert line.endswith(".")
    return line


def test_mistakes_are_one_sentence(model, tmp_path, capsys, tiny_lm_folder):
    out = tmp_path / "out"
    assert "is no T5" in mistake(capsys, train(tiny_lm_folder, out))
    assert "no model folder './none'" in mistake(capsys, train("./none", out))
    assert "learning rate 2 was given" in mistake(capsys, train(model, out, "--learning-rate", "2"))
    assert (
        "no pool"
        in mistake(
            capsys,
            main(["answer", "--reader", str(model), "--pool", "x", "--query", "q"]),
        ).lower()
    )
    assert "The query is empty" in mistake(capsys, answer(model, "--query", " "))
    assert "The answer '' has no tokens" in mistake(
        capsys, answer(model, "--query", "q", "--label", "")
    )
    assert not out.exists()


def test_another_plan_does_not_go_on(model, tmp_path, capsys):
    assert train(model, tmp_path / "out") == 0
    capsys.readouterr()
    message = mistake(capsys, train(model, tmp_path / "out", "--seed", "3"))
    assert "contains a training with another" in message
