"""A first look: a few values of lambda_d for the first examples, before the whole line."""

import pytest

import core.evaluation.runs.running
from core.errors import Cancelled
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.watcher import NOBODY, Watcher
from tests.support.cells import cell_of

EIGHTHS = tuple(each / 8 for each in range(9))


@pytest.fixture
def run(bench, monkeypatch):
    """Calibrates the small pool; a first look takes its first three examples."""
    monkeypatch.setattr(core.evaluation.runs.running, "FIRST_LOOK", 3)
    bench.score_quality()

    def calibrated(*, first_look, watcher=NOBODY):
        return calibrate(
            bench.store,
            bench.view(),
            bench.engine(),
            bench.examples(),
            bench.encoder,
            options=CalibrationOptions(
                lambda_ds=EIGHTHS, lambda_bs=(0.9, 0.5), ks=(3, 2), first_look=first_look
            ),
            watcher=watcher,
        )

    return calibrated


def test_it_asks_the_lines_quarters_and_no_later_picture_is_of_fewer_examples(run):
    seen = []
    whole = run(first_look=True, watcher=Watcher(on_partial=seen.append))
    early = [each for each in seen if each.first_look]
    assert [each.figures.done for each in early] == [1, 2, 3]
    assert {each.figures.total for each in early} == {whole.figures.total}
    for each in early:
        assert [(c.k, c.lambda_b, c.lambda_d) for c in each.cells] == [
            (3, 0.9, quarter / 4) for quarter in range(5)
        ]
        assert each.summary().to_json()["steps"] is None
    assert [each.figures.done for each in seen[3:]] == [*range(3, whole.figures.total + 1)]
    assert not any(each.first_look for each in seen[3:])
    assert early[-1].examples == seen[3].examples
    for cell in early[-1].cells:
        same = cell_of(seen[3], cell.lambda_d, cell.lambda_b, cell.k)
        assert repr(cell.metric(whole.metric)) == repr(same.metric(whole.metric))
        assert repr(cell.difference(early[-1].defaults, whole.metric)) == repr(
            same.difference(seen[3].defaults, whole.metric)
        )


def test_the_result_is_the_same_as_without_and_nothing_is_scored_twice(run, bench):
    found = run(first_look=True)
    asked = list(bench.model.asked)
    assert len(asked) == len(set(asked))
    assert found.figures.language_model_calls == len(set(asked)) - len(bench.demonstrations())
    again = run(first_look=False)
    assert bench.model.asked == asked
    mine, others = found.summary().to_json(), again.summary().to_json()
    for row in (mine, others):
        del row["run"], row["language_model_calls"]
    assert mine == others


def test_stopped_within_it_the_run_keeps_what_was_seen(run, bench):
    seen = []

    def cancelled():
        return len(seen) == 2

    with pytest.raises(Cancelled):
        run(first_look=True, watcher=Watcher(on_partial=seen.append, cancelled=cancelled))
    (kept,) = bench.store.runs.latest("calibrate", bench.store.pools.get("small").id)
    assert (kept.state, kept.result["end"]) == ("cancelled", "stopped")
    assert kept.result["examples"] == 2
    assert kept.result["curve"] == seen[-1].summary().to_json()["curve"]
