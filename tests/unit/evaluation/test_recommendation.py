"""The recommendation: its gain, measured on examples that did not choose it; how runs end."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.results.outcomes import Outcome, RequestResult
from core.evaluation.results.recommendation import FOLDS, fitted_margin, recommend
from core.evaluation.results.run_figures import End
from core.evaluation.runs.calibrate import LOOK_EVERY, CalibrationOptions, calibrate
from core.interval import Interval
from core.metrics.bounds.intervals import paired_interval
from core.metrics.bounds.sequential import FIRST_LOOK, Look, last_look
from core.metrics.scores import AnswerScores
from core.retrieval.knobs import BiasScale, Knobs
from core.watcher import NOBODY, Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel, ScriptedLanguageModel

DEFAULTS = Knobs()


def planned(n):
    """The one look at an end that was planned."""
    return Look(n, 0.04, fixed=True)


def scores(value):
    """An example of one triple whose `delta` is the value."""
    return AnswerScores([-9.0 + value], [-9.0], [-9.0], [-9.0])


def result(values, lambda_d=0.5, lambda_b=0.95, k=6):
    outcomes = tuple(Outcome((1,), 0, scores(value)) for value in values)
    return RequestResult(Knobs("rel+div+bias", k, lambda_d, lambda_b=lambda_b), outcomes)


def test_the_gain_is_measured_on_examples_that_did_not_choose():
    random = np.random.default_rng(5)
    values = random.normal(0.0, 1.0, (4, 23))
    cells = [result(row, lambda_d=at / 4) for at, row in enumerate(values[:3])]
    found = recommend(cells, result(values[3]), "delta", planned(23), 0.0)
    chosen_values = []
    for at in range(23):
        others = [i for i in range(23) if i % FOLDS != at % FOLDS]
        chosen = max(range(3), key=lambda row: sum(values[row][i] for i in others))
        chosen_values.append(values[chosen][at])
    wanted = paired_interval(np.array([chosen_values, values[3]]), np.ones(23), idle=0.0)
    assert found.best_value.mean == pytest.approx(np.mean(chosen_values))
    assert (found.gain.mean, found.gain.low, found.gain.high) == pytest.approx(
        (wanted.mean, wanted.low, wanted.high)
    )
    best = max(range(3), key=lambda row: values[row].sum())
    assert found.best == cells[best].request


def test_the_gain_without_leaks_is_that_of_the_same_choice():
    """The first cell is best only by its leaks, in every third example."""
    random = np.random.default_rng(7)
    values = random.normal(0.0, 1.0, (3, 60))
    values[0] = values[2] + 0.2
    clean, leaking = values.copy(), np.arange(60) % 3 == 0
    values[0, leaking] += 3.0
    clean[1] += 0.5
    values[1] = clean[1]
    cells = [
        RequestResult(
            Knobs("rel+div+bias", 6, at / 4, lambda_b=0.95),
            tuple(
                replace(
                    Outcome((1,), 0, scores(value)),
                    without_leaks=Outcome((2,), 0, scores(other)) if value != other else None,
                )
                for value, other in zip(values[at], clean[at], strict=True)
            ),
        )
        for at in range(2)
    ]
    found = recommend(cells, result(values[2]), "delta", planned(60), 0.0)
    assert found.best == cells[0].request
    advice = found.advice()
    wanted = paired_interval(np.array([clean[0], clean[2]]), np.ones(60), idle=0.0)
    assert advice.gain.mean == pytest.approx(1.2)
    found_without = advice.gain_without_leaks
    assert (found_without.low, found_without.high) == pytest.approx((wanted.low, wanted.high))
    assert advice.gain_without_leaks.mean == pytest.approx(0.2)
    assert advice.leakage_share == pytest.approx(1 - 0.2 / 1.2)
    assert advice.best_without_leaks.lambda_d == 0.25
    for gain, without, share in (
        (Interval(1.0, 0.5, 1.5), Interval(-0.5, -1.0, 0.0), 1.0),
        (Interval(1.0, 0.5, 1.5), Interval(2.0, 1.0, 3.0), 0.0),
        (Interval(1.0, -0.5, 2.5), Interval(0.5, 0.0, 1.0), None),
        (Interval(1.0, 0.5, 1.5), None, None),
        (Interval(1.0, None, None), Interval(0.5, None, None), None),
    ):
        assert replace(advice, gain=gain, gain_without_leaks=without).leakage_share == share


def test_the_luck_of_the_choice_is_no_gain():
    """Among cells of pure noise the best looks good on the examples that chose it."""
    random = np.random.default_rng(1)
    flattered, honest, clear = [], [], 0
    for _ in range(40):
        values = random.normal(0.0, 1.0, (9, 40))
        cells = [result(row, lambda_d=at / 8) for at, row in enumerate(values[:8])]
        found = recommend(cells, result(values[8]), "delta", planned(40), 0.0)
        flattered.append(values[:8].mean(axis=1).max() - values[8].mean())
        honest.append(found.gain.mean)
        clear += found.clear
    error = np.std(honest) / math.sqrt(40)
    assert abs(np.mean(honest)) < 3 * error
    assert np.mean(flattered) > 5 * error
    assert clear <= 5, "of 40, where 2 are allowed: three standard errors more"


def test_a_clear_gain_recommends_the_best_and_none_the_defaults():
    random = np.random.default_rng(0)
    base = random.normal(0.0, 1.0, 60)
    cells = [result(base, lambda_d=0.0), result(base + 0.5 + base / 50, lambda_d=0.25)]
    found = recommend(cells, result(base, lambda_d=0.75), "delta", planned(60), 0.05)
    assert found.clear
    assert found.behind == (True, False)
    assert found.settled
    assert (found.request.lambda_d, found.request.lambda_b) == (0.25, 0.95)
    assert found.gap == 0.0
    row = json.loads(json.dumps(found.advice().to_json(), allow_nan=False))
    assert (row["lambda_d"], row["lambda_b"], row["k"], row["clear"]) == (0.25, 0.95, 6, True)
    assert row["defaults"] == {"k": 6, "lambda_b": 0.95, "lambda_d": 0.75}
    assert row["gain"]["low"] <= row["gain"]["mean"] == pytest.approx(0.5, abs=0.05)
    same = recommend(cells[:1], result(base, lambda_d=0.75), "delta", planned(60), 0.05)
    assert (same.clear, same.gain.mean, same.needed) == (False, 0.0, 0)
    assert (same.request.lambda_d, same.request.lambda_b) == (0.75, 0.95)
    within = recommend(cells, result(base, lambda_d=0.75), "delta", planned(60), 0.6)
    assert within.gain.low > 0
    assert within.differences[0].low > 0, "beyond chance, but by less than the margin"
    assert within.behind == (False, False)
    assert not within.clear
    assert (within.request.lambda_d, within.request.lambda_b) == (0.75, 0.95)


def test_the_margin_fits_what_the_cells_and_the_contexts_change():
    assert fitted_margin(np.array([-0.3, -0.1]), -0.2) == pytest.approx(0.05 * 0.2)
    assert fitted_margin(np.array([-0.1, -0.1]), -0.7) == pytest.approx(0.02 * 0.6)
    assert fitted_margin(np.array([0.9, 0.9]), None) == pytest.approx(0.02), "of a share's range"


def test_a_watched_run_says_nothing_before_its_first_look():
    values = np.random.default_rng(0).normal(0, 0.1, 29)
    cells = [result(values), result(values + 5)]
    found = recommend(cells, result(values), "delta", last_look(29, planned=False), 0.05)
    assert (found.needed, found.clear, found.behind) == (FIRST_LOOK, False, (False, False))
    assert found.gain.low is None


def test_equals_are_settled_by_the_plainest():
    values = np.random.default_rng(0).normal(0, 1, 12)
    knobs = [(0.5, 0.9, 3), (1.0, 0.9, 3), (1.0, 0.95, 3), (1.0, 0.95, 2), (0.75, 1.0, 1)]
    cells = [result(values, *each) for each in knobs]
    assert recommend(cells, result(values), "delta", planned(12), 0.05).best == cells[3].request


@pytest.mark.parametrize("n", [1, 2 * FOLDS - 1])
def test_too_few_examples_measure_no_gain(n):
    values = np.linspace(0, 1, n)
    found = recommend(
        [result(values), result(values + 1)], result(values), "delta", planned(n), 0.05
    )
    assert found.gain.low is None
    assert not found.clear
    assert found.needed == found.advice().needed == 20
    assert (found.advice().gain.low, found.advice().gain.n) == (
        None,
        n,
    )
    assert (found.gap, found.advice().gap) == (math.inf, None)


def test_without_a_figure_there_is_no_recommendation():
    assert recommend([result([])], result([]), "delta", planned(0), 0.05) is None
    alone = Outcome((1,), 0, AnswerScores([-1.0], [], [-1.0], []))
    cell = RequestResult(Knobs(), (alone,))
    assert recommend([cell], cell, "dpo_per_triple", planned(1), 0.05) is None


def run(bench, *, watcher=NOBODY, **options):
    return calibrate(
        bench.store,
        bench.view(),
        bench.engine(),
        bench.examples(),
        bench.encoder,
        options=CalibrationOptions(**{"lambda_ds": (0.5,), "lambda_bs": (1.0,), **options}),
        watcher=watcher,
    )


@pytest.fixture
def plain(store, bench):
    """Forty-five queries; every demonstration in the prompt gains half a nat, whichever it is."""
    bench.pool = "plain"
    drafts = [
        Draft(f"query number {i} of {i * i}", "right", incorrect_answers(("wrong",)))
        for i in range(45)
    ]
    store.demonstrations.add(store.pools.create("plain").id, drafts)
    bench.model = ScriptedLanguageModel(
        {"right": -9.0, "wrong": -9.0}, {"right": 0.5, "wrong": 0.0}
    )
    return bench


def latest(bench):
    return bench.store.runs.latest("calibrate", bench.store.pools.get(bench.pool).id)[0]


def test_a_run_ends_early_once_it_is_settled_and_only_if_asked(plain):
    found = run(plain, ks=(2, 4), until_settled=True, margin=0.05)
    assert found.figures.end == "settled"
    assert found.recommendation.settled
    assert FIRST_LOOK <= found.figures.done < found.figures.total == 45
    assert found.figures.done % LOOK_EVERY == 0
    assert latest(plain).state == "finished"
    assert latest(plain).result["end"] == "settled"
    whole = run(plain, ks=(2, 4))
    assert (whole.figures.end, whole.figures.done) == ("all", 45)
    assert whole.examples[: found.figures.done] == found.examples
    later = run(plain, ks=(2, 4), until_settled=True, margin=0.0)
    assert later.figures.done >= found.figures.done


@pytest.mark.thorough
def test_the_paper_s_defaults_are_asked_as_well(plain):
    found = run(plain, ks=(2, 4))
    assert found.defaults.request == Knobs("rel+div+bias", 6, 0.75, lambda_b=1.0)
    assert [cell.k for cell in found.cells] == [2] * 3 + [4] * 3
    six = -math.log1p(math.exp(-0.5 * 6))
    assert found.defaults.metric("dpo_per_triple").mean == pytest.approx(six)
    four = -math.log1p(math.exp(-0.5 * 4))
    gain = found.recommendation.gain
    assert gain.mean == pytest.approx(four - six)
    assert gain.low < four - six < gain.high
    assert found.recommendation.request == found.defaults.request
    row = found.summary().to_json()["recommendation"]
    assert (row["k"], row["lambda_b"], row["lambda_d"]) == (6, 1.0, 0.75)
    more = run(plain, ks=(10,), margin=0.02).recommendation
    assert more.clear
    assert (more.request.k, more.request.lambda_d) == (10, 1.0)


def test_with_quality_scored_the_defaults_hold_the_paper_s_lambda_b(bench):
    assert run(bench).defaults.lambda_b == 1.0
    bench.score_quality()
    found = run(bench, knobs=Knobs(bias_scale=BiasScale.RANK))
    assert found.defaults.lambda_b == 0.95
    assert found.defaults.request.bias_scale is BiasScale.RAW
    assert found.figures.settings.defaults.lambda_b == 0.95


def test_a_stopped_run_keeps_its_result_and_is_gone_on_with(bench):
    partials = []
    watcher = Watcher(on_partial=partials.append, cancelled=lambda: len(partials) == 4)
    with pytest.raises(Cancelled):
        run(bench, watcher=watcher, seed=3)
    stopped = latest(bench)
    assert stopped.state == "cancelled"
    assert stopped.result == partials[-1].ended(End.STOPPED).summary().to_json()
    assert (stopped.result["examples"], stopped.result["total"]) == (4, 9)
    assert stopped.result["end"] == "stopped"
    found = run(bench, seed=3)
    assert found.examples[:4] == partials[-1].examples
    bench.model = FakeLanguageModel(fingerprint="fresh")
    fresh = run(bench, seed=3)
    assert partials[-1].figures.language_model_calls + found.figures.language_model_calls == (
        fresh.figures.language_model_calls
    )
    assert repr(fresh.cells[0].request) == repr(found.cells[0].request)


def test_a_run_stopped_before_its_first_example_has_no_result(bench):
    with pytest.raises(Cancelled):
        run(bench, watcher=Watcher(cancelled=lambda: True))
    assert (latest(bench).state, latest(bench).result) == ("cancelled", None)


def test_a_larger_limit_adds_to_the_examples_and_scores_only_those(bench):
    few = run(bench, limit=4, seed=6)
    more = run(bench, limit=7, seed=6)
    assert more.examples[:4] == few.examples
    bench.model = FakeLanguageModel(fingerprint="fresh")
    assert run(bench, limit=7, seed=6).figures.language_model_calls == (
        few.figures.language_model_calls + more.figures.language_model_calls
    )


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_a_margin_that_is_no_number_from_0_on_is_refused(bench, margin):
    with pytest.raises(InvalidInput, match=f"The margin is {margin}"):
        run(bench, margin=margin)
