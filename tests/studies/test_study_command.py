"""`python -m studies`: its documents and tables, and the mistakes that users make."""

import json

import pytest

from core.commands.main import main as core_main
from studies.main import main
from studies.options import argument_parser
from studies.pgra.settings import PgraRequest, Sweep, Variant
from studies.vrsd.study import VrsdRequest
from tests.support.planted_language_model import PlantedLanguageModel

ROWS = [
    ("Can cats see in the dark?", "Not in total darkness."),
    ("Do goldfish forget everything?", "No, they remember for months."),
    ("Is glass a liquid?", "No, it is an amorphous solid."),
    ("Does sugar make children wild?", "Studies find no such effect."),
    ("How tall is Mount Everest?", "About 8,849 metres."),
    ("Who discovered penicillin?", "Alexander Fleming."),
    ("What happens if you swallow gum?", "It passes through you."),
    ("Do bats see well?", "They do."),
    ("Do bulls hate the colour red?", "No, they hardly see it."),
    ("Why is the sky blue?", "Air scatters blue light most."),
    ("Who wrote Hamlet?", "William Shakespeare."),
    ("How far away is the moon?", "About 384,400 km."),
]


@pytest.fixture(autouse=True)
def pool(tmp_path, monkeypatch, every_studio, hashing_encoder, load_once, capsys):
    def load_encoder(name=None):
        return hashing_encoder

    every_studio(load_encoder=load_encoder, load_model=load_once)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    file = tmp_path / "pool.jsonl"
    lines = [{"query": q, "answer": a, "incorrect": ["Yes.", "Nobody knows."]} for q, a in ROWS]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert core_main(["import", str(file), "--pool", "small"]) == 0
    capsys.readouterr()


def study(*arguments):
    return main(["vrsd", "--pool", "small", "--share", "0.4", *arguments])


def test_what_is_not_given_is_as_the_study_has_it():
    given = argument_parser().parse_args(["vrsd", "--pool", "small"])
    usual = VrsdRequest("small")
    names = ("k", "candidates", "share", "seeds", "embed", "model", "limit")
    assert {name: getattr(given, name) for name in names} == {
        name: getattr(usual, name) for name in names
    }
    assert given.encoders is None


def test_the_document_has_a_row_an_encoder_and_method(capsys):
    assert study("--json", "-k", "3", "--candidates", "5", "--seeds", "2") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["encoder"], row["method"], row["lambda"]) for row in found["rows"]] == [
        ("hashing", "vrsd", None),
        ("hashing", "rel+div", 0.0),
        ("hashing", "rel+div", 0.5),
        ("hashing", "rel+div", 1.0),
        ("hashing", "bm25", None),
    ]
    assert list(found["rows"][1]) == [
        "encoder", "method", "lambda", "candidates", "win", "ties", "losses", "max_diff",
        "max_diff_reverse", "gap", "mean", "sameness", "relevance", "least_relevance", "accuracy",
        "dpo_per_triple", "seconds_a_query",
    ]  # fmt: skip
    for row in found["rows"][1:]:
        assert row["win"]["mean"] + row["ties"] + row["losses"] == pytest.approx(1)
        assert row["win"]["n"] == row["mean"]["n"] == found["queries"]
        ahead = found["rows"][0]["mean"]["mean"] - row["mean"]["mean"]
        assert row["gap"]["mean"] == pytest.approx(ahead, abs=1e-9)
        assert row["accuracy"] is row["dpo_per_triple"] is None
    assert (found["rows"][0]["win"], found["rows"][0]["max_diff"]) == (None, None)
    assert [a + b for a, b in zip(found["held_out"], found["retrieved"], strict=True)] == [12, 12]
    assert (found["k"], found["candidates"], found["embed"]) == (3, 5, "query+answer")
    (steps,), (greedy,) = found["steps"], found["greedy"]
    assert steps["encoder"] == greedy["encoder"] == "hashing"
    assert len(steps["falls"]) == 4  # of the second to the fifth pick among five candidates
    assert greedy["queries"] == sum(found["held_out"])


