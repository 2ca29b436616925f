"""A method registered from one file retrieves, is evaluated, and is named by the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.commands.main import main
from core.errors import InvalidInput
from core.retrieval.candidates import choose_from_candidates
from core.retrieval.choosing import METHODS, register, settled
from core.retrieval.knobs import Knobs
from core.retrieval.lambda_path import context_path
from core.retrieval.method import Method
from tests.contracts.test_method_contract import pool as view_of
from tests.contracts.test_method_contract import query_vector

ROWS = [
    ("Can cats see in the dark?", "No."),
    ("Is glass a liquid?", "No, it is an amorphous solid."),
    ("How tall is Mount Everest?", "About 8,849 metres."),
    ("Who discovered penicillin?", "Fleming."),
]


def choose(asked):
    """The k longest answers, whatever the query."""
    lengths = np.array([len(answer) for answer in asked.view.answers])
    lengths[asked.excluded] = 0
    longest = np.argsort(-lengths, kind="stable")[: (~asked.excluded).sum()]
    return asked.context(asked.first_k(longest))


LONGEST = Method("longest", "Longest answers", "The k longest answers.", "a toy", choose)


@pytest.fixture
def longest():
    yield register(LONGEST)
    del METHODS["longest"]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """A command's JSON document, on a workspace with a pool of ROWS."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))

    def call(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    file = tmp_path / "pool.jsonl"
    rows = [{"query": q, "answer": a, "incorrect": ["Yes, always."]} for q, a in ROWS]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    call("import", file, "--pool", "small")
    return call


@pytest.mark.usefixtures("longest")
def test_it_retrieves(run):
    asked = ("retrieve", "--pool", "small", "--query", "Why?", "--method", "longest", "-k", "2")
    found = run(*asked)
    assert found["method"] == "longest"
    assert [pick["answer"] for pick in found["demonstrations"]] == [ROWS[1][1], ROWS[2][1]]
    assert run(*asked, "--index", "flat")["demonstrations"] == found["demonstrations"]


@pytest.mark.usefixtures("longest")
def test_it_is_evaluated(run, tiny_lm_folder):
    found = run(
        "evaluate", "--pool", "small", "--methods", "none,longest", "-k", "2",
        "--model", tiny_lm_folder,
    )  # fmt: skip
    row = found["methods"]["longest"]
    assert row["request"]["method"] == "longest"
    assert row["dpo_per_triple"] != found["methods"]["none"]["dpo_per_triple"]


@pytest.mark.parametrize("command", ["retrieve", "prompt", "evaluate"])
def test_the_help_names_it_while_it_is_registered(command, capsys, longest):
    def said():
        with pytest.raises(SystemExit):
            main([command, "--help"])
        return capsys.readouterr().out

    assert "longest" in said()
    del METHODS["longest"]
    assert "longest" not in said()
    register(longest)


@pytest.mark.usefixtures("longest")
def test_what_only_mmr_can_do_is_refused_by_name(tmp_path):
    view, request, vector = view_of(), Knobs("longest", 2), query_vector()
    with pytest.raises(InvalidInput, match="'longest' cannot choose among an index's candidates"):
        choose_from_candidates(view, vector, settled(replace(request, index="flat")), tmp_path)
    (piece,) = context_path(view, "Why?", vector, settled(request), leave_out=False)
    assert (piece.low, piece.high, len(piece.value)) == (0.0, 1.0, 2)
    METHODS["longest"] = replace(LONGEST, lambda_d=None)
    with pytest.raises(InvalidInput, match="No exact path over lambda_d .* 'longest'"):
        context_path(view, "Why?", vector, settled(request), leave_out=False)


def test_a_method_that_cannot_choose_is_refused():
    with pytest.raises(InvalidInput, match="'longest' has no function `choose`; give it the one"):
        register(replace(LONGEST, choose=None))
    with pytest.raises(TypeError, match="choose"):
        Method("longest", "Longest answers", "The k longest answers.", "a toy")
    assert "longest" not in METHODS


def test_a_name_is_taken_once():
    with pytest.raises(InvalidInput, match="a method 'random' already"):
        register(replace(LONGEST, name="random"))
