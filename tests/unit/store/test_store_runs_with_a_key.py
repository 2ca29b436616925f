import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import Cancelled, InvalidInput
from core.store import Store

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = {"pool": "myths", "program": "vanilla", "seeds": [0, 1], "most": None}


def test_the_same_kind_and_key_are_the_same_run_finished_or_not(store, pool):
    runs = store.runs
    one = runs.start("bootstrap", pool.id, SETTINGS, key="k")
    runs.put(one, 0, {"outcome": "kept"})
    runs.set_state(one, "failed", message="the model is away")
    before = runs.get(one)
    again = runs.start("bootstrap", None, {"pool": "another"}, key="k")
    found = runs.get(again)
    assert (again, found.key, found.pool_id) == (one, "k", None)
    assert (found.settings, found.state, found.message) == ({"pool": "another"}, "running", "")
    assert found.started > before.started
    assert runs.rows(again) == [{"outcome": "kept"}]
    others = [runs.start("bootstrap", None, {}, key="k2"), runs.start("run", None, {}, key="k")]
    assert [one, *others] == [1, 2, 3]
    assert runs.start("bootstrap", None, {}) == 4, "without a key each is a run of its own"
    assert runs.start("bootstrap", None, {}) == 5


def test_rows_come_in_any_order_and_the_last_of_a_number_counts(store):
    runs = store.runs
    one, two = runs.start("x", None, {}, key="1"), runs.start("x", None, {}, key="2")
    for number in (2, 0, 7):
        runs.put(one, number, {"one": number})
        runs.put(two, number, {"two": number})
    before = runs.get(one).updated
    runs.put(one, 2, {"one": "again"})
    assert runs.get(one).updated > before
    assert runs.numbered_rows(one) == {0: {"one": 0}, 2: {"one": "again"}, 7: {"one": 7}}
    assert list(runs.numbered_rows(one)) == [0, 2, 7]
    assert runs.rows(two) == [{"two": 0}, {"two": 2}, {"two": 7}]
    with pytest.raises(TypeError):
        runs.put(one, 1, {"x": object()})
    assert list(runs.numbered_rows(one)) == [0, 2, 7]
    with pytest.raises(InvalidInput, match="no run with the id 99"):
        runs.put(99, 0, {})


def test_the_one_started_last_is_the_latest(store, pool):
    runs = store.runs
    first, second = (runs.start("x", pool.id, {}, key=key) for key in "ab")
    assert [each.id for each in runs.latest("x", pool.id)] == [second, first]
    runs.start("x", pool.id, {}, key="a")
    assert [each.id for each in runs.latest("x", pool.id)] == [first, second]
    assert runs.latest_to_show("x", pool.id).id == first


def test_what_has_something_to_show(store, pool):
    runs = store.runs
    assert runs.latest_to_show("evaluate", pool.id) is None
    ids = {}
    for state in ("finished", "cancelled", "failed", "running"):
        ids[state] = runs.start("evaluate", pool.id, {})
        runs.save_result(ids[state], {"state": state})
        runs.set_state(ids[state], state)
    assert runs.latest_to_show("evaluate", pool.id).result == {"state": "cancelled"}
    runs.set_state(runs.start("evaluate", pool.id, {}), "finished")
    assert runs.latest_to_show("evaluate", pool.id).id == ids["cancelled"], "it has a result"
    keyed = runs.start("evaluate", pool.id, {}, key="k")
    assert runs.latest_to_show("evaluate", pool.id).id == keyed, "it has rows, or will"
    assert runs.latest_to_show("evaluate", None) is None


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (None, "finished", ""),
        (Cancelled("stop"), "cancelled", ""),
        (KeyboardInterrupt(), "cancelled", ""),
        (InvalidInput("No queries: import some."), "failed", "No queries: import some."),
        (RuntimeError("out of memory"), "failed", "RuntimeError('out of memory')"),
    ],
)
def test_a_recorded_run_has_the_outcome_of_its_block(store, pool, error, state, message):
    def block():
        with store.runs.recording("x", pool.id, {"k": 6}, key="k") as run_id:
            assert store.runs.get(run_id).state == "running"
            if error is not None:
                raise error

    if error is None:
        block()
    else:
        with pytest.raises(type(error)):
            block()
    (found,) = store.runs.latest("x", pool.id)
    assert (found.state, found.message, found.settings) == (state, message, {"k": 6})


KILLED = """
import os, signal, sys
from core.store import Store

store = Store.open(sys.argv[1])
run = store.runs.start("bootstrap", None, {"pool": "myths"}, key="k")
for number in range(3):
    store.runs.put(run, number, {"number": number})
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_put_before_a_kill_is_there_and_the_run_goes_on(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = subprocess.run(command, cwd=ROOT, env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Store.open(tmp_path) as store:
        (left,) = store.runs.latest("bootstrap", None)
        assert (left.state, left.settings) == ("running", {"pool": "myths"})
        run = store.runs.start("bootstrap", None, {"pool": "myths"}, key="k")
        assert run == left.id
        store.runs.put(run, 3, {"number": 3})
        assert store.runs.numbered_rows(run) == {n: {"number": n} for n in range(4)}
