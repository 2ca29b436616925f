"""Commands with a model behind a server give what they give with the same model here."""

import json

import pytest

from core.commands.main import main
from core.settings import practice_model_folder
from tests.support.commands import refused, written
from tests.support.openai_server import KEY, Network, Offer, Words, answering, serving

COMMANDS = (
    ("evaluate", "--methods", "none,rel,rel+div+bias", "--limit", "3", "-k", "2"),
    ("calibrate", "--limit", "2", "-k", "2"),
)


@pytest.fixture(autouse=True)
def _own_encoder(every_studio, load_once, load_encoder_once):
    every_studio(load_encoder=load_encoder_once, load_model=load_once)


@pytest.fixture
def pool(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert main(["import", str(written(tmp_path / "pool.jsonl")), "--pool", "small"]) == 0
    return "small"


def numbers(found):
    """Every number of a document by its place, but those of time and of what was computed."""
    if isinstance(found, dict):
        parts = {key: part for key, part in found.items() if key not in ("seconds", "started")}
    elif isinstance(found, list):
        parts = dict(enumerate(found))
    else:
        return {(): found} if isinstance(found, float) else {}
    return {(key, *at): value for key, part in parts.items() for at, value in numbers(part).items()}


@pytest.mark.thorough
def test_runs_have_the_figures_of_the_local_model(pool, load_once, monkeypatch, capsys, tmp_path):
    network = Network(practice_model_folder(), load_once("practice"))

    def run(model, *command):
        assert main([*command, "--pool", pool, "--model", model, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    with serving(network) as (url, _):
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", url)
        capsys.readouterr()
        for command in COMMANDS:
            here, there = run("practice", *command), run("openai:tiny", *command)
            expected, found = numbers(here), numbers(there)
            assert len(expected) > 20
            assert found == pytest.approx(expected, abs=1e-3)
            assert (here["language_model_calls"], there["model"]) == (
                there["language_model_calls"],
                "openai:tiny",
            )
    for file in (tmp_path / "workspace").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_a_model_that_only_writes_answers_and_refuses_the_rest_in_one_line(
    pool, monkeypatch, capsys
):
    offer = Offer(echo=False, prompt_logprobs=False, log_probs=False)
    with serving(Words(), offer) as (url, _):
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", url)
        of_query = ("--pool", pool, "--query", "Is glass a liquid?", "-k", "1")
        named = ("--method", "rel", "--model", "openai:tiny")
        capsys.readouterr()
        assert main(["answer", *of_query, *named, "--json"]) == 0
        with_context, alone = json.loads(capsys.readouterr().out)["answers"]
        assert (with_context["text"], alone["text"]) == (
            "No, it is an amorphous solid.",
            "nothing",
        )
        assert {alone[key] for key in ("tokens", "log_prob", "log_prob_per_token")} == {None}
        assert main(["prompt", *of_query, *named]) == 0
        assert "(tokens not counted)" in capsys.readouterr().out
        model = ("--pool", pool, "--model", "openai:tiny")
        for command in (
            ("evaluate", "--methods", "rel", *model),
            ("calibrate", *model),
            ("quality", *model),
            ("retrieve", *of_query, "--method", "rel+bias", "--model", "openai:tiny"),
            ("retrieve", *of_query, "--method", "mdl", "--model", "openai:tiny"),
        ):
            assert main(command) == 2
            *_, line = capsys.readouterr().err.splitlines()
            assert "The model 'openai:tiny' cannot score answers: the server gives no" in line


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (None, "set SHOTLIST_OPENAI_BASE_URL, such as http://127.0.0.1:8000/v1"),
        ("127.0.0.1:8000", "begins with http:// or https://"),
    ],
)
def test_without_a_server_the_line_says_what_to_set(pool, monkeypatch, capsys, url, sentence):
    if url is not None:
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", url)
    capsys.readouterr()
    line = refused(capsys, "quality", "--pool", pool, "--model", "openai:tiny")
    assert sentence in line
    assert KEY not in line


def test_what_is_no_answer_and_what_is_doubtful_is_said(pool, monkeypatch, capsys):
    offer = Offer(completions=False)
    with serving(Words(), offer) as (url, _):
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", url)
        command = ("answer", "--pool", pool, "--query", "Is glass a liquid?", "-k", "1")
        command += ("--method", "rel", "--model", "openai:tiny")
        # Three questions come while the model is loaded; then the answers.
        offer.after[4] = answering(None, refusal="I cannot say.", model="other")
        offer.after[5] = answering("<think>\nIt is old.\n</think>\nYes", "stop")
        capsys.readouterr()
        assert main([*command, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["answers"]
        found = {row["ended_by"]: row for row in rows}
        declined, answered = found["refused"], found["end"]
        assert (declined["text"], declined["instead"]) == ("", "I cannot say.")
        assert declined["doubts"] == [{"about": "model", "asked": "tiny", "answered": "other"}]
        assert (answered["text"], answered["thoughts"]) == ("Yes", "It is old.")
        assert main(command) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "I cannot say." in lines
        assert "It is old." in lines
        assert "The server says that other answered, and not tiny." in lines
        assert any("no answer: the model declined to answer" in line for line in lines)
