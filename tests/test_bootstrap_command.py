"""`bootstrap`: its document, its lines, going on after a kill, and the mistakes that users make."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.commands.main import main
from core.commands.options import PROGRAM
from core.commands.parser import argument_parser
from core.curation import import_file
from core.settings import SEED
from core.store import Store
from core.studio.programs.choices import CHOICES
from tests.unit.studio.test_bootstrap import Knowing

ROOT = Path(__file__).resolve().parents[1]
POOL = """\
{"query": "The capital of France?", "answer": "Paris"}
{"query": "The capital of Italy?", "answer": "Rome"}
"""
NEW = """\
{"query": "The capital of Norway?", "answer": "Oslo", "incorrect": ["Bergen"]}
{"query": "The capital of Cuba?", "answer": "Trinidad"}
"""


@pytest.fixture
def model():
    return Knowing()


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch, every_studio, hashing_encoder, model, capsys):
    every_studio(load_encoder=lambda name=None: hashing_encoder, load_model=lambda name: model)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    for name, rows in (("lands", POOL), ("new", NEW)):
        (tmp_path / f"{name}.jsonl").write_text(rows)
        assert main(["import", str(tmp_path / f"{name}.jsonl"), "--pool", name]) == 0
    capsys.readouterr()
    return tmp_path / "workspace"


def run(capsys, *arguments, status=0):
    assert main(["bootstrap", "--pool", "lands", *map(str, arguments)]) == status
    printed = capsys.readouterr()
    return printed.out, printed.err


def run_json(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--json")[0])


def test_what_is_not_given_is_as_the_library_has_it():
    given = argument_parser().parse_args(["bootstrap", "--pool", "x"])
    assert (given.program, given.seed) == (PROGRAM, SEED) == (next(iter(CHOICES)), 0)
    assert (given.annotate, given.shots, given.limit, given.to, given.keep_all_right) == (
        None, None, None, None, False,
    )  # fmt: skip


def test_every_attempt_is_in_the_document(capsys, model):
    found = run_json(capsys, "--examples", "new", "--shots", 2)
    attempts = {row["query"]: row for row in found["attempts"]}
    norway, cuba = attempts["The capital of Norway?"], attempts["The capital of Cuba?"]
    assert (norway["outcome"], norway["predicted"], norway["answers"]) == ("kept", "Oslo", ["Oslo"])
    assert (cuba["outcome"], cuba["predicted"], cuba["message"]) == ("answer wrong", "Havana", "")
    assert norway["prompt"].endswith("\n\nQ: The capital of Norway?\nA:")
    assert {name: found[name] for name in ("run", "pool", "program", "model", "shots", "examples",
                                           "tried", "right", "outcomes", "kept")} == {
        "run": 1, "pool": "lands", "program": "nearest", "model": "fake", "shots": 2,
        "examples": "new", "tried": 2, "right": 1, "outcomes": {"kept": 1, "answer wrong": 1},
        "kept": None,
    }  # fmt: skip
    asked = list(model.generated)
    assert run_json(capsys, "--examples", "new", "--shots", 2) == found
    assert model.generated == asked


def test_what_is_right_is_kept_in_the_pool_or_in_another(capsys, workspace):
    first = run_json(capsys, "--examples", "new", "--to", "written")["kept"]
    assert (first["pool"], len(first["added"]), first["there"]) == ("written", 1, 0)
    again = run_json(capsys, "--examples", "new", "--to", "written")["kept"]
    assert again == {"pool": "written", "added": [], "completed": [], "there": 1}
    own = run_json(capsys, "--examples", "new", "--keep-all-right")["kept"]
    assert (own["pool"], len(own["added"])) == ("lands", 1)


def test_a_context_names_the_program_that_wrote_a_demonstration(capsys):
    run(capsys, "--examples", "new", "--keep-all-right")
    asked = ["retrieve", "--pool", "lands", "--query", "The capital of Norway?"]
    assert main([*asked, "--method", "rel", "-k", "3", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["demonstrations"]
    assert {row["query"]: row["written_by"] for row in rows} == {
        "The capital of Norway?": "nearest with fake, run 1",
        "The capital of France?": "",
        "The capital of Italy?": "",
    }


def test_the_lines_for_people(capsys):
    out, err = run(capsys, "--examples", "new", "--keep-all-right", "--annotate", 9)
    assert "kept          The capital of Norway?  Oslo" in out
    assert "answer wrong  The capital of Cuba?    Havana" in out
    assert "outcomes" in out
    assert "trying queries: 2 of 2" in err
    _, err = run(capsys, "--examples", "new", "--program", "vanilla", "--limit", 1, "--shots", 0)
    assert "trying queries: 1 of 1" in err


def test_nothing_is_kept_where_nothing_came_out_right(capsys, tmp_path):
    file = tmp_path / "cuba.jsonl"
    file.write_text(NEW.splitlines()[1])
    out, err = run(capsys, "--file", file, "--to", "written")
    assert "Nothing came out right, so nothing is kept." in err
    assert "kept      -" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--program", "hop"], "There is no program 'hop'"),
        (["--program", "multi-hop"], "searches passages: name a collection"),
        (["--examples", "nowhere"], "nowhere"),
        (["--template", "none"], "There is no template 'none'"),
        (["--file", "gone.jsonl"], "gone.jsonl"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments, sentence):
    out, err = run(capsys, *arguments, status=2)
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


KILLED = """
import os, signal, sys
from core.watcher import Watcher
from core.studio import Studio
from core.studio.programs.bootstrap import BootstrapRequest, run
from core.studio.session.studio import Setup
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.studio.test_bootstrap import Knowing

encoder = HashingEncoder()
open_with = dict(load_encoder=lambda name: encoder, load_model=lambda name: Knowing())
with Studio.open(sys.argv[1], **open_with) as studio:
    def kill(done, total):
        return done == 1 and os.kill(os.getpid(), signal.SIGKILL)

    setup = Setup("lands", model="fake")
    request = BootstrapRequest(setup=setup, program="vanilla", examples="new")
    run(studio, request, Watcher(on_progress=kill))
"""


def test_a_run_that_was_killed_goes_on_where_it_was(
    capsys, model, workspace, tmp_path, every_studio
):
    other = tmp_path / "other"
    with Store.open(other) as store:
        for name in ("lands", "new"):
            import_file(store, tmp_path / f"{name}.jsonl", name)
    command = [sys.executable, "-c", KILLED, str(other)]
    killed = subprocess.run(command, cwd=ROOT, env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    found = run_json(capsys, "--examples", "new", "--program", "vanilla", "--workspace", str(other))
    assert (found["run"], found["tried"]) == (1, 2)
    (prompt, _) = model.generated[0]
    assert len(model.generated) == 1
    assert prompt.endswith(f"Question: {found['attempts'][1]['query']}\nAnswer:")
