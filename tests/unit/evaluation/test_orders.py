"""Orders of rows between models: Spearman against scipy, the interval by hand."""

import json
import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from core.demonstration.demonstration import EvaluationExample
from core.evaluation.results.orders import (
    RESAMPLES,
    OfOneModel,
    Orders,
    orders_among,
    rank_correlations,
)
from core.evaluation.results.outcomes import Outcome, RequestResult
from core.interval import Interval
from core.metrics.bounds.intervals import ROUNDING
from core.metrics.pairs import mid_ranks
from core.metrics.registry import METRICS
from core.metrics.scores import AnswerScores
from core.retrieval.knobs import Knobs

SETTINGS = {"none": Knobs("none"), "rel": Knobs("rel"), "mix": Knobs(lambda_d=0.5)}


def outcome(gain, loss=0.0):
    """One correct answer that gains so many nats, and an incorrect one."""
    return Outcome(
        (), 0, AnswerScores([gain - 5.0], [loss - 5.0], [-5.0], [-5.0], 0, correct_tokens=[1])
    )


def model(name, gains, settings=SETTINGS, queries=None):
    """`gains`: a row's name to what each example's correct answer gains."""
    n = len(next(iter(gains.values())))
    queries = [f"query {i}" for i in range(n)] if queries is None else queries
    rows = {
        row: RequestResult(settings[row.split()[0]], tuple(map(outcome, each)))
        for row, each in gains.items()
    }
    return OfOneModel(name, rows, [EvaluationExample(query, ("a",), ()) for query in queries])


values = st.lists(st.integers(-3, 3), min_size=3, max_size=8)


@given(
    st.integers(3, 8).flatmap(
        lambda m: st.tuples(*[st.lists(st.integers(-3, 3), min_size=m, max_size=m)] * 2)
    )
)
def test_the_rank_correlation_is_scipys(both):
    a, b = (np.array(each, dtype=float) for each in both)
    found = float(rank_correlations(a, b))
    if len(set(both[0])) == 1 or len(set(both[1])) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(float(spearmanr(a, b).statistic), abs=1e-12)


@given(values)
def test_equal_values_share_the_mean_of_their_ranks(given_values):
    numbers = np.array(given_values, dtype=float)
    wanted = rankdata(-numbers).tolist()
    assert mid_ranks(-numbers).tolist() == wanted
    nearly = numbers + 1e-12 * np.arange(len(numbers))
    assert mid_ranks(-nearly, ROUNDING).tolist() == wanted, "a difference by rounding is none"
    several = np.stack([numbers, numbers[::-1]])
    assert mid_ranks(-several).tolist() == [wanted, wanted[::-1]]


def test_fewer_than_three_rows_and_what_is_not_finite_have_no_correlation():
    pair = np.array([[1.0, 2.0]])
    assert np.isnan(rank_correlations(pair, pair)).all()
    three = np.array([1.0, 2.0, np.nan])
    assert math.isnan(rank_correlations(three, np.arange(3.0)))


@pytest.fixture
def gains():
    random = np.random.default_rng(3)
    base = np.array([0.0, 0.4, 0.2])
    return [
        {name: at + random.normal(0.0, 1.0, 40) for name, at in zip(SETTINGS, base, strict=True)}
        for _ in range(2)
    ]


def test_the_interval_is_that_of_examples_resampled_for_both_models(gains):
    found = orders_among([model("A", gains[0]), model("B", gains[1])])
    (order,) = found.of("gain_per_answer")
    a, b = (np.array(list(each.values())) for each in gains)
    wanted = spearmanr(a.mean(axis=1), b.mean(axis=1)).statistic
    drawn = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=RESAMPLES)
    resampled = [
        spearmanr((a * counts).sum(axis=1), (b * counts).sum(axis=1)).statistic for counts in drawn
    ]
    low, high = np.quantile(resampled, [0.025, 0.975])
    assert order.models == ("A", "B")
    ends = min(low, wanted), max(high, wanted)
    assert astuple(order.correlation) == pytest.approx((wanted, *ends, 40, 0))
    ranks = rankdata(-a.mean(axis=1)), rankdata(-b.mean(axis=1))
    assert [row.ranks for row in order.rows] == list(
        zip(*map(np.ndarray.tolist, ranks), strict=True)
    )


