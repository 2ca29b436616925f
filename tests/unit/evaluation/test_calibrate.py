"""Calibration: every cell's figures, each distinct set scored once, the best cell."""

import json
import math

import numpy as np
import pytest

import core.evaluation.runs.running
from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.examples import sample
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs, PromptOrder
from core.watcher import NOBODY, Watcher
from tests.support.cells import cell_of
from tests.unit.evaluation.fake_language_model import FakeLanguageModel, ScriptedLanguageModel
from tests.unit.evaluation.value_at import value_at

THIRDS = {"lambda_ds": (0.25, 0.5, 0.75), "ks": (3,), "lambda_bs": (0.9,)}


def run(bench, *, watcher=NOBODY, examples=None, **options):
    return calibrate(
        bench.store,
        bench.view(),
        bench.engine(),
        bench.examples() if examples is None else examples,
        bench.encoder,
        options=CalibrationOptions(**options),
        watcher=watcher,
    )


@pytest.fixture
def scored(bench):
    bench.score_quality()
    return bench


def test_the_cells_are_all_combinations_and_hold_both_ends_of_lambda_d(scored):
    found = run(scored, lambda_ds=(0.5,), lambda_bs=(1.0, 0.5), ks=(2, 1))
    assert [(c.k, c.lambda_b, c.lambda_d) for c in found.cells] == [
        (k, lambda_b, lambda_d)
        for k in (1, 2)
        for lambda_b in (0.5, 1.0)
        for lambda_d in (0.0, 0.5, 1.0)
    ]
    assert len(CalibrationOptions().requests()) == 21
    lambda_ds = [request.lambda_d for request in CalibrationOptions().requests()]
    assert (lambda_ds[0], lambda_ds[-1]) == (0.0, 1.0)


def test_the_options_of_knobs_are_one_line_over_lambda_d():
    knobs = Knobs(k=2, lambda_d=0.3, lambda_b=0.8, seed=7, candidates=50)
    options = CalibrationOptions.of(knobs)
    assert options == CalibrationOptions(seed=7, ks=(2,), lambda_bs=(0.8,), knobs=knobs)
    requests = options.requests()
    assert {(each.k, each.lambda_b, each.candidates) for each in requests} == {(2, 0.8, 50)}
    assert len({each.lambda_d for each in requests}) == len(requests) == 21
    assert CalibrationOptions.of(Knobs()) == CalibrationOptions()


def test_every_cell_equals_evaluate_with_the_same_knobs(scored):
    found = run(scored, **THIRDS)
    calls = len(scored.model.asked)
    requests = {
        "rel+bias": Knobs("rel+bias", 3, lambda_b=0.9),
        **{
            f"{cell.lambda_d}": Knobs("rel+div+bias", 3, cell.lambda_d, lambda_b=0.9)
            for cell in found.cells
        },
    }
    evaluation = evaluate(
        scored.store,
        scored.view(),
        scored.engine(),
        scored.examples(),
        scored.encoder,
        requests,
        options=EvaluationOptions(),
    )
    assert len(scored.model.asked) == calls
    for cell in found.cells:
        same = evaluation.methods[f"{cell.lambda_d}"]
        assert [o.ids for o in cell.outcomes] == [o.ids for o in same.outcomes]
        assert repr(cell.metrics) == repr(same.metrics)
    only_relevance = cell_of(found, 1.0, 0.9, 3)
    assert repr(only_relevance.metrics) == repr(evaluation.methods["rel+bias"].metrics)


