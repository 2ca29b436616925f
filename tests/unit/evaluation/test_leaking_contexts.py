"""Contexts that give an answer away under another query: counted, distinguished, and left out."""

from dataclasses import replace

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.evaluation.results.outcomes import Outcome
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.runs.tally import recorded_contexts
from core.metrics.preference import dpo_per_triple
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.text import normalised
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

TOWNS = ("Oslo", "Bergen", "Molde", "Hamar", "Narvik", "Moss", "Skien", "Larvik")
PLACES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa")
PAIRS = [
    *((f"Which town has the {PLACES[i]} letter?", town) for i, town in enumerate(TOWNS)),
    # Half of the towns again under another query, in another spelling ...
    *(
        (f"Name the town with the {PLACES[i]} letter", f" {town.upper()}\u200b")
        for i, town in enumerate(TOWNS[:4])
    ),
    # ... and an answer of so many queries that it is a label.
    *((f"Is {town} a town?", "Yes, it is") for town in TOWNS),
]  # fmt: skip


@pytest.fixture
def leaky(store, bench):
    bench.pool = "leaky"
    drafts = [Draft(query, answer, incorrect_answers(("Rome", "No"))) for query, answer in PAIRS]
    store.demonstrations.add(store.pools.create("leaky").id, drafts)
    bench.score_quality()
    return bench


def compared(bench, **options):
    requests = {
        name: Knobs(name, 6)
        for name, method in METHODS.items()
        if not method.reads and name != "neighbours"  # which needs an earlier run
    }
    return evaluate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder, requests,
        options=EvaluationOptions(**options),
    )  # fmt: skip


def calibrated(bench, **options):
    return calibrate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder,
        options=CalibrationOptions(
            ks=(6, 1), lambda_bs=(0.9, 1.0), lambda_ds=(0.5, 0.75), **options
        ),
    )  # fmt: skip


def pairs_of(bench):
    return {d.id: (d.query, normalised(d.answer)) for d in bench.demonstrations()}


def leaking(pairs, example, outcome):
    """By brute force: ids in the context with a correct answer of the example, labels aside."""
    answers = {normalised(answer) for answer in example.answers} - {"yes, it is"}
    own = normalised(example.query)
    return tuple(
        id for id in outcome.ids if pairs[id][1] in answers and normalised(pairs[id][0]) != own
    )


def test_every_methods_leaks_are_counted_and_dpo_told_apart(leaky):
    found, all_pairs = compared(leaky), pairs_of(leaky)
    summary, total = found.summary().to_json(), 0
    for name, result in found.methods.items():
        pairs = list(zip(found.examples, result.outcomes, strict=True))
        for example, outcome in pairs:
            assert outcome.leaking == leaking(all_pairs, example, outcome)
        there = [o.scores for _, o in pairs if o.leaking]
        elsewhere = [o.scores for _, o in pairs if not o.leaking]
        row = summary["methods"][name]["leaks"]
        assert (row["contexts"], row["examples"]) == (len(there), 20)
        for figure, scores in (
            (row["dpo_per_triple"], there), (row["dpo_per_triple_elsewhere"], elsewhere),
        ):  # fmt: skip
            assert figure == (pytest.approx(dpo_per_triple(scores), abs=1e-12) if scores else None)
        total += len(there)
    assert total > 5
    assert summary["methods"]["none"]["leaks"]["contexts"] == 0
    assert summary["settings"]["leave_out"] == "same normalised query"
    rows = [row for row in leaky.store.runs.rows(found.figures.run) if "rel" in row["requests"]]
    assert [Outcome.from_json(row).leaking for row in rows] == [
        outcome.leaking for outcome in found.methods["rel"].outcomes
    ]


def test_left_out_they_are_never_chosen_and_everything_else_may_be(leaky):
    whole, found = compared(leaky), compared(leaky, leave_out_leaks=True)
    all_pairs = pairs_of(leaky)
    for name, result in found.methods.items():
        assert result.leaks.contexts == 0
        for example, outcome, before in zip(
            found.examples, result.outcomes, whole.methods[name].outcomes, strict=True
        ):
            assert leaking(all_pairs, example, outcome) == ()
            if name not in ("none", "fix"):
                assert len(outcome.ids) == 6  # another takes its place
            # What chooses by all its candidates together may choose otherwise among others.
            by_candidates = METHODS[name].candidates > 0
            if not before.leaking and name != "random" and not by_candidates:
                assert outcome.ids == before.ids
    settings = found.summary().to_json()["settings"]
    assert settings["leave_out_leaks"] is True
    assert settings["leave_out"] == (
        "same normalised query, much the same query, or a correct answer of the example under "
        "another one"
    )
    assert found.summary().to_json()["methods"]["rel"]["leaks"]["dpo_per_triple"] is None


