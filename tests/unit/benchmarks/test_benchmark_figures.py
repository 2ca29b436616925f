import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.figures import FILE, quartiles, record, record_time, recorded, table

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted(file.stem for file in (ROOT / "benchmarks").glob("[!_]*.py"))
SMALL_RUNS = """
import sys
from benchmarks import mmr, scoring, states
sys.argv = ["mmr", "--n", "60", "--queries", "3", "--lambda-d", "0.5"]
mmr.main()
practice = scoring.PRACTICE_MODEL, scoring.drafts_of(scoring.PRACTICE_POOL)
scoring.compare_scoring(scoring.Case("scoring", *practice, queries=2, rounds=1))
practice = states.PRACTICE_MODEL, states.sentences_of(states.PRACTICE_POOL)
states.compare(states.Case("states", *practice, texts=2, rounds=1))
"""
TIMES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30)


@given(TIMES)
def test_quartiles_are_numpys(values):
    assert quartiles(values) == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]))


def test_figures_reach_the_file_that_the_environment_names(tmp_path, monkeypatch):
    file = tmp_path / "figures.jsonl"
    monkeypatch.setenv(FILE, str(file))
    record("machine", threads=2, read_gb=quartiles([3.0, 1.0, 2.0]))
    record_time("a work", "us", [4.0], 1.0, "same")
    assert recorded(file) == [
        {"kind": "machine", "threads": 2, "read_gb": [1.5, 2.0, 2.5]},
        {"kind": "time", "work": "a work", "who": "us", "ms": [4.0, 4.0, 4.0],
         "times_ours": 1.0, "equal": "same"},
    ]  # fmt: skip


def test_without_a_file_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.delenv(FILE, raising=False)
    monkeypatch.chdir(tmp_path)
    record("machine", threads=2)
    assert list(tmp_path.iterdir()) == []


def test_table_has_a_line_a_contender_and_leaves_other_figures_out():
    slow = {"kind": "time", "work": "w", "who": "them", "ms": [1000.4, 2000, 3000],
            "times_ours": 41.456, "equal": "same picks 4/4"}  # fmt: skip
    quick = slow | {"who": "us", "ms": [0.456, 12.34, 123.4], "times_ours": 1.0, "equal": ""}
    assert table([{"kind": "machine"}, quick, slow]).splitlines()[2:] == [
        "| w | us | 12.3 (0.46 to 123) | 1.00 |  |",
        "| w | them | 2,000 (1,000 to 3,000) | 41.46 | same picks 4/4 |",
    ]


@pytest.fixture(scope="module")
def small_runs(tmp_path_factory):
    """What three benchmarks record of small runs, in a process that has imported all of them.

    They change the environment that the libraries read when they are imported, hence the process.
    """
    file = tmp_path_factory.mktemp("benchmarks") / "figures.jsonl"
    code = "".join(f"import benchmarks.{module}\n" for module in MODULES) + SMALL_RUNS
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {FILE: str(file)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return recorded(file)


def of(rows, work):
    return [row for row in rows if row.get("work", "").startswith(work)]


@pytest.mark.thorough
def test_small_run_of_mmr_records_every_contender(small_runs):
    rows = of(small_runs, "mmr")
    told = {(row["who"], row["equal"]) for row in rows}
    assert told >= {("shotlist", "same picks 3/3"), ("pyversity", "same picks 3/3")}
    assert json.dumps(rows)
    assert "| mmr, n = 60, k = 6, lambda_d 0.50 | pyversity |" in table(rows)


@pytest.mark.thorough
def test_small_run_of_scoring_records_time_and_rate(small_runs):
    time, *_ = of(small_runs, "scoring a query")
    (rate,) = [row for row in small_runs if row["kind"] == "rate"]
    assert (time["who"], time["times_ours"]) == ("shotlist", 1.0)
    assert time["ms"][0] > 0
    assert rate["share"] > 0


@pytest.mark.thorough
def test_small_run_of_states_records_both_and_they_agree(small_runs):
    ours, theirs = of(small_runs, "the task state")
    assert (ours["who"], ours["times_ours"], theirs["who"]) == ("shotlist", 1.0, "transformers")
    assert min(ours["ms"][0], theirs["ms"][0], theirs["times_ours"]) > 0
    apart = theirs["equal"].removeprefix("states at most ").removesuffix(" apart")
    assert float(apart) <= 1e-4