def test_cells_on_the_exact_line_are_what_the_method_itself_chooses(scored, monkeypatch):
    grid = tuple(i / 40 for i in range(41))
    asked = []

    def noted(view, query, vector, request, **left_out):
        asked.append(request)
        return choose_context(view, query, vector, request, **left_out)

    monkeypatch.setattr(core.evaluation.runs.running, "choose_context", noted)
    found = run(scored, lambda_ds=grid, ks=(3, 2), lambda_bs=(0.9,))
    on_line = {request.lambda_d for request in asked if request.k == 3}
    assert {0.0, 1.0} <= on_line, "at the ends contexts may tie"
    assert len(on_line) < 12
    assert {request.lambda_d for request in asked if request.k == 2} == set(grid)
    view = scored.view()
    vectors = scored.encoder.encode([example.query for example in found.examples])
    for cell in found.cells:
        for example, vector, outcome in zip(found.examples, vectors, cell.outcomes, strict=True):
            want = choose_context(view, example.query, vector, cell.request, leave_out=True)
            assert outcome.ids == tuple(want.ids.tolist()), cell.request


def test_distinct_sets_are_counted_and_scored_once(scored):
    found = run(scored, **THIRDS)
    asked = scored.model.asked
    assert len(asked) == len(set(asked))
    used = [[piece.value for piece in path] for path in found.paths]
    for cell in (*found.cells, found.defaults):
        for outcomes, outcome in zip(used, cell.outcomes, strict=True):
            outcomes.append(outcome)
    sets = {
        (example.query, frozenset(outcome.ids)): len(example.answers) + len(example.incorrect)
        for example, outcomes in zip(found.examples, used, strict=True)
        for outcome in outcomes
    }
    assert found.figures.distinct_sets == len(sets) < sum(map(len, used))
    in_context = [prompt for prompt, _ in asked if "\n\n" in prompt]
    assert len(in_context) == sum(sets.values())
    assert len(set(in_context)) == found.figures.distinct_sets
    again = run(scored, **THIRDS)
    assert again.figures.language_model_calls == 0
    assert again.figures.distinct_sets == found.figures.distinct_sets
    assert repr([c.metrics for c in again.cells]) == repr([c.metrics for c in found.cells])


def ends_in_a_piece(found, lambda_d):
    """Whether lambda_d is so near a breakpoint that rounding may put it on either side."""
    return any(abs(lambda_d - low) < 1e-6 for low in found.steps().lows[1:])


def test_the_steps_are_the_means_at_every_lambda_d(scored):
    """Against a run with a cell at each value of a fine grid, which knows nothing of pieces."""
    fine = tuple(at / 37 for at in range(1, 37))
    found = run(scored, **THIRDS)
    grid = run(scored, lambda_ds=fine, ks=(3,), lambda_bs=(0.9,))
    assert grid.figures.language_model_calls == 0, "the exact line holds every context of any grid"
    for metric in ("dpo_per_triple", "mc1", "diversity"):
        steps = found.steps(metric)
        assert steps.lows[0] == 0.0
        assert (np.diff(steps.lows) > 0).all()
        assert len(set(steps.values)) > 3
        for cell in grid.cells[1:]:
            if not ends_in_a_piece(found, cell.lambda_d):
                assert value_at(steps, cell.lambda_d) == pytest.approx(
                    cell.metric(metric).mean, abs=1e-9
                )


def test_the_steps_in_order_as_chosen_tell_sequences_apart(scored):
    as_chosen = {"knobs": Knobs(order=PromptOrder.AS_CHOSEN), "ks": (3,), "lambda_bs": (1.0,)}
    found = run(scored, lambda_ds=(), **as_chosen)
    sequences = {
        (example.query, piece.value.ids)
        for example, path in zip(found.examples, found.paths, strict=True)
        for piece in path
    }
    sets = {(query, frozenset(ids)) for query, ids in sequences}
    assert len(sets) < len(sequences) <= found.figures.distinct_sets
    middle = run(scored, lambda_ds=(0.37,), **as_chosen)
    assert middle.figures.language_model_calls == 0
    assert value_at(found.steps(), 0.37) == pytest.approx(
        middle.cells[1].metric("dpo_per_triple").mean
    )