def test_a_context_that_leaks_is_scored_without_its_leaks_too(leaky):
    whole, found = compared(leaky), compared(leaky, leave_out_leaks=True)
    for name, result in whole.methods.items():
        for with_leaks, without in zip(result.outcomes, found.methods[name].outcomes, strict=True):
            assert (with_leaks.without_leaks is None) == (not with_leaks.leaking)
            if with_leaks.leaking and name != "random":
                assert with_leaks.without_leaks.ids == without.ids
                assert with_leaks.without_leaks.scores.correct == pytest.approx(
                    without.scores.correct
                )
    rows = whole.summary().to_json()["methods"]
    assert "leakage" not in rows["none"]
    assert whole.methods["none"].without_leaks is None
    for name in ("rel", "rel+div", "rel+div+bias", "bm25"):
        leakage = whole.summary().methods[name].leakage
        means = [each.methods[name].metric(whole.headline).mean for each in (whole, found)]
        assert leakage.mean == pytest.approx(means[0] - means[1])
        ours, theirs = whole.methods[name], found.methods[name]
        assert leakage == ours.difference(theirs, whole.headline)
        assert rows[name]["leakage"]["mean"] == leakage.mean
    assert all(each.leakage is None for each in found.summary().methods.values())
    again = type(whole.summary()).from_json(whole.summary().to_json())
    assert again.methods["rel"].leakage == whole.summary().methods["rel"].leakage


@pytest.mark.thorough
def test_the_rows_of_a_run_name_what_was_chosen_without_leaks(leaky):
    found = compared(leaky)
    contexts = recorded_contexts(leaky.store, found.figures.run)
    of_rel = {row.query: row.outcome for row in contexts if "rel" in row.without_leaks}
    wanted = {
        example.query: outcome.without_leaks
        for example, outcome in zip(found.examples, found.methods["rel"].outcomes, strict=True)
        if outcome.leaking
    }
    assert {query: each.ids for query, each in of_rel.items()} == {
        query: each.ids for query, each in wanted.items()
    }
    assert len(of_rel) > 3
    assert sum("rel" in row.requests for row in contexts) == len(found.examples)


def test_calibration_measures_how_much_of_its_gain_is_leakage(leaky):
    found, without = calibrated(leaky), calibrated(leaky, leave_out_leaks=True)
    for cell, other in zip(found.cells, without.cells, strict=True):
        ids = [(each.without_leaks or each).ids for each in cell.outcomes]
        assert ids == [each.ids for each in other.outcomes]
    advice = found.summary().advice
    assert advice.best_without_leaks is not None
    best = max(without.cells, key=lambda each: (each.metric(found.metric).mean, each.lambda_d))
    assert advice.best_without_leaks.lambda_d == best.lambda_d
    assert without.summary().advice.gain_without_leaks is None
    again = type(advice).from_json(advice.to_json())
    assert (again.gain_without_leaks, again.best_without_leaks) == (
        advice.gain_without_leaks,
        advice.best_without_leaks,
    )


@pytest.mark.thorough
def test_every_cells_leaks_are_counted_and_the_line_with_them(leaky):
    found, all_pairs = calibrated(leaky), pairs_of(leaky)
    summary, anywhere = found.summary().to_json(), set()
    for cell, row in zip(found.cells, summary["curve"], strict=True):
        leaked = {
            example.query
            for example, outcome in zip(found.examples, cell.outcomes, strict=True)
            if leaking(all_pairs, example, outcome)
        }
        assert (row["leaks"]["contexts"], row["leaks"]["examples"]) == (len(leaked), 20)
        anywhere |= leaked
    for example, path in zip(found.examples, found.paths, strict=True):
        for piece in path:
            assert piece.value.leaking == leaking(all_pairs, example, piece.value)
            anywhere |= {example.query} if piece.value.leaking else set()
    assert summary["leaks"] == {"examples": 20, "contexts": len(anywhere)}
    assert 4 < len(anywhere) <= 8
    without = calibrated(leaky, leave_out_leaks=True).summary().to_json()
    assert without["leaks"] == {"examples": 20, "contexts": 0}
    assert {row["leaks"]["contexts"] for row in without["curve"]} == {0}


def test_what_the_window_has_no_room_for_does_not_leak(leaky):
    leaky.model = FakeLanguageModel(window=18, fingerprint="narrow")
    requests = {"rel": Knobs("rel", 6)}
    found = evaluate(
        leaky.store, leaky.view(), leaky.engine(), leaky.examples(), leaky.encoder, requests
    )
    assert found.methods["rel"].shortened > 0
    all_pairs = pairs_of(leaky)
    for example, outcome in zip(found.examples, found.methods["rel"].outcomes, strict=True):
        assert outcome.leaking == leaking(all_pairs, example, outcome)


def test_a_row_names_what_leaks(leaky):
    outcome = compared(leaky, limit=1).methods["rel"].outcomes[0]
    row = replace(outcome, leaking=(3,)).to_json()
    assert Outcome.from_json(row).leaking == (3,)
