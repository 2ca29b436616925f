"""Wins, ties and losses of two rows, and the largest difference both ways."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.metrics import Wins, wins
from core.metrics.pairs import LEVEL, differences, own_values, wins_of_pairs

NUMBERS = st.one_of(
    st.floats(-3, 3, allow_nan=False).map(lambda value: round(value, 2)), st.just(math.nan)
)
TWO = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12)


def test_by_hand_with_a_tie_and_two_that_are_undefined():
    ours = [0.9, 0.5, 0.7, 0.2, math.nan, 0.4]
    theirs = [0.8, 0.5 + 1e-9, 0.9, 0.1, 0.3, math.nan]
    found = wins(ours, theirs)
    assert (found.wins, found.ties, found.losses, found.n) == (2, 1, 1, 4)
    assert found.win_rate == 0.5
    assert found.max_diff == pytest.approx(0.1)
    assert found.max_diff_reverse == pytest.approx(0.2)
    assert wins(theirs, ours) == found.swapped
    assert (found.swapped.wins, found.swapped.losses) == (1, 2)


def test_a_row_that_is_always_below_has_a_negative_largest_difference():
    found = wins([0.1, math.nan], [0.4, 0.0])
    assert (found.wins, found.losses) == (0, 1)
    assert found.max_diff == pytest.approx(-0.3)
    assert found.max_diff_reverse == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("apart", "counted"),
    [(2 * LEVEL, (1, 0, 0)), (0.5 * LEVEL, (0, 1, 0)), (-2 * LEVEL, (0, 0, 1))],
)
def test_the_level_of_a_tie(apart, counted):
    found = wins([apart], [0.0])
    assert (found.wins, found.ties, found.losses) == counted


def test_equal_rows_tie_everywhere_and_differ_by_nothing():
    found = wins([0.1, -0.2, 0.3], [0.1, -0.2, 0.3])
    assert found == Wins(0, 3, 0, 0.0, 0.0)
    assert math.copysign(1, found.max_diff_reverse) == 1, "no minus zero"


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_without_an_example_nothing_is_known(values):
    found = wins(values, values)
    assert found == Wins(0, 0, 0, None, None)
    assert (found.n, math.isnan(found.win_rate)) == (0, True)
    assert [math.isnan(end) for end in found.interval()] == [True, True]


def test_an_infinite_difference_counts_and_has_no_size():
    """The ratio of probabilities is unbounded; two infinite ones are equal."""
    assert wins([math.inf, 1.0], [2.0, 3.0]) == Wins(1, 0, 1, None, 2.0)
    assert wins([math.inf], [math.inf]) == Wins(0, 1, 0, 0.0, 0.0)


def test_rows_need_the_same_examples():
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(1,\)"):
        wins([0.1, 0.2], [0.1])
    with pytest.raises(ValueError, match=r"shapes \(\) and \(\)"):
        differences(0.1, 0.2)


@pytest.mark.parametrize(("won", "n"), [(0, 9), (9, 9), (46, 50), (1, 1), (300, 800)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_interval_of_the_share_is_that_of_clopper_and_pearson(won, n, alpha):
    found = Wins(won, 0, n - won, 1.0, 1.0).interval(alpha)
    wanted = stats.binomtest(won, n).proportion_ci(1 - alpha, "exact")
    assert found == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@given(TWO)
def test_the_laws(two):
    ours, theirs = [one for one, _ in two], [other for _, other in two]
    found, swapped = wins(ours, theirs), wins(theirs, ours)
    assert swapped == found.swapped
    assert found.n == sum(not math.isnan(a - b) for a, b in two)
    if found.n:
        assert found.win_rate + swapped.win_rate + found.ties / found.n == pytest.approx(1)
        assert found.max_diff >= -found.max_diff_reverse
        low, high = found.interval()
        assert 0 <= low <= found.win_rate <= high <= 1
        known = [a - b for a, b in two if not math.isnan(a - b)]
        assert found.wins == sum(apart >= LEVEL for apart in known)
        assert found.losses == sum(apart <= -LEVEL for apart in known)
        assert found.max_diff == pytest.approx(max(known), abs=LEVEL)
        assert found.max_diff_reverse == pytest.approx(max(-apart for apart in known), abs=LEVEL)


@given(st.integers(0, 5), st.integers(0, 6), st.integers(0, 99))
def test_all_pairs_at_once_are_each_pair_alone(rows, examples, seed):
    generator = np.random.default_rng(seed)
    values = generator.integers(-2, 3, (rows, examples)).astype(float)
    values[generator.random((rows, examples)) < 0.2] = np.nan
    found = wins_of_pairs(values)
    assert found == {
        (a, b): wins(values[a], values[b]) for a in range(rows) for b in range(a + 1, rows)
    }


def test_an_examples_own_number_is_the_ratio_where_it_is_defined():
    own = own_values([-3.0, 0.0, 2.0], [6.0, 0.0, 1.0])
    np.testing.assert_array_equal(own, [-0.5, np.nan, 2.0])
    assert own_values([], []).shape == (0,)