def test_the_exact_line_is_the_first_k_and_the_first_lambda_b(scored):
    found = run(scored, lambda_ds=(0.5,), lambda_bs=(0.9, 0.5), ks=(3, 1))
    assert (found.line.k, found.line.lambda_b) == (3, 0.9)
    assert found.figures.settings.line == (3, 0.9)
    steps = found.summary().to_json()["steps"]
    assert (steps["k"], steps["lambda_b"]) == (3, 0.9)
    assert steps["dpo_per_triple"] == found.steps().values.tolist()
    at_one = cell_of(found, 1.0, 0.9, 3)
    assert steps["dpo_per_triple"][-1] == pytest.approx(at_one.metric("dpo_per_triple").mean)
    assert steps["diversity"][-1] == pytest.approx(at_one.metric("diversity").mean)
    assert len(steps["lambda_low"]) == len(steps["dpo_per_triple"]) == len(steps["diversity"])


def test_diversity_falls_towards_diversity_only(scored):
    found = run(scored, lambda_ds=(), lambda_bs=(1.0,), ks=(4,))
    diverse, relevant = found.cells
    assert (diverse.lambda_d, relevant.lambda_d) == (0.0, 1.0)
    assert diverse.metric("diversity").mean < relevant.metric("diversity").mean - 0.05
    difference = diverse.difference(relevant, "diversity")
    expected = diverse.metric("diversity").mean - relevant.metric("diversity").mean
    assert difference.mean == pytest.approx(expected, abs=1e-12)


def helped_by_demonstrations(store, bench, gain):
    """A pool on which the model gains from every demonstration, so that the largest k wins."""
    bench.pool = "helped"
    drafts = [Draft(f"query number {i}", "right", incorrect_answers(("wrong",))) for i in range(5)]
    store.demonstrations.add(store.pools.create("helped").id, drafts)
    bench.model = ScriptedLanguageModel(
        {"right": -9.0, "wrong": -9.0}, {"right": gain, "wrong": 0.0}
    )
    return bench


def test_the_best_cell_by_hand(store, bench):
    helped_by_demonstrations(store, bench, gain=0.5)
    found = run(bench, lambda_ds=(0.5,), lambda_bs=(1.0,), ks=(1, 2, 3))
    for cell in found.cells:
        expected = -math.log1p(math.exp(-0.5 * cell.k))
        assert cell.metric("dpo_per_triple").mean == pytest.approx(expected, abs=1e-12)
    best = found.best
    # All lambda_d are equal here: the plainest of the equals is relevance only.
    assert (best.k, best.lambda_d, best.lambda_b) == (3, 1.0, 1.0)
    assert found.summary().to_json()["best"]["dpo_per_triple"] == pytest.approx(-0.201413, abs=1e-6)


def test_the_smallest_k_is_the_best_when_demonstrations_hurt(store, bench):
    helped_by_demonstrations(store, bench, gain=-0.5)
    best = run(bench, lambda_ds=(0.5,), lambda_bs=(1.0,), ks=(1, 2, 3)).best
    assert (best.k, best.lambda_d) == (1, 1.0)


def test_a_pool_without_incorrect_answers_is_judged_by_its_correct_ones(store, bench):
    bench.pool = "correct"
    drafts = [Draft(f"query number {i}", "right") for i in range(4)]
    store.demonstrations.add(store.pools.create("correct").id, drafts)
    bench.model = ScriptedLanguageModel({"right": -9.0}, {"right": 1.0})
    found = run(bench, lambda_ds=(), lambda_bs=(1.0,), ks=(1, 2))
    assert found.metric == "dpo_correct_only"
    assert found.best.k == 2
    assert found.summary().to_json()["curve"][0]["dpo_per_triple"] is None
    assert found.summary().to_json()["best"]["dpo_correct_only"] == pytest.approx(
        -math.log1p(math.exp(-2.0)), abs=1e-12
    )
    by_triples = run(bench, lambda_ds=(), lambda_bs=(1.0,), ks=(1,), metric="dpo_per_triple")
    assert by_triples.best is None
    assert by_triples.summary().to_json()["best"] is None