def test_a_table_for_people(capsys):
    assert study("-k", "2") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "small, hashing"
    assert lines[2].split()[:6] == ["method", "lambda_d", "candidates", "win", "95", "%"]
    assert [line.split()[0] for line in lines[4:9]] == ["vrsd", *["rel+div"] * 3, "bm25"]
    assert "VRSD is ahead on its own objective by construction" in printed.out
    assert "accuracy" not in printed.out
    assert "hashing: " in printed.err


def test_a_language_model_adds_what_it_answers(capsys, tiny_lm_folder):
    assert study("--json", "-k", "1", "--seeds", "1", "--model", str(tiny_lm_folder)) == 0
    found = json.loads(capsys.readouterr().out)
    for row in found["rows"]:
        assert 0 <= row["accuracy"]["mean"] <= 1
        assert row["dpo_per_triple"]["mean"] < 0
        assert row["accuracy"]["n"] == row["dpo_per_triple"]["n"] == found["queries"]
    assert (found["template"], found["skipped"], found["caution"]) == ("qa", 0, "")
    assert study("-k", "1", "--seeds", "1", "--model", str(tiny_lm_folder)) == 0
    assert "dpo_per_triple" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--share", "0"), "share to hold out is 0"),
        (("--share", "1.5"), "share to hold out is 1.5"),
        (("--share", "half"), "invalid float value"),
        (("--share", "0.0001"), "at least 2 are needed"),
        (("--seeds", "0"), "whole number from 1"),
        (("-k", "0"), "whole number from 1"),
        (("--candidates", "-1"), "whole number from 0"),
        (("--embed", "answer"), "'query', 'query+answer'"),
        (("--encoders", "a,a"), "each once"),
        (("--pool", "nowhere"), "nowhere"),
        (("--model", "/no/such/model"), "/no/such/model"),
    ],
)
def test_mistakes_are_one_line(capsys, arguments, message):
    try:
        status = study(*arguments)
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert message in printed.err
    assert len(printed.err.strip().splitlines()) == 1


def test_an_unknown_encoder_is_refused_before_any_work(capsys, every_studio, load_encoder_once):
    every_studio(load_encoder=load_encoder_once)
    assert study("--encoders", "/no/such/encoder") == 2
    line = capsys.readouterr().err.strip()
    assert "/no/such/encoder" in line
    assert "\n" not in line


LABELS = ["glad" if number % 3 else "sad" for number in range(40)]


@pytest.fixture
def planted(tmp_path, every_studio, hashing_encoder, capsys):
    """The pool `moods`, and a model that knows its labels."""
    model = PlantedLanguageModel(LABELS)
    every_studio(load_encoder=lambda name=None: hashing_encoder, load_model=lambda name: model)
    file = tmp_path / "moods.csv"
    lines = [f"item {number},{label}" for number, label in enumerate(LABELS)]
    file.write_text("\n".join(["query,answer", *lines]))
    assert core_main(["import", str(file), "--pool", "moods"]) == 0
    capsys.readouterr()
    return model


def pgra(*arguments):
    return main(["pgra", "--pool", "moods", "--share", "0.4", *arguments])


def test_what_is_not_given_is_as_the_study_of_pgra_has_it():
    given = argument_parser().parse_args(["pgra", "--pool", "moods"])
    usual = PgraRequest("moods", Variant(None))
    for name in ("task", "share", "seeds", "limit", "encoder", "sweep"):
        assert getattr(given, name) == getattr(usual, name)
    for name, value in vars(usual.base).items():
        assert getattr(given, name) == value
    assert (given.reader, given.similarities, given.values) == ("both", None, None)
    for sweep in Sweep:
        options = ["pgra", "--pool", "moods", "--sweep", sweep.value]
        assert argument_parser().parse_args(options).sweep == sweep


