"""Rows of a comparison against each other: wins in every metric, and sums against answers."""

import json
import math
from dataclasses import astuple, replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from core.evaluation.results.comparison import Comparison
from core.evaluation.results.outcomes import Outcome, RequestResult
from core.evaluation.results.pairs import (
    SumAndAnswers,
    SumDifferences,
    comparable,
    same_embeddings,
    sums_and_answers,
    wins_by_pair,
)
from core.evaluation.results.run_figures import RecordedRequest
from core.evaluation.runs.evaluate import EvaluationOptions, MethodFamily, evaluate
from core.interval import UNDEFINED, Interval
from core.metrics import METRICS, AnswerScores, Wins, wins
from core.metrics.bounds.sequential import FIRST_LOOK, alpha_for_every_look, last_look
from core.retrieval.knobs import Knobs
from core.settings import Embed
from tests.unit.reporting.summaries import comparison, method

REQUEST = RecordedRequest(method="rel", k=2, lambda_d=0.75, lambda_b=0.95, seed=0, bias_scale="raw")


def row(deltas, sums, incorrect=True):
    """A row whose examples have one answer each, which gains so much, and these cosines."""
    scores = [
        AnswerScores([gain - 5.0], [-5.0] * incorrect, [-5.0], [-5.0] * incorrect, cos_sum=cosine)
        for gain, cosine in zip(deltas, sums, strict=True)
    ]
    return RequestResult(Knobs("rel", 2), tuple(Outcome((1,), 0, each) for each in scores))


def test_wins_by_hand():
    results = {
        "a": row([1.0, 1.0, -1.0], [0.5, 0.6, math.nan]),
        "b": row([0.0, 1.0, 1.0], [0.4, 0.6, 0.9]),
    }
    found = wins_by_pair(results, dict.fromkeys(results, REQUEST))
    assert list(found) == [("a", "b")]
    of_sums, of_delta = found["a", "b"]["cos_sum"], found["a", "b"]["delta"]
    assert of_sums == Wins(1, 1, 0, pytest.approx(0.1), 0.0)
    assert of_delta == Wins(1, 1, 1, 1.0, 2.0)
    assert "diversity" not in found["a", "b"], "no example has it"
    assert "dpo_correct_only" not in found["a", "b"]


def test_embeddings_that_differ_cannot_be_compared_by_their_cosines():
    joined, plain = replace(REQUEST, embed=Embed.QUERY_AND_ANSWER), REQUEST
    assert same_embeddings(REQUEST, REQUEST)
    assert same_embeddings(plain, plain)
    assert not same_embeddings(joined, plain)
    names = {metric for metric in METRICS if not comparable(joined, plain, metric)}
    assert names == {"diversity", "cos_sum"}
    results = {"a": row([1.0, 2.0], [0.5, 0.6]), "b": row([0.0, 3.0], [0.4, 0.7])}
    apart = {"a": joined, "b": plain}
    found = wins_by_pair(results, apart)["a", "b"]
    assert "cos_sum" not in found
    assert found["delta"] == Wins(1, 0, 1, 1.0, 1.0)
    assert sums_and_answers(results, apart, ["b"], "dpo_per_triple") == {"a": {}, "b": {}}


def test_differences_between_embeddings_are_undefined_where_they_are_measured_of_them():
    by_query, by_both = row([1.0, 2.0], [0.5, 0.6]), row([0.0, 3.0], [0.4, 0.7])
    results, look = {"a": by_query, "b": by_both, "c": by_query}, last_look(2, planned=True)
    joined = replace(REQUEST, embed=Embed.QUERY_AND_ANSWER)
    requests = {"a": REQUEST, "b": joined, "c": REQUEST}
    sums = MethodFamily.of(results, requests, "cos_sum", look)
    assert sums.difference("a", "b").mean is None
    assert sums.difference("a", "c").mean == 0.0
    assert MethodFamily.of(results, requests, "delta", look).difference("a", "b").mean == 0.0


def test_sums_against_answers_is_the_rank_correlation_of_the_differences():
    generator = np.random.default_rng(3)
    mine, theirs = generator.random((2, 40)), generator.random((2, 40))
    mine[1] += mine[0]
    mine[1, 0], theirs[1, 1] = math.nan, math.nan
    results = {"a": row(mine[0], mine[1]), "b": row(theirs[0], theirs[1])}
    found = sums_and_answers(results, dict.fromkeys(results, REQUEST), ["b"], "dpo_per_triple")
    answers = [
        -math.log1p(math.exp(-one)) + math.log1p(math.exp(-other))
        for one, other in zip(mine[0], theirs[0], strict=True)
    ]
    wanted = stats.spearmanr((mine[1] - theirs[1])[2:], answers[2:]).statistic
    assert list(found["b"]) == []
    assert found["a"]["b"].metric == "dpo_per_triple"
    rho = found["a"]["b"].rho
    assert (rho.mean, rho.n) == (pytest.approx(wanted), 38)
    assert rho.low < rho.mean < rho.high
    watched = SumDifferences.of(results["a"], results["b"], "dpo_per_triple")
    wide = watched.correlation(every_look=True).rho
    assert wide.mean == rho.mean
    assert (wide.low < rho.low, wide.high > rho.high) == (True, True)


def test_before_the_first_look_of_a_watched_run_a_correlation_has_no_interval():
    generator = np.random.default_rng(0)
    a, b = (row(*generator.random((2, FIRST_LOOK - 1))) for _ in range(2))
    apart = SumDifferences.of(a, b, "dpo_per_triple")
    assert apart.correlation().rho.low is not None
    rho = apart.correlation(every_look=True).rho
    assert (rho.low, rho.high, rho.needed) == (None, None, FIRST_LOOK)
    assert rho.mean == apart.correlation().rho.mean


