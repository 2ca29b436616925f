import math
import os
import signal
import subprocess
import sys
from datetime import UTC
from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidInput
from core.store import Store

ROOT = Path(__file__).resolve().parents[3]
ASKED = {"pool": "myths", "program": "vanilla", "seeds": [0, 1], "most": None}


def test_a_run_from_start_to_end(store):
    run = store.program_runs.start("bootstrap", "k", ASKED)
    assert (run.id, run.kind, run.key, run.asked) == (1, "bootstrap", "k", ASKED)
    assert run.created.tzinfo is UTC
    assert run.finished is None
    first = {"outcome": "kept", "step": {"stage": "attempt 🦇", "children": [{"stage": "qa"}]}}
    store.program_runs.append(run.id, 0, first)
    store.program_runs.append(run.id, 1, {"outcome": "answer wrong", "step": None})
    assert store.program_runs.records(run.id) == {
        0: first,
        1: {"outcome": "answer wrong", "step": None},
    }
    assert list(store.program_runs.records(run.id)) == [0, 1]
    assert store.program_runs.count(run.id) == 2
    assert store.program_runs.get(run.id) == run
    store.program_runs.finish(run.id)
    finished = store.program_runs.get(run.id)
    assert finished.finished.tzinfo is UTC
    assert finished.finished >= finished.created == run.created
    store.program_runs.finish(run.id)
    assert store.program_runs.get(run.id) == finished


def test_the_same_kind_and_key_are_the_same_run_finished_or_not(store):
    runs = store.program_runs
    one = runs.start("bootstrap", "k", ASKED)
    assert runs.start("bootstrap", "k", {"pool": "another"}) == one
    runs.finish(one.id)
    assert runs.start("bootstrap", "k", ASKED) == runs.get(one.id)
    others = [runs.start("bootstrap", "k2", ASKED), runs.start("run", "k", ASKED)]
    assert [one.id, *(each.id for each in others)] == [1, 2, 3]


def test_numbers_come_in_any_order_and_the_last_record_of_one_counts(store):
    runs = store.program_runs
    one, two = runs.start("x", "1", {}), runs.start("x", "2", {})
    for number in (2, 0, 7):
        runs.append(one.id, number, {"one": number})
        runs.append(two.id, number, {"two": number})
    runs.append(one.id, 2, {"one": "again"})
    assert runs.records(one.id) == {0: {"one": 0}, 2: {"one": "again"}, 7: {"one": 7}}
    assert list(runs.records(one.id)) == [0, 2, 7]
    assert runs.records(two.id, since=0) == {0: {"two": 0}, 2: {"two": 2}, 7: {"two": 7}}
    assert runs.records(one.id, since=2) == {2: {"one": "again"}, 7: {"one": 7}}
    assert runs.records(one.id, since=8) == {}
    assert (runs.count(one.id), runs.count(99)) == (3, 0)


def test_the_latest_runs_of_a_kind(store):
    runs = store.program_runs
    ids = [runs.start("x", str(number), {"n": number}).id for number in range(4)]
    runs.start("y", "0", {})
    assert [run.id for run in runs.latest("x")] == ids[::-1]
    assert [run.asked for run in runs.latest("x", limit=2)] == [{"n": 3}, {"n": 2}]
    assert runs.latest("x", limit=0) == []
    assert runs.latest("z") == []


def test_removing_a_run_takes_its_records_and_no_others(store):
    runs = store.program_runs
    one, two = runs.start("x", "1", {}), runs.start("x", "2", {})
    for run in (one, two):
        runs.append(run.id, 0, {"of": run.id})
    runs.remove(one.id)
    assert [run.id for run in runs.latest("x")] == [two.id]
    assert runs.records(two.id) == {0: {"of": two.id}}
    again = runs.start("x", "1", {})
    assert again.id == 3
    assert runs.records(again.id) == {}


def test_numpy_values_are_plain_undefined_ones_none_and_what_is_no_json_is_refused(store):
    runs = store.program_runs
    run = runs.start("x", "k", {"seed": np.int64(3), "share": (math.nan, np.float32(0.25))})
    assert runs.get(run.id).asked == {"seed": 3, "share": [None, 0.25]}
    runs.append(run.id, 0, {"inf": np.inf, "array": np.array([1.0, np.nan]), "flag": np.True_})
    with pytest.raises(TypeError):
        runs.append(run.id, 1, {"x": object()})
    assert runs.records(run.id) == {0: {"inf": None, "array": [1.0, None], "flag": True}}


def test_an_unknown_run_is_refused(store):
    for call in (
        lambda: store.program_runs.get(99),
        lambda: store.program_runs.records(99),
        lambda: store.program_runs.append(99, 0, {}),
        lambda: store.program_runs.finish(99),
        lambda: store.program_runs.remove(99),
    ):
        with pytest.raises(InvalidInput, match="no run of a program with the number 99"):
            call()


KILLED = """
import os, signal, sys
from core.store import Store

store = Store.open(sys.argv[1])
run = store.program_runs.start("bootstrap", "k", {"pool": "myths"})
for number in range(3):
    store.program_runs.append(run.id, number, {"number": number})
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_appended_before_a_kill_is_there_and_the_run_goes_on(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = subprocess.run(command, cwd=ROOT, env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Store.open(tmp_path) as store:
        run = store.program_runs.start("bootstrap", "k", {"pool": "another"})
        assert (run.id, run.asked, run.finished) == (1, {"pool": "myths"}, None)
        store.program_runs.append(run.id, 3, {"number": 3})
        store.program_runs.finish(run.id)
        assert store.program_runs.records(run.id) == {n: {"number": n} for n in range(4)}
