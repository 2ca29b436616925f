"""An evaluation that is killed with -9 loses at most the chunk it was scoring."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.store import Store
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.evaluation.killed_evaluation import CHUNK_PAIRS, evaluate_small
from tests.unit.evaluation.small_pool import drafts

ROOT = Path(__file__).resolve().parents[3]


def filled(folder):
    store = Store.open(folder)
    store.demonstrations.add(store.pools.create("small").id, drafts())
    return store


@pytest.mark.parametrize("hang_at", [1, 12])
def test_killed_and_run_again(tmp_path, hang_at):
    model = FakeLanguageModel()
    with filled(tmp_path / "uninterrupted") as store:
        whole = evaluate_small(store, model)
    assert whole.figures.language_model_calls == len(model.asked) == len(set(model.asked))

    workspace, log = tmp_path / "killed", tmp_path / "calls"
    filled(workspace).close()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.unit.evaluation.killed_evaluation"]
        + [str(workspace), str(log), str(hang_at)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "hanging\n"
    process.kill()
    process.wait()
    process.stdout.close()
    calls = [int(line) for line in log.read_text().splitlines()]
    assert len(calls) == hang_at

    model = FakeLanguageModel()
    with Store.open(workspace) as store:
        (left,) = store.runs.latest("evaluate", store.pools.get("small").id)
        assert (left.kind, left.state) == ("evaluate", "running")
        again = evaluate_small(store, model)
    lost = calls[-1]
    assert lost <= CHUNK_PAIRS
    assert sum(calls) + len(model.asked) == whole.figures.language_model_calls + lost
    assert again.figures.language_model_calls == len(model.asked)
    for name, result in whole.methods.items():
        assert repr(again.methods[name].metrics) == repr(result.metrics)
