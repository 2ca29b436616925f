"""A metric registered from one file stands in every table of an evaluation, with its interval."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.commands.main import main
from core.demonstration.demonstration import Draft, EvaluationExample, incorrect_answers
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.metrics import METRICS, AnswerScores, estimate
from core.metrics.metric import MetricInfo
from core.metrics.scores import per_example
from core.retrieval.pool_view import load_pool_view
from tests.contracts.test_an_engine_is_one_file import POOL, Rules, Words

QUERIES = ("Is it raining?", "Is it snowing now?", "Is it dark?", "Is it warm in here?")


def gained(example):
    """How many nats the best answer gains from the context."""
    return example.correct[example.best] - example.correct_alone[example.best]


LIFT = MetricInfo(
    name="lift",
    label="Lift",
    explanation="How many nats the best answer gains from the context.",
    unit="nats per query",
    higher_is_better=True,
    source="a toy",
    numerators=per_example(gained),
    denominators=per_example(lambda example: 1.0),
)


@pytest.fixture
def lift(monkeypatch):
    monkeypatch.setitem(METRICS, "lift", LIFT)


def example(correct, alone, best=0):
    return AnswerScores(correct, [-1.0], alone, [-1.0], best)


def test_it_is_estimated():
    found = estimate(LIFT, [example([-1.0], [-3.0]), example([-9.0, -2.0], [-9.0, -3.0], best=1)])
    assert (found.mean, found.n) == (1.5, 2)
    assert estimate(replace(LIFT, spread="unbounded"), [example([-1.0], [-3.0])] * 40).needed == 0


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, tiny_lm_folder):
    """A command's JSON document, on a workspace with a pool of QUERIES."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))

    def call(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    file = tmp_path / "pool.jsonl"
    rows = [{"query": query, "answer": "Yes", "incorrect": ["No"]} for query in QUERIES]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    call("import", file, "--pool", "small")
    return call


@pytest.mark.usefixtures("lift")
def test_it_is_evaluated(run):
    found = run("evaluate", "--pool", "small", "--methods", "none,rel", "-k", "2")
    none, rel = found["methods"]["none"], found["methods"]["rel"]
    assert none["lift"] == 0.0
    assert rel["lift"] != 0.0
    assert rel["n"]["lift"] == len(QUERIES)
    assert rel["intervals"]["lift"] == [None, None]  # four examples are too few
    assert rel["difference"]["lift"]["mean"] == pytest.approx(rel["lift"])
    assert METRICS["lift"].axis == "Lift (nats per query)"


def test_without_it_nothing_names_it(run):
    found = run("evaluate", "--pool", "small", "--methods", "none,rel", "-k", "2")
    assert "lift" not in json.dumps(found)


@pytest.mark.usefixtures("lift")
def test_it_chooses_in_a_calibration(store):
    encoder = Words()
    store.demonstrations.add(store.pools.create("colours").id, [*POOL, Draft("green", "Four.")])
    found = calibrate(
        store,
        load_pool_view(store, "colours", encoder),
        Rules(),
        [EvaluationExample("red green blue", ("right",), incorrect_answers(["wrong"]))],
        encoder,
        options=CalibrationOptions(ks=(2,), lambda_bs=(1.0,), metric="lift"),
    )
    values = found.steps("lift").values
    assert set(np.round(values, 9)) == {0.5, -1.0}
    assert found.best.metric("lift").mean == 0.5
    assert found.summary().curve.values == tuple(values)
    assert math.isfinite(found.best.difference(found.cells[-1], "lift").mean)