def test_the_document_of_pgra(capsys, planted):
    assert pgra("--json", "--kept", "3", "--exemplars", "4", "--seeds", "2") == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert [(row["row"], row["similarity"], row["seed"]) for row in found["rows"]] == [
        (row, similarity, seed)
        for row, similarity in [
            ("none", None),
            ("random", None),
            ("exemplars", None),
            ("stage 1", None),
            ("stage 2", "cosine"),
            ("stage 2", "dot"),
            ("stage 2", "centred"),
        ]
        for seed in (0, 1)
    ]
    row = found["rows"][8]
    assert list(row) == [
        "row", "stage", "similarity", "model", "candidates", "kept", "exemplars", "stage_1", "draw",
        "seed", "consistency", "chance", "accuracy", "mcc", "by_consistent", "best_texts",
        "texts_encoded", "prefix_tokens", "shortened", "skipped", "seconds",
    ]  # fmt: skip
    assert row["consistency"]["mean"] == row["accuracy"]["vote"]["mean"] == 1.0
    assert row["mcc"] == {"vote": 1.0, "in-context": 1.0}
    assert row["consistency"]["n"] == found["queries"]
    assert row["by_consistent"]["vote"] == [
        {"c": 0, "queries": 0, "accuracy": None},
        {"c": 1, "queries": 0, "accuracy": None},
        {"c": 2, "queries": 0, "accuracy": None},
        {"c": 3, "queries": found["queries"], "accuracy": 1.0},
    ]
    assert row["exemplars"]["asked"] == 4 <= row["exemplars"]["drawn"] == row["exemplars"]["shown"]
    assert (row["stage"], row["candidates"], row["kept"], row["model"]) == (2, 150, 3, "planted")
    assert row["texts_encoded"] == 40 == found["queries"] + found["evidence"]
    assert found["rows"][0]["consistency"] is found["rows"][0]["best_texts"] is None
    assert found["readers"] == {
        "vote": "vote, not the paper's Fusion-in-Decoder",
        "in-context": "in-context, not the paper's Fusion-in-Decoder",
    }
    assert found["over_seeds"][4]["consistency"]["sd_over_seeds"] == 0.0
    assert found["paper"]["table_2"][6]["Subj"] == 97.0


def test_tables_of_pgra_for_people(capsys, planted):
    assert pgra("--kept", "3", "--exemplars", "4", "--seeds", "1") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "moods, task plain, planted: consistency (true labels) of the kept texts"
    assert [line.split("  ")[0] for line in lines[4:10]] == [
        "random",
        "stage 1",
        "stage 2, cosine",
        "stage 2, dot",
        "stage 2, centred",
        "chance",
    ]
    assert "Answers by vote, not the paper's Fusion-in-Decoder" in lines
    assert "82.3 (mean)" in printed.out  # of no task of the paper
    tables = printed.out[: printed.out.index("One split holds")]
    assert max(map(len, tables.splitlines())) <= 100
    assert "stage 1, without an interval: the queries are too" in printed.out
    assert "queries held out" in printed.err


def test_a_sweep_of_pgra(capsys, planted):
    assert pgra("--sweep", "kept", "--values", "1,2", "--reader", "vote", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {(row["kept"], row["stage"]) for row in found["rows"]} == {
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    }
    assert found["sweep"] == "kept"
    assert pgra("--sweep", "kept", "--values", "1,2", "--reader", "vote") == 0
    assert "The paper, by kept: mean over its eight tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pool", "small"), "pool 'small' are not labels"),
        (("--task", "mood"), "no task 'mood'"),
        (("--task", "subjectivity"), "0 of the labels"),
        (("--share", "1.5"), "share to hold out is 1.5"),
        (("--kept", "0"), "whole number from 1"),
        (("--values", "1,2"), "--sweep"),
        (("--sweep", "model"), "are none"),
        (("--similarities", "l2"), "cosine, dot, centred"),
        (("--reader", "fid"), "vote"),
    ],
)
def test_mistakes_about_pgra_are_one_line(capsys, planted, arguments, message):
    try:
        status = pgra(*arguments)
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert message in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not planted.read


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "the following arguments are required: STUDY"), (["flights"], "'flights'")],
)
def test_a_study_is_named(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("python -m studies: ")
    assert message in line
