"""The commands retrieve and prompt with a method by a task: both ranks, in JSON and for people."""

import json

import pytest

from core.commands.main import main
from core.demonstration.demonstration import Draft
from core.reporting.words.cautions import IF_IT_KNOWS
from core.store import Store
from tests.support.planted_model import NO_STATES, PlantedModel, moods

POOL = "moods"
N = 30
ASKED = ("--pool", POOL, "--query", "A very glad day", "--method", "pgra", "-k", "4")


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture(autouse=True)
def _workspace(tmp_path, monkeypatch, every_studio, hashing_encoder, model):
    folder = tmp_path / "workspace"
    with Store.open(folder) as store:
        store.demonstrations.add(store.pools.create(POOL).id, moods(N))
        free = [Draft(f"Question {n}", f"Answer {n}") for n in range(5)]
        store.demonstrations.add(store.pools.create("free").id, free)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(folder))
    every_studio(load_encoder=lambda name: hashing_encoder, load_model=lambda name: model)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main([*arguments, "--json"])
        printed = capsys.readouterr()
        assert status == 0, printed.err
        return json.loads(printed.out)

    return call


def test_retrieve_has_both_ranks_the_label_and_what_was_read(run, model):
    found = run("retrieve", *ASKED)
    picks = found["demonstrations"]
    assert [pick["rank"] for pick in picks] == [1, 2, 3, 4]
    assert [(pick["label"], pick["answer"]) for pick in picks] == [("1", "1")] * 4
    ranks = [pick["stage_1"] for pick in picks]
    assert len(set(ranks)) == 4
    assert set(ranks) <= set(range(1, N + 1))
    assert found["task"] == "plain"
    assert len(found["exemplars"]) in (8, 9)
    assert not set(found["exemplars"]) & {pick["id"] for pick in picks}
    assert (found["shortened"], found["skipped"]) == (0, [])
    assert found["own"]["exemplars"] == 8
    assert found["value"] == "Share of similarity"
    assert found["notes"][-1] == IF_IT_KNOWS
    assert len(model.read) == N + 1
    other = run("retrieve", *ASKED, "--task", "sentiment", "--exemplars", "0")
    assert (other["task"], other["exemplars"]) == ("sentiment", [])


def test_another_method_has_none_of_it(run):
    found = run("retrieve", "--pool", POOL, "--query", "A very glad day", "--method", "rel")
    assert [found[name] for name in ("task", "exemplars", "shortened", "skipped")] == [None] * 4
    assert {(pick["stage_1"], pick["label"]) for pick in found["demonstrations"]} == {(None, None)}


def test_people_read_the_same(capsys):
    assert main(["retrieve", *ASKED]) == 0
    printed = capsys.readouterr()
    head, _, *rows = printed.out.splitlines()
    assert head.split() == [
        "rank",
        "stage_1",
        "id",
        "label",
        "relevance",
        "value",
        "query",
        "answer",
    ]
    assert rows[0].split()[0] == "1"
    assert "exemplars shown" in printed.out
    assert "Task plain: 4 of 2" in printed.out
    assert "reading texts for their task: 30 of 30" in printed.err


@pytest.mark.parametrize("model", [{"window": 52}], indirect=True)
def test_prompt_says_what_the_window_held(run):
    found = run("prompt", *ASKED[:-2], "-k", "1")
    assert found["prompt"].endswith("Q: A very glad day\nA:")
    assert len(found["exemplars"]) == 4
    assert (found["task"], found["shortened"], found["skipped"]) == ("plain", 0, [])


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return printed.err.splitlines()[-1]


def test_a_pool_without_labels_is_refused_before_the_model_is_asked(capsys, model):
    line = refused(capsys, "retrieve", "--pool", "free", *ASKED[2:])
    assert "The answers of pool 'free' are not labels" in line
    assert model.read == []


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_is_refused(capsys):
    assert NO_STATES in refused(capsys, "retrieve", *ASKED)


@pytest.mark.parametrize("model", [{"window": 14}], indirect=True)
def test_a_window_that_is_too_small_is_refused(capsys):
    line = refused(capsys, "retrieve", *ASKED[:-2], "-k", "1", "--task", "acceptability")
    assert "No text of pool 'moods' fits the language model's window" in line
