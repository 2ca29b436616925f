"""`python -m practice ...`: JSON, end states, mistakes, and what people see."""

import functools

import pytest

from core.commands.main import main as core_main
from practice.checks import check_copying
from practice.commands.main import main
from practice.training.network import SIZES, Size
from tests.support.commands import documents
from tests.support.tiny_language_model import build_tiny_language_model


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))


@pytest.fixture
def run(capsys):
    return documents(main, capsys)


def test_pools_writes_both_files(run, tmp_path):
    found = run("pools", "--out", tmp_path / "made", "--seed", 100, "--queries", 50)
    log, curated = found["pools"]["service-desk"], found["pools"]["service-desk-curated"]
    assert log["queries"] == 50
    assert log["demonstrations"] > 2 * 50 > 2 * curated["queries"] == 2 * curated["demonstrations"]
    for file in (log, curated):
        with open(file["path"], encoding="utf-8") as lines:
            assert sum(1 for _ in lines) == file["queries"]


def test_a_dialect_that_training_may_see_makes_no_pool(capsys, tmp_path):
    assert main(["pools", "--out", str(tmp_path), "--seed", "5"]) == 2
    assert "The seed 5 was given; only the dialects of 7" in capsys.readouterr().err


def test_train_says_machine_and_steps_and_checks(run, tmp_path, monkeypatch):
    monkeypatch.setitem(SIZES, "small", Size(96, 1, 64))
    monkeypatch.setattr("practice.checks._LONGEST", 2)
    few = functools.partial(check_copying, episodes=4)
    monkeypatch.setattr("practice.commands.run.check_copying", few)
    found = run("train", "--out", tmp_path / "model", "--steps", 2, "--polish", 0, "--spelling", 0)
    assert (found["steps"], found["threads"], found["finished"]) == (2, 1, True)
    assert found["machine"]
    assert (found["check"]["episodes"], found["check"]["passed"]) == (4, False)


def test_check_wants_a_model(capsys, tmp_path):
    assert main(["check", "--model", str(tmp_path)]) == 2
    assert "There is no model in" in capsys.readouterr().err


@pytest.mark.thorough
def test_confirm_splits_the_queries_in_halves(run, tmp_path, capsys):
    model = tmp_path / "model"
    build_tiny_language_model(model)
    made = run("pools", "--out", tmp_path / "made", "--queries", 20)["pools"]["service-desk"]
    assert core_main(["import", made["path"], "--pool", "log", "--json"]) == 0
    capsys.readouterr()
    knobs = ("--lambda-b", 1, "-k", 1)
    found = run("confirm", "--pool", "log", "--model", model, "--limit", 9, *knobs)
    assert (found["chosen_on"], found["confirmed_on"]) == (4, 5)
    assert found["inside"] == (0 < found["lambda_d"] < 1)
    # One demonstration is the most relevant one at any lambda_d.
    assert found["minus_relevance_only"]["dpo_per_triple"]["mean"] == 0.0
    assert found["lambda_d"] == 1.0
    assert len(found["curve_of_first_half"]) == 21
    assert found["by_kind"]["1.0"]["missing field"]["n"] == 5


def test_people_see_each_key_on_a_line(tmp_path, capsys):
    assert main(["pools", "--out", str(tmp_path), "--seed", "7", "--queries", "3"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "seed   7"
    assert second.startswith(
        f"pools  service-desk: path: {tmp_path}/service-desk.jsonl, queries: 3, "
    )


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path, capsys):
    (tmp_path / "odd").write_text("mine", encoding="utf-8")
    assert main(["pools", "--out", str(tmp_path / "odd")]) == 2
    assert capsys.readouterr().err == (
        f"python -m practice pools: {tmp_path / 'odd'} is a file: name a folder.\n"
    )


def test_a_disk_that_fails_is_one_line(tmp_path, capsys, monkeypatch):
    def fails(*_):
        raise OSError(28, "No space left on device", "/mnt/pool.jsonl")

    monkeypatch.setattr("practice.commands.run.write_pool", fails)
    assert main(["pools", "--out", str(tmp_path / "new"), "--queries", "3"]) == 1
    assert capsys.readouterr().err == (
        "python -m practice pools: /mnt/pool.jsonl cannot be read or written "
        "(No space left on device).\n"
    )


def test_an_argument_that_is_no_text_is_one_sentence(capsys):
    assert main(["pools", "--out", "caf\udce9"]) == 2
    assert "python -m practice: 'caf\\udce9' was given, which is no text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "takes"),
    [("train", False), ("pools", False), ("reader", False), ("check", False),
     ("computed", False), ("confirm", True)],
)  # fmt: skip
def test_only_a_command_that_reads_pools_takes_a_workspace(command, takes, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert ("--workspace" in capsys.readouterr().out) == takes


def test_the_main_program_has_no_such_command(capsys):
    with pytest.raises(SystemExit):
        core_main(["practice", "pools"])
    assert "invalid choice: 'practice'" in capsys.readouterr().err