def test_the_same_model_twice_has_the_same_order_and_the_opposite_one_the_reverse(gains):
    opposite = {name: -each for name, each in gains[0].items()}
    for other, wanted in ((gains[0], 1.0), (opposite, -1.0)):
        (order,) = orders_among([model("A", gains[0]), model("B", other)]).of("gain_per_answer")
        found = order.correlation
        assert (found.mean, found.low, found.high) == (wanted, wanted, wanted)


def test_every_metric_that_says_what_is_better_is_ordered_and_no_other(gains):
    metrics = [order.metric for order in orders_among([model("A", g) for g in gains])]
    assert metrics == [
        name
        for name in METRICS
        if METRICS[name].higher_is_better is not None
        and name
        in ("dpo_per_triple", "dpo", "delta", "triple_accuracy")
        + ("mc1", "mc2", "mc3", "mc3_normalised")
        + ("gain_per_token", "gain_per_answer")
    ]
    (ratio,) = orders_among([model("A", g) for g in gains]).of("mc3")
    assert ratio.correlation.mean is not None
    assert ratio.correlation.low is None, "one example may decide its means"


def test_rows_match_by_their_setting_and_examples_by_their_query():
    first = model("A", {"none": [0.0, 0.0, 9.0], "rel": [1.0, 2.0, 9.0], "mix": [3.0, 1.5, 9.0]})
    second = model(
        "B",
        {"mix here": [5.0, 7.0], "none here": [0.0, 1.0], "rel here": [2.0, 8.0]},
        queries=["query 1", "query 0"],
    )
    (order,) = orders_among([first, second]).of("gain_per_answer")
    assert [row.names for row in order.rows] == [
        ("none", "none here"), ("rel", "rel here"), ("mix", "mix here"),
    ]  # fmt: skip
    # Means over queries 0 and 1: 0, 1.5, 2.25 and 0.5, 5, 6.
    assert [row.ranks for row in order.rows] == [(3.0, 3.0), (2.0, 2.0), (1.0, 1.0)]
    assert order.best == (("mix",), ("mix here",))
    assert order.correlation == Interval(1.0, None, None, 2, 20), "two examples in common"
    other = model("C", {"rel": [1.0], "mix": [2.0]}, queries=["query 2"])
    (order,) = orders_among([first, other]).of("gain_per_answer")
    assert (len(order.rows), order.correlation.mean) == (2, None)


def test_nothing_in_common_has_no_order(gains):
    alone = model("A", {"rel": gains[0]["rel"]})
    assert not orders_among([alone])
    assert not orders_among([alone, model("B", {"none": gains[0]["none"]})])
    elsewhere = model("B", {"rel": gains[0]["rel"]}, queries=[f"other {i}" for i in range(40)])
    assert not orders_among([alone, elsewhere])


def test_three_models_make_three_pairs_and_equal_settings_no_order(gains):
    flat = {name: np.zeros(40) for name in SETTINGS}
    found = orders_among([model("A", gains[0]), model("B", gains[1]), model("C", flat)])
    orders = found.of("gain_per_answer")
    assert [order.models for order in orders] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert orders[1].correlation == Interval(None, None, None, 40)
    assert [row.ranks[1] for row in orders[1].rows] == [2.0, 2.0, 2.0]
    assert orders[1].best[1] == tuple(SETTINGS)


def test_orders_are_written_and_read(gains):
    found = orders_among([model("A", gains[0]), model("B", gains[1])])
    assert Orders.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert not Orders.from_json([])
    changed = replace(found.each[0], metric="delta")
    assert Orders((changed,)).of("delta") == (changed,)