def test_the_picture_sharpens_as_examples_arrive_in_random_order(scored):
    partials, progress = [], []
    watcher = Watcher(
        on_progress=lambda done, total: progress.append((done, total)),
        on_partial=partials.append,
    )
    found = run(scored, watcher=watcher, seed=2, **THIRDS)
    assert list(found.examples) == sample(scored.examples(), None, seed=2)
    assert progress == [(i, 9) for i in range(10)]
    assert [partial.figures.done for partial in partials] == list(range(1, 10))
    part = run(scored, seed=2, limit=3, **THIRDS)
    assert part.figures.language_model_calls == 0
    assert repr(part.cells[1].metrics) == repr(partials[2].cells[1].metrics)
    assert len(partials[2].cells) == len(found.cells) == 5


def test_the_summary_is_json_with_the_contracts_keys(scored):
    found = run(scored, **THIRDS)
    summary = json.loads(json.dumps(found.summary().to_json(), allow_nan=False))
    assert [row["lambda_d"] for row in summary["curve"]] == [0.0, 0.25, 0.5, 0.75, 1.0]
    for row in summary["curve"]:
        assert (row["dpo_low"], row["dpo_high"]) == (None, None), "nine are too few"
        assert row["behind"] is False
        assert -1.0 <= row["diversity"] <= 1.0
    top = max(row["dpo_per_triple"] for row in summary["curve"])
    assert summary["best"]["dpo_per_triple"] == top
    assert summary["recommendation"]["needed"] == 20
    assert summary["language_model_calls"] == found.figures.language_model_calls
    recorded = scored.store.runs.get(found.figures.run)
    assert (recorded.kind, recorded.state) == ("calibrate", "finished")
    assert recorded.result == found.summary().to_json()
    assert recorded.settings["cells"][1]["lambda_d"] == 0.25


def test_cancelling_and_going_on_scores_nothing_twice(scored):
    partials = []
    watcher = Watcher(on_partial=partials.append, cancelled=lambda: len(partials) == 4)
    with pytest.raises(Cancelled):
        run(scored, watcher=watcher, **THIRDS)
    pool_id = scored.store.pools.get("small").id
    assert [r.state for r in scored.store.runs.latest("calibrate", pool_id)] == ["cancelled"]
    found = run(scored, **THIRDS)
    assert len(scored.model.asked) == len(set(scored.model.asked))
    uninterrupted = partials[-1].figures.language_model_calls + found.figures.language_model_calls
    scored.model = FakeLanguageModel(fingerprint="fresh")
    scored.score_quality()
    fresh = run(scored, **THIRDS)
    assert fresh.figures.language_model_calls == uninterrupted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lambda_ds": (0.5, 1.5)}, "lambda_d is 1.5"),
        ({"lambda_ds": (math.nan,)}, "lambda_d is nan"),
        ({"lambda_bs": (-0.1,)}, "lambda_b is -0.1"),
        ({"ks": (-1,)}, "k is -1"),
        ({"ks": ()}, "No k to calibrate over"),
        ({"lambda_bs": ()}, "No lambda_b to calibrate over"),
        ({"metric": "bleu"}, "Cells cannot be ranked by 'bleu'"),
        ({"metric": "diversity"}, "Cells cannot be ranked by 'diversity'"),
        ({"metric": "f1"}, "Cells cannot be ranked by 'f1'"),  # nothing is generated
        ({"examples": []}, "has no queries"),
    ],
)
def test_mistakes_are_refused_before_a_run_is_recorded(scored, change, message):
    with pytest.raises(InvalidInput, match=message):
        run(scored, **change)
    assert scored.store.runs.latest("calibrate", scored.store.pools.get("small").id) == []


def test_bias_needs_the_quality_and_none_without_it(bench):
    with pytest.raises(InvalidInput, match="have no quality bias yet"):
        run(bench, lambda_bs=(0.95,))
    assert run(bench, lambda_ds=(), lambda_bs=(1.0,), ks=(2,)).figures.done == 9
