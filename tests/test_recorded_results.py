"""Results as an earlier version printed and kept them: the same keys today, and they still open.

`tests/recorded` holds what `evaluate` and `calibrate` printed with `--json` on the pool below,
before results were typed.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.commands.main import main
from core.evaluation.results.calibration import Calibration
from core.evaluation.results.cells import Line
from core.evaluation.results.comparison import BY_KIND, Comparison
from core.evaluation.results.skipping import Skipped, SkipReason
from core.interval import Interval
from core.reporting.words.cautions import leaks_counted
from core.reporting.words.findings.calibration_findings import exact_curve, has_too_few_examples
from core.reporting.words.findings.comparison_findings import best_method, lead_of
from core.reporting.words.reading import read_calibration, read_comparison
from core.store import Store
from core.studio.runs.calibrate import resumed
from core.studio.runs.running import PoolRuns
from core.studio.session.studio import Setup

RECORDED = Path(__file__).parent / "recorded"
ROWS = [
    ("Is glass a liquid?", "No", ["Blue", "Five"], ["colour", ""]),
    ("Can dogs see?", "Yes", ["Blue", "Five"], ["colour", "number"]),
    ("Is ice hot?", "Never", ["Blue", "Five"], ["colour", "number"]),
    ("Who found penicillin?", "Alexander Fleming", ["My aunt"], [""]),
    ("Who made penicillin first?", "Alexander Fleming", [], []),
]
COMMANDS = {
    "evaluate": ("--methods", "none,rel,rel+div", "--reference", "rel,none", "-k", "2"),
    "calibrate": ("--limit", "4", "-k", "2", "--lambda-b", "0.9"),
}
ELSEWHERE = {"model", "model_fingerprint", "device"}
"""Keys whose values depend on where the tiny model is, on who built it, and on what computes."""
CHANGED = {"language_model_calls"}
"""Contexts that leak are scored without their leaks, too."""
ADDED = {
    *("cos_sum", "gain_per_token", "gain_per_answer", "triple_accuracy", "headline"),
    *("delta", "delta_low", "delta_high", "pairs", "sum_against_answers"),
    *("label_consistency", "labels", "leakage", "gain_without_leaks", "best_without_leaks"),
}
"""Metrics and facts that earlier versions did not know."""


def write_pool(path):
    names = ("query", "answer", "incorrect", "incorrect_kinds")
    path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in ROWS]), "utf-8")


def recorded(command):
    return json.loads((RECORDED / f"{command}.json").read_text(encoding="utf-8"))


def assert_alike(found, wanted, at=""):
    assert type(found) is type(wanted), at
    if isinstance(wanted, dict):
        kept, before = ([key for key in one if key not in ADDED] for one in (found, wanted))
        assert kept == before, at
        for key in wanted.keys() - ELSEWHERE - CHANGED:
            assert_alike(found[key], wanted[key], f"{at}/{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), at
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_alike(one, other, f"{at}/{place}")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-3, abs=1e-3), at
    else:
        assert found == wanted, at


@pytest.mark.parametrize("command", COMMANDS)
def test_the_json_document_is_as_it_was(command, capsys, tmp_path, monkeypatch, tiny_lm_folder):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    write_pool(tmp_path / "pool.json")
    assert main(["import", str(tmp_path / "pool.json"), "--pool", "kinds"]) == 0
    capsys.readouterr()
    common = ("--pool", "kinds", "--model", str(tiny_lm_folder), "--json")
    assert main([command, *COMMANDS[command], *common]) == 0
    assert_alike(json.loads(capsys.readouterr().out), recorded(command))


@pytest.mark.parametrize(
    ("command", "kind"), [("evaluate", Comparison), ("calibrate", Calibration)]
)
def test_what_is_read_is_written_as_it_was(command, kind):
    row = recorded(command)
    result = kind.from_json(row)
    assert json.dumps(result.to_json()) == json.dumps(row)
    assert kind.from_json(result.to_json()) == result


def test_a_recorded_calibration_tells_its_figures():
    row = recorded("calibrate")
    found = Calibration.from_json(row)
    assert (found.examples, found.total, found.end, found.partial) == (4, 4, "all", False)
    assert (found.settings.pool, found.settings.limit, found.settings.seed) == ("kinds", 4, 0)
    assert found.settings.line == Line(2, 0.9)
    assert [cell.lambda_d for cell in found.cells] == [round(at / 20, 2) for at in range(21)]
    assert found.best in found.cells
    assert found.best.dpo.mean == found.best.value.mean == row["best"]["dpo_per_triple"]
    assert found.cells[0].leaks.contexts == row["curve"][0]["leaks"]["contexts"]
    assert found.advice.knobs == (6, 0.95, 0.75)
    assert found.advice.gain == Interval(row["recommendation"]["gain"]["mean"], None, None, 3, 20)
    assert exact_curve(found).values == tuple(row["steps"]["dpo_per_triple"])
    assert has_too_few_examples(found)
    assert read_calibration(found).headline.startswith("4 examples: too few to say")


def test_a_recorded_comparison_tells_its_figures():
    row = recorded("evaluate")
    found = Comparison.from_json(row)
    assert list(found.methods) == ["none", "rel", "rel+div"]
    assert (found.reference, found.kinds) == ("rel", ("colour", "number"))
    means = {name: row["methods"][name]["mc1"] for name in found.methods}
    assert {name: found.value(name, "mc1").mean for name in found.methods} == means
    assert found.difference("rel", "mc1") is None
    assert found.difference("none", "mc1").mean == pytest.approx(means["none"] - means["rel"])
    assert list(found.methods["rel"].differences) == ["none"]
    assert lead_of(found, "mc1").needed == 20
    assert read_comparison(found).headline.startswith("5 examples: too few to say")


def without(row, *names):
    return {name: each for name, each in row.items() if name not in names}


def test_the_oldest_calibrations_still_open():
    """They knew neither exact curves nor recommendations, leaks, looks or why a run ended."""
    row = without(recorded("calibrate"), "recommendation", "steps", "leaks", "look", "end")
    row = without(row, "skipped_examples") | {"skipped": 2, "total": 6}
    new = ("cells", "line", "defaults", "margin", "until_settled", "seen_before", "caution")
    row["settings"] = without(row["settings"], *new[1:], "leave_out_leaks")
    row["curve"] = [without(each, "leaks", "behind") for each in row["curve"]]
    found = Calibration.from_json(row)
    assert (found.advice, found.curve, found.end, found.partial) == (None, None, None, False)
    assert found.skipped == (Skipped("", SkipReason.TOO_LONG),) * 2
    assert not found.look.fixed
    assert {cell.is_behind for cell in found.cells} == {None}
    assert leaks_counted(found) == "not counted by this run"
    assert (found.settings.leave_out_leaks, found.settings.caution) == (False, "")
    again = resumed(Setup("kinds", None, None), found.settings)
    options = again.options
    assert (options.ks, options.lambda_bs, options.margin) == ((2,), (0.9,), None)
    assert read_calibration(found).warnings[0].startswith("2 examples did not fit the window")


def test_the_oldest_comparisons_still_open():
    """They had one reference, and said neither which methods lead nor what kinds there are."""
    row = without(recorded("evaluate"), "together", "look", "skipped_examples")
    row["methods"] = {
        name: without(each, "differences", BY_KIND, "leaks", "needed")
        for name, each in row["methods"].items()
    }
    found = Comparison.from_json(row)
    assert (found.kinds, found.fronts, lead_of(found, "mc1")) == ((), {}, None)
    assert found.difference("none", "mc1") == Interval.from_json(
        row["methods"]["none"]["difference"]["mc1"]
    )
    assert best_method(found, "dpo_per_triple") in found.methods
    assert "has the best mean DPO per triple" in read_comparison(found).headline


def test_the_newest_result_of_a_run_that_is_over_is_read_once(tmp_path):
    runs = PoolRuns("evaluate", Comparison.from_json, dict)
    row = recorded("evaluate")
    with Store.open(tmp_path) as store:
        pool = store.pools.create("kinds")

        class Workspace:
            pass

        Workspace.store = store
        assert runs.latest(Workspace, "kinds") is None
        first = store.runs.start("evaluate", pool.id, {})
        store.runs.save_result(first, row)
        assert runs.latest(Workspace, "kinds") is None, "it still runs"
        store.runs.set_state(first, "cancelled")
        found = runs.latest(Workspace, "kinds")
        assert found.to_json() == row
        assert found.finished == store.runs.get(first).updated <= datetime.now(UTC)
        store.runs.start("evaluate", pool.id, {})
        assert runs.latest(Workspace, "kinds") is found
        store.runs.save_result(first, row | {"examples": 4})
        assert runs.latest(Workspace, "kinds").examples == 4
