"""Spearman's rank correlation against scipy and by hand, and how often its interval covers."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.metrics import rank_correlation
from core.metrics.pairs import mid_ranks

WITH_TIES = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=40)


def test_by_hand():
    # Ranks 1, 2, 3, 4 against 2, 1, 4, 3: 1 - 6 * 4 / (4 * 15).
    found = rank_correlation([0.1, 0.2, 0.3, 9.0], [5, 4, 7, 6])
    assert found.mean == pytest.approx(0.6)
    assert (found.n, found.needed) == (4, 20)
    assert (found.low, found.high) == (None, None)


def test_mid_ranks_by_hand():
    np.testing.assert_array_equal(mid_ranks([5, 1, 5, 5, 0]), [4, 2, 4, 4, 1])
    assert mid_ranks([]).shape == (0,)
    assert mid_ranks([7]).tolist() == [1.0]
    assert mid_ranks([np.inf, 3, -np.inf, np.inf]).tolist() == [3.5, 2.0, 1.0, 3.5]
    assert mid_ranks([0.0, 0.3, 1.0], within=0.5).tolist() == [1.5, 1.5, 3.0]
    assert mid_ranks([[2, 1], [1, 1]]).tolist() == [[2.0, 1.0], [1.5, 1.5]]


@given(WITH_TIES)
def test_it_is_scipys_with_ties_and_what_is_undefined_left_out(pairs):
    x, y = map(np.array, zip(*pairs, strict=True))
    np.testing.assert_array_equal(mid_ranks(x), stats.rankdata(x))
    found = rank_correlation(np.r_[x, np.nan, 1.0], np.r_[y, 2.0, np.nan])
    assert found.n == len(x)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.mean is None
    else:
        assert found.mean == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert -1 <= found.mean <= 1 + 1e-12


@given(WITH_TIES, st.integers(0, 9))
def test_it_knows_neither_which_comes_first_nor_the_scale_and_turns_with_the_sign(pairs, seed):
    x, y = (np.array(each, dtype=float) for each in zip(*pairs, strict=True))
    found = rank_correlation(x, y)

    def ends(interval):
        return [math.nan if end is None else end for end in astuple(interval)[:3]]

    mixed = np.random.default_rng(seed).permutation(len(x))
    same = (rank_correlation(y, x), rank_correlation(x**3, y), rank_correlation(x[mixed], y[mixed]))
    for other in same:
        assert ends(other) == pytest.approx(ends(found), nan_ok=True)
    mean, low, high = ends(found)
    assert ends(rank_correlation(-x, y)) == pytest.approx([-mean, -high, -low], nan_ok=True)


@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1.0], [2.0]), ([1.0] * 30, list(range(30))), ([math.nan] * 3, [1.0, 2.0, 3.0])],
)
def test_it_is_undefined_without_two_orders(x, y):
    found = rank_correlation(x, y)
    assert (found.mean, found.low, found.high) == (None, None, None)


def test_a_perfect_order_has_no_interval_and_neither_has_one_that_hangs_on_an_example():
    x = np.arange(30.0)
    for y, rho in ((x**3, 1.0), (-x, -1.0)):
        found = rank_correlation(x, y)
        assert found.mean == pytest.approx(rho)
        assert (found.low is None, found.high is None, found.needed) == (True, True, 0)
    one = np.zeros(30)
    one[[0, 20]] = 1.0  # without either there is still an order
    assert rank_correlation(x, one).low is not None
    one[0] = 0.0
    found = rank_correlation(x, one)
    assert found.mean == pytest.approx(stats.spearmanr(x, one).statistic)
    assert found.low is None


def jackknifed(x, y, alpha=0.05):
    """By leaving out one example after the other."""
    n = len(x)
    left_out = [stats.spearmanr(np.delete(x, i), np.delete(y, i)).statistic for i in range(n)]
    scaled = np.arctanh(left_out)
    error = math.sqrt((n - 1) / n * ((scaled - scaled.mean()) ** 2).sum())
    middle = math.atanh(stats.spearmanr(x, y).statistic)
    reach = stats.t.ppf(1 - alpha / 2, n - 1) * error
    return math.tanh(middle - reach), math.tanh(middle + reach)


@pytest.mark.parametrize("alpha", [0.05, 0.005])
@pytest.mark.parametrize("n", [20, 45])
def test_the_interval_is_that_of_leaving_out_each_example_in_turn(n, alpha):
    generator = np.random.default_rng(n)
    x = generator.integers(-3, 4, n).astype(float)
    y = np.where(x == 0, 0.0, x + 3 * generator.standard_normal(n))
    found = rank_correlation(x, y, alpha)
    assert (found.low, found.high) == pytest.approx(jackknifed(x, y, alpha), abs=2e-4)
    assert found.low < found.mean < found.high


def test_many_examples_are_compared_in_parts():
    generator = np.random.default_rng(0)
    x = generator.standard_normal(1500).round(1)
    y = x + generator.standard_normal(1500)
    found = rank_correlation(x, y)
    wanted = stats.spearmanr(x, y).statistic
    assert found.mean == pytest.approx(wanted)
    # Without many ties Fisher's variance is close: Bonett and Wright 2000.
    reach = 1.96 * math.sqrt((1 + wanted**2 / 2) / 1497)
    assert found.low == pytest.approx(math.tanh(math.atanh(wanted) - reach), abs=0.01)
    assert found.high == pytest.approx(math.tanh(math.atanh(wanted) + reach), abs=0.01)


def covered(samples, n, rho, ties):
    """How often the interval contains the truth, where so many differences tie at 0."""
    generator = np.random.default_rng(1)

    def drawn(n):
        x = generator.standard_normal(n)
        y = rho * x + math.sqrt(1 - rho**2) * generator.standard_normal(n)
        tied = generator.random(n) < ties
        return np.where(tied, 0.0, x + 0.8), np.where(tied, 0.0, y + 0.2)

    truth = stats.spearmanr(*drawn(200_000)).statistic
    found = [rank_correlation(*drawn(n)) for _ in range(samples)]
    return np.mean([each.low is not None and each.low <= truth <= each.high for each in found])


def test_the_interval_covers_among_many_ties():
    assert covered(200, 30, 0.4, 0.6) >= 0.93


@pytest.mark.thorough
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("rho", [0.0, 0.7])
@pytest.mark.parametrize("ties", [0.0, 0.3, 0.6])
def test_the_interval_covers(n, rho, ties):
    assert covered(1000, n, rho, ties) >= 0.93


def test_two_numbers_need_the_same_examples():
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(1,\)"):
        rank_correlation([0.1, 0.2], [0.1])
