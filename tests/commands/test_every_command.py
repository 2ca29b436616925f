"""What all commands share: help, the workspace, tables for people, end states."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.commands.main import main
from tests.support.commands import refused

ROOT = Path(__file__).resolve().parents[2]


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
