"""RAGSys's tables for two models: their figures are a comparison's; the command, its refusals."""

import json

import pytest

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.studio.runs.starts import RAGSYS_METHODS as METHODS
from core.watcher import Watcher
from studies.main import main
from studies.ragsys import FIGURES, RagsysRequest, ragsys
from tests.support.tiny_language_model import build_tiny_language_model


@pytest.fixture(scope="session")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    names = ("one", "two")
    return [str(build_tiny_language_model(folder / name, seed=at)) for at, name in enumerate(names)]


def test_each_row_is_a_method_of_a_comparison_with_that_model(studio, two):
    knobs = Knobs(k=2, lambda_d=0.4, lambda_b=0.7, seed=3)
    study = ragsys(studio, RagsysRequest(Setup("small"), tuple(two), knobs, limit=3), Watcher())
    row = study.to_json()
    assert [(each["model"], each["method"]) for each in row["rows"]] == [
        (model, method) for model in ("one", "two") for method in METHODS
    ]
    assert (row["k"], row["lambda_d"], row["lambda_b"], row["seed"]) == (2, 0.4, 0.7, 3)
    assert row["paper"]["tables"] is None
    for at, model in enumerate(two):
        request = CompareRequest(
            setup=Setup("small", model=model), rows=rows_of_methods(METHODS, knobs), seed=3, limit=3
        )
        alone = compare.run(studio, request, Watcher())
        assert alone.figures.language_model_calls == 0
        summary = alone.summary()
        for place, method in enumerate(METHODS):
            found = row["rows"][len(METHODS) * at + place]
            for metric in (*FIGURES, "diversity"):
                wanted = summary.value(method, metric)
                assert found[metric] == wanted.mean
                assert found["intervals"][metric] == [wanted.low, wanted.high]
    first, second, orders = study.tables
    assert first[0] == "one, 3 evaluation examples"
    assert second[1].values("method") == METHODS
    assert orders[1].values("metric")[:2] == ("DPO per triple", "DPO")


@pytest.mark.parametrize("models", [(), ("a",), ("a", "a"), ("a", "b", "a")])
def test_fewer_than_two_models_or_one_twice_are_refused(models):
    with pytest.raises(InvalidInput, match="name two or more, each once, as --models A,B"):
        RagsysRequest(Setup("small"), models).rows()


def test_models_whose_folders_have_one_name_have_rows_of_their_own():
    names = [row.name for row in RagsysRequest(Setup("small"), ("/x/last", "/y/last", "z")).rows()]
    assert len(set(names)) == 3 * len(METHODS)
    assert (names[0], names[-1]) == ("none (/x/last)", "rel+div+bias (z)")


@pytest.fixture
def command(studio, every_studio, hashing_encoder, load_once, capsys):
    """Runs the command in the studio's workspace, which it needs for itself."""
    folder = studio.store.folder
    studio.close()
    every_studio(load_encoder=lambda name: hashing_encoder, load_model=load_once)

    def run(*arguments):
        try:
            status = main([*arguments, "--workspace", str(folder)])
        except SystemExit as stop:
            status = stop.code
        return status, capsys.readouterr()

    return run


def test_the_command_prints_tables_or_one_json_document(command, two):
    asked = ("ragsys", "--pool", "small", "--models", ",".join(two), "--limit", "2", "-k", "2")
    status, printed = command(*asked, "--json")
    assert status == 0, printed.err
    row = json.loads(printed.out)
    assert len(row["rows"]) == 2 * len(METHODS)
    assert {each["models"][0] for each in row["orders"]} == {"one"}
    assert "model two, 2 of 2" in printed.err.splitlines()
    status, printed = command(*asked)
    assert status == 0
    assert "one, 2 evaluation examples" in printed.out
    assert all(note in printed.out for note in row["notes"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ragsys", "--pool", "small"), "the following arguments are required: --models"),
        (("ragsys", "--pool", "small", "--models", "a"), "name two or more"),
        (("ragsys", "--pool", "none", "--models", "a,b"), "'none'"),
        (("ragsys", "--pool", "small", "--models", "a,b", "--limit", "0"), "from 1"),
        (("ragsys", "--pool", "small", "--models", "practice,/no/b"), "no model folder '/no/b'"),
    ],
)
def test_a_mistake_is_one_line(command, arguments, words):
    status, printed = command(*arguments)
    assert (status, printed.out) == (2, "")
    (line,) = printed.err.strip().splitlines()[-1:]
    assert words in line
    assert "Traceback" not in printed.err
