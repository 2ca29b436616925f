"""Figures over several seeds: each query counts once, with its mean over the seeds."""

import math

import numpy as np
import pytest

from core.interval import Interval
from core.metrics.bounds.intervals import mean_interval
from core.metrics.bounds.quantiles import clopper_pearson
from core.metrics.scores import AnswerScores
from studies.over_seeds import Against, Queries

QUERIES = Queries(("a", "b", "a", "c", "b", "a"))


def test_a_query_that_several_seeds_hold_out_counts_once():
    values = np.array([1.0, 2.0, 4.0, 8.0, math.nan, 1.0])
    assert QUERIES.means(values).tolist() == [2.0, 2.0, 8.0]
    assert QUERIES.mean(values) == pytest.approx(4.0)
    assert QUERIES.mean(np.full(6, math.nan)) is None
    undefined = np.where(np.arange(6) == 3, math.nan, values)
    np.testing.assert_array_equal(QUERIES.means(undefined), [2.0, 2.0, math.nan])


def test_the_interval_of_a_share_is_exact_and_leaves_out_what_is_undefined():
    values = np.array([1.0, 0.0, 1.0, math.nan, 0.0, 1.0])  # a always, b never, c nowhere
    assert QUERIES.share(values) == Interval(
        0.5, clopper_pearson(1, 2, 0.05)[0], clopper_pearson(1, 2, 0.05)[1], 2
    )
    assert QUERIES.share(np.full(6, math.nan)) == Interval(None, None, None)


def test_without_repeats_the_estimate_is_that_of_the_queries():
    values = np.random.default_rng(0).uniform(0.4, 0.8, size=30)
    queries = Queries(tuple(map(str, range(30))))
    assert queries.estimate(values) == mean_interval(values)


def test_every_seed_twice_gives_the_interval_of_once():
    values = np.random.default_rng(1).uniform(0.4, 0.8, size=30)
    names = tuple(map(str, range(30)))
    once = Queries(names).estimate(values)
    twice = Queries(names * 2).estimate(np.tile(values, 2))
    assert (twice.n, twice.low) == (30, pytest.approx(once.low))


def test_one_method_against_another():
    ours = np.array([0.9, 0.5, 0.7, 0.6, 0.5, 0.8])
    theirs = np.array([0.8, 0.5, 0.9, 0.9, 0.5, 0.7])
    found = Against.of(ours, theirs, QUERIES)
    # a wins twice of three and loses once, b ties twice, c loses.
    assert found.win.mean == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert found.ties == pytest.approx(1 / 3)
    assert found.losses == pytest.approx((1 / 3 + 0 + 1) / 3)
    assert found.max_diff == pytest.approx(0.1)
    assert found.max_diff_reverse == pytest.approx(0.3)
    assert found.gap.mean == pytest.approx(((0.1 - 0.2 + 0.1) / 3 + 0 - 0.3) / 3)


def test_wins_on_every_query_have_an_exact_interval():
    queries = Queries(tuple(map(str, range(14))))
    found = Against.of(np.full(14, 0.7), np.full(14, 0.6), queries)
    low, high = clopper_pearson(14, 14, 0.05)
    assert (found.win.low, found.win.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.win.mean, found.win.n) == (1.0, 14)


def test_a_share_between_whole_numbers_of_queries_has_the_wider_ends():
    # 20 queries of two seeds: 17 are won twice, one once, two never.
    queries = Queries(tuple(map(str, range(20))) * 2)
    first, second = np.r_[np.ones(18), -np.ones(2)], np.r_[np.ones(17), -np.ones(3)]
    found = Against.of(np.r_[first, second], np.zeros(40), queries).win
    assert (found.mean, found.n) == (17.5 / 20, 20)
    assert found.low == clopper_pearson(17, 20, 0.05)[0]
    assert found.high == clopper_pearson(18, 20, 0.05)[1]


def scores(correct, incorrect):
    return AnswerScores(
        np.array([correct]), np.array([incorrect]), np.array([-2.0]), np.array([-2.0])
    )


def test_a_metric_leaves_out_what_no_model_could_be_asked():
    right, wrong = scores(-1.0, -3.0), scores(-3.0, -1.0)
    found = QUERIES.metric("mc1", [right, wrong, wrong, None, wrong, right])
    assert (found.mean, found.n) == (pytest.approx((2 / 3 + 0) / 2), 2)
    dpo = QUERIES.metric("dpo_per_triple", [right, None, wrong, None, None, None])
    assert dpo.mean == pytest.approx((-math.log1p(math.exp(-2)) - math.log1p(math.exp(2))) / 2)
    assert QUERIES.metric("mc1", [None] * 6).mean is None
