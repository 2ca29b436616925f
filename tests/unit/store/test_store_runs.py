import math
from datetime import UTC

import numpy as np
import pytest

from core.errors import InvalidInput
from core.store import Store


def test_a_run_from_start_to_result(store, pool):
    settings = {"k": 6, "lambda_d": 0.75, "methods": ["rel", "rel+div"], "model": "é"}
    run_id = store.runs.start("evaluate", pool.id, settings)
    run = store.runs.get(run_id)
    assert (run.kind, run.pool_id, run.settings) == ("evaluate", pool.id, settings)
    assert (run.state, run.message, run.result) == ("running", "", None)
    assert run.started == run.updated
    assert run.started.tzinfo is UTC
    store.runs.append(run_id, [{"query": "q1"}, {"query": "q2", "deep": {"a": [1, None]}}])
    store.runs.append(run_id, [])
    store.runs.append(run_id, [{"query": "q3"}])
    assert store.runs.rows(run_id) == [
        {"query": "q1"},
        {"query": "q2", "deep": {"a": [1, None]}},
        {"query": "q3"},
    ]
    store.runs.save_result(run_id, {"dpo": -0.5})
    store.runs.save_result(run_id, {"dpo": -0.6})
    store.runs.set_state(run_id, "failed", message="out of memory")
    run = store.runs.get(run_id)
    assert (run.state, run.message, run.result) == ("failed", "out of memory", {"dpo": -0.6})
    assert run.updated >= run.started


def test_numpy_values_are_plain_and_undefined_ones_none(store):
    run_id = store.runs.start("x", None, {"seed": np.int64(3), "lambdas": (0.5, np.float32(0.25))})
    assert store.runs.get(run_id).settings == {"seed": 3, "lambdas": [0.5, 0.25]}
    row = {"nan": math.nan, "inf": np.inf, "array": np.array([1.0, np.nan]), "flag": np.True_}
    store.runs.append(run_id, [row])
    assert store.runs.rows(run_id) == [
        {"nan": None, "inf": None, "array": [1.0, None], "flag": True}
    ]
    with pytest.raises(TypeError):
        store.runs.append(run_id, [{"x": 1}, {"x": object()}])
    assert len(store.runs.rows(run_id)) == 1


def test_the_rows_of_two_runs_do_not_mix(store):
    one, two = store.runs.start("x", None, {}), store.runs.start("x", None, {})
    for number in range(3):
        store.runs.append(one, [{"one": number}])
        store.runs.append(two, [{"two": number}, {"two": -number}])
    assert store.runs.rows(one) == [{"one": 0}, {"one": 1}, {"one": 2}]
    assert [row["two"] for row in store.runs.rows(two)] == [0, 0, 1, -1, 2, -2]


def test_the_latest_runs_of_a_kind_and_a_pool(store, pool):
    other = store.pools.create("other")
    ids = [store.runs.start("evaluate", pool.id, {"n": n}) for n in range(4)]
    store.runs.start("calibrate", pool.id, {})
    store.runs.start("evaluate", other.id, {})
    nobody = store.runs.start("evaluate", None, {})
    assert [run.id for run in store.runs.latest("evaluate", pool.id)] == ids[::-1]
    assert [run.id for run in store.runs.latest("evaluate", pool.id, limit=2)] == ids[:1:-1]
    assert [run.id for run in store.runs.latest("evaluate", None)] == [nobody]
    assert store.runs.latest("nothing", pool.id) == []


def test_a_run_that_was_left_running_is_found_by_the_next_process(tmp_path):
    with Store.open(tmp_path) as store:
        left = store.runs.start("calibrate", None, {"seed": 1})
        store.runs.append(left, [{"query": "q"}])
        done = store.runs.start("calibrate", None, {})
        store.runs.set_state(done, "finished")
    with Store.open(tmp_path) as store:
        found = {run.id: (run.state, run.settings) for run in store.runs.latest("calibrate", None)}
        assert found == {left: ("running", {"seed": 1}), done: ("finished", {})}
        assert store.runs.rows(left) == [{"query": "q"}]


def test_an_unknown_run_or_state_is_refused(store):
    run_id = store.runs.start("x", None, {})
    with pytest.raises(ValueError, match="state must be one of"):
        store.runs.set_state(run_id, "done")
    for call in (
        lambda: store.runs.get(99),
        lambda: store.runs.rows(99),
        lambda: store.runs.append(99, [{}]),
        lambda: store.runs.save_result(99, {}),
        lambda: store.runs.set_state(99, "failed"),
    ):
        with pytest.raises(InvalidInput, match="no run with the id 99"):
            call()