def test_where_nothing_differs_there_is_no_correlation():
    same = row([1.0] * 30, [0.5] * 30)
    rho = SumDifferences.of(same, same, "dpo_per_triple").correlation().rho
    assert (rho.mean, rho.low, rho.n) == (None, None, 30)


ROWS = {"none": Knobs("none", 2), "rel": Knobs("rel", 2), "mix": Knobs("rel+div", 2, lambda_d=0.2)}


def scored(bench, requests=ROWS, **options):
    return evaluate(
        bench.store,
        bench.view(),
        bench.engine(),
        bench.examples(),
        bench.encoder,
        requests,
        options=EvaluationOptions(**options),
    )


def test_a_summary_counts_every_two_rows_in_every_metric(bench):
    found = scored(bench, references=("rel", "mix"))
    summary = found.summary()
    assert list(summary.pairs) == list(combinations(ROWS, 2))
    for one, other in combinations(ROWS, 2):
        for metric in METRICS:
            values = []
            for name in (one, other):
                scores = [[outcome.scores] for outcome in found.methods[name].outcomes]
                values.append(
                    [
                        float(above[0] / below[0]) if below[0] else math.nan
                        for above, below in (
                            (METRICS[metric].numerators(each), METRICS[metric].denominators(each))
                            for each in scores
                        )
                    ]
                )
            wanted = wins(*values)
            assert summary.wins(one, metric, other) == (wanted if wanted.n else None), metric
            swapped = summary.wins(other, metric, one)
            assert swapped == (wanted.swapped if wanted.n else None)
    assert summary.wins("mix", "cos_sum") == summary.pairs["rel", "mix"]["cos_sum"].swapped
    assert summary.wins("none", "cos_sum") is None, "nothing is chosen"
    assert {name: list(each.sums) for name, each in summary.methods.items()} == {
        "none": ["rel", "mix"],
        "rel": ["mix"],
        "mix": ["rel"],
    }
    there, back = summary.methods["mix"].sums["rel"], summary.methods["rel"].sums["mix"]
    assert there == back, "both differences change their sign"
    assert summary.methods["none"].sums["rel"].rho.mean is None


def test_where_k_is_the_whole_pool_every_method_has_the_same_sum(bench):
    rows = {name: Knobs(name, 999, lambda_d=0.3) for name in ("rel", "rel+div", "vrsd")}
    summary = scored(bench, rows).summary()
    for pair in combinations(rows, 2):
        found = summary.pairs[pair]["cos_sum"]
        assert (found.wins, found.ties, found.losses) == (0, 9, 0)
        assert max(abs(found.max_diff), abs(found.max_diff_reverse)) < 1e-6


def test_one_row_has_no_other(bench):
    summary = scored(bench, {"rel": Knobs("rel", 2)}).summary()
    assert summary.pairs == {}
    assert "pairs" not in summary.to_json()
    assert summary.win_share("rel", "cos_sum") == UNDEFINED


def test_the_json_document_has_both_and_is_read_again(bench):
    summary = scored(bench, references=("rel",)).summary()
    document = json.loads(json.dumps(summary.to_json(), allow_nan=False))
    assert [(each["row"], each["other"]) for each in document["pairs"]] == list(summary.pairs)
    found, wanted = document["pairs"][2]["metrics"]["cos_sum"], summary.pairs["rel", "mix"]
    counted = wanted["cos_sum"]
    low, high = stats.binomtest(counted.wins, counted.n).proportion_ci(0.95, "exact")
    assert found == {
        "wins": counted.wins,
        "ties": counted.ties,
        "losses": counted.losses,
        "n": 9,
        "interval": [pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4)],
        "max_diff": counted.max_diff,
        "max_diff_reverse": counted.max_diff_reverse,
    }
    assert counted.wins + counted.ties + counted.losses == 9
    sums = document["methods"]["mix"]["sum_against_answers"]["rel"]
    assert sums["metric"] == "dpo_per_triple"
    assert (sums["n"], sums["low"], sums["needed"]) == (8, None, 20), "one has nothing incorrect"
    assert Comparison.from_json(document) == summary


def watched(examples):
    given = comparison(none=method("none", -0.7), rel=method("rel", -0.6, lead=0.1))
    pairs = {("none", "rel"): {"delta": Wins(4, 1, examples - 5, 0.5, 0.25)}}
    return replace(given, pairs=pairs, examples=examples)


def test_a_share_of_wins_holds_at_every_look_where_a_run_is_watched():
    given = watched(40)
    found = given.win_share("rel", "delta")
    wanted = stats.binomtest(35, 40).proportion_ci(1 - alpha_for_every_look(40), "exact")
    assert astuple(found) == pytest.approx((0.875, wanted.low, wanted.high, 40, 0))
    fixed = replace(given, look=last_look(40, ended=True)).win_share("rel", "delta")
    plain = stats.binomtest(35, 40).proportion_ci(0.95, "exact")
    assert (fixed.low, fixed.high) == pytest.approx((plain.low, plain.high))
    few = watched(FIRST_LOOK - 1).win_share("rel", "delta")
    assert (few.mean, few.low, few.needed) == (pytest.approx(24 / 29), None, FIRST_LOOK)


def test_a_correlation_is_written_and_read():
    for rho in (Interval(0.31, 0.05, 0.53, 40), Interval(None, None, None, 3, 20)):
        found = SumAndAnswers("dpo_per_triple", rho)
        assert SumAndAnswers.from_json(json.loads(json.dumps(found.to_json()))) == found
