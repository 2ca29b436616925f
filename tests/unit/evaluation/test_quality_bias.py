"""Quality bias: mean log-probability a token without context, once for each text."""

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status
from core.errors import Cancelled
from core.evaluation.scoring.quality_bias import QualityReport, score_quality
from core.language_model import AnswerRequest
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.store import Change
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel, ScriptedLanguageModel


def test_it_is_the_answers_mean_log_prob_a_token_after_its_query_alone(bench):
    assert bench.score_quality() == QualityReport(scored=15, reused=0)
    view = bench.view()
    model = FakeLanguageModel()
    expected = []
    for query, answer in zip(view.queries, view.answers, strict=True):
        tokens = model.log_prob(f"Q: {query}\nA:", f" {answer}").tokens
        expected.append(sum(tokens) / len(tokens))
    np.testing.assert_allclose(view.quality_bias, expected, rtol=0, atol=1e-12)
    assert bench.score_quality() == QualityReport(scored=0, reused=15)


def test_by_hand(store, bench):
    alone = {"two words": -3.0, "three words here": -6.0}
    bench.model = ScriptedLanguageModel(alone, gain=dict.fromkeys(alone, 1.0))
    bench.pool = "hand"
    store.demonstrations.add(
        store.pools.create("hand").id, [Draft("Q", "two words"), Draft("Q", "three words here")]
    )
    assert bench.score_quality() == QualityReport(scored=2, reused=0)
    assert bench.view().quality_bias.tolist() == [-1.5, -2.0]


def test_only_what_is_new_is_scored(bench):
    bench.score_quality()
    before = len(bench.model.asked)
    pool_id = bench.store.pools.get("small").id
    bench.store.demonstrations.add(pool_id, [Draft("Is water wet?", "A new answer")])
    assert bench.score_quality() == QualityReport(scored=1, reused=15)
    assert bench.model.asked[before:] == [("Q: Is water wet?\nA:", " A new answer")]
    assert not np.isnan(bench.view().quality_bias).any()


def test_evaluation_shares_the_log_probs(bench):
    bench.score_quality()
    asked = len(bench.model.asked)
    bench.engine().log_probs([AnswerRequest("Q: Where is the moon?\nA:", (" In the sky",))])
    assert len(bench.model.asked) == asked


def test_a_stopped_run_goes_on_where_it_stopped(store, bench):
    pool = store.pools.create("large")
    store.demonstrations.add(pool.id, [Draft(f"query {i}", f"answer {i}") for i in range(200)])
    progress = []
    with pytest.raises(Cancelled):
        score_quality(
            store,
            pool.id,
            bench.engine(),
            watcher=Watcher(
                on_progress=lambda done, total: progress.append((done, total)),
                cancelled=lambda: bool(progress),
            ),
        )
    assert progress == [(8, 200)]
    assert store.log_probs.count("fake model") == 8
    assert score_quality(store, pool.id, bench.engine()) == QualityReport(200, 0)
    assert len(bench.model.asked) == len(set(bench.model.asked)) == 200


def test_progress_counts_all_of_the_pool_to_its_end(store, bench):
    pool = store.pools.create("large")
    store.demonstrations.add(pool.id, [Draft(f"query {i}", f"answer {i}") for i in range(130)])
    seen = []
    score_quality(
        store, pool.id, bench.engine(), watcher=Watcher(on_progress=lambda *at: seen.append(at))
    )
    assert seen == sorted(set(seen))
    assert {(64, 130), (128, 130), (130, 130)} <= set(seen)
    assert seen[-1] == (130, 130)


def test_what_does_not_fit_the_window_is_named_once_and_never_chosen_by_bias(bench):
    bench.model = FakeLanguageModel(window=10)
    too_long = {
        d.id for d in bench.demonstrations() if len(f"Q: {d.query} A: {d.answer}".split()) > 10
    }
    assert too_long
    report = bench.score_quality()
    assert set(report.too_long) == too_long
    assert report.scored == 15 - len(too_long)
    view = bench.view()
    assert {int(i) for i in view.ids[np.isneginf(view.quality_bias)]} == too_long
    assert view.unscored == 0
    assert bench.score_quality() == QualityReport(scored=0, reused=15)
    vector = bench.encoder.encode(["Is water wet?"])[0]
    for lambda_d in (0.5, 1.0):
        request = Knobs("rel+div+bias", len(view), lambda_d, lambda_b=0.9)
        context = choose_context(view, "Is water wet?", vector, request, leave_out=False)
        assert set(context.ids.tolist()) == set(view.ids.tolist()) - too_long


def test_an_answer_without_tokens_is_named_and_the_others_are_scored(bench):
    pool_id = bench.store.pools.get("small").id
    bench.model = FakeLanguageModel(unknown=("}",))
    (odd,) = bench.store.demonstrations.add(pool_id, [Draft("Which bracket?", "}")]).ids
    assert bench.score_quality() == QualityReport(scored=15, reused=0, without_tokens=(odd,))
    view = bench.view()
    assert view.ids[view.unscorable].tolist() == [odd]
    assert view.unscored == 0
    vector = bench.encoder.encode(["Which bracket?"])[0]
    biased = Knobs("rel+div+bias", len(view), 0.5, lambda_b=0.9)
    context = choose_context(view, "Which bracket?", vector, biased, leave_out=False)
    assert set(context.ids.tolist()) == set(view.ids.tolist()) - {odd}


def test_excluded_demonstrations_are_not_scored(bench):
    first = bench.demonstrations()[0]
    bench.store.demonstrations.change(
        [Change(first.id, first.revision, status=Status.EXCLUDED)], what="exclude"
    )
    assert bench.score_quality() == QualityReport(scored=14, reused=0)


def test_an_empty_pool_has_nothing_to_score(store, bench):
    pool = store.pools.create("empty")
    assert score_quality(store, pool.id, bench.engine()) == QualityReport(0, 0)
