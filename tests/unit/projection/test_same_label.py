"""Shares of neighbours with the same label, against brute force and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from core.projection.same_label import chance_shares, same_label_shares


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def spread_out(n, labels=3, seed=0):
    rng = np.random.default_rng(seed)
    return unit(rng.standard_normal((n, 8))), rng.integers(0, labels, n), np.arange(n)


def by_sorting(rows, labels, groups, k):
    """The nearest of other groups one row after the other; nothing ties."""
    cosines = rows.astype(np.float64) @ rows.T.astype(np.float64)
    for row in range(len(rows)):
        others = [i for i in np.argsort(-cosines[row]) if groups[i] != groups[row]][:k]
        yield float(np.mean(labels[others] == labels[row])) if others else float("nan")


@pytest.mark.parametrize("k", [1, 10, 59, 60, 100])
def test_equal_a_sort_of_all_cosines(k):
    rows, labels, groups = spread_out(60)
    groups = groups // 3  # three answers a query
    shares = same_label_shares(rows, labels, groups, k)
    np.testing.assert_allclose(shares, list(by_sorting(rows, labels, groups, k)), atol=1e-12)


def test_equal_scikit_learns_neighbours_also_over_several_blocks():
    rows, labels, groups = spread_out(3000, seed=4)
    done = []
    # The row itself is its own nearest.
    found = NearestNeighbors(n_neighbors=11, metric="cosine").fit(rows).kneighbors(rows)[1][:, 1:]
    expected = (labels[found] == labels[:, np.newaxis]).mean(axis=1)
    shares = same_label_shares(rows, labels, groups, after_block=done.append)
    # Two cosines that differ in the seventh digit alone are equal here, and not there.
    assert np.isclose(shares, expected, rtol=0.0, atol=1e-12).mean() > 0.999
    assert len(done) > 1
    assert (done, done[-1]) == (sorted(set(done)), 3000)


def test_rows_that_are_one_hot_of_their_label_have_only_its_neighbours():
    labels = np.random.default_rng(1).integers(0, 3, 90)
    shares = same_label_shares(np.eye(3, dtype=np.float32)[labels], labels, np.arange(90))
    assert shares.tolist() == [1.0] * 90


def test_rows_that_are_one_hot_of_the_other_label_have_none_of_their_own():
    labels = np.repeat([0, 1], 20)
    # The two of a query have one row and different labels; no others are near.
    rows = np.eye(20, dtype=np.float32)[np.r_[np.arange(20), np.arange(20)]]
    shares = same_label_shares(rows, labels, np.arange(40), 1)
    assert shares.tolist() == [0.0] * 40


def test_two_of_three_neighbours_by_hand():
    angles = np.radians([0, 10, 20, 30, 180])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    labels, groups = np.array([0, 0, 1, 0, 0]), np.arange(5)
    shares = same_label_shares(rows, labels, groups, 3, chosen=np.array([0, 2]))
    np.testing.assert_allclose(shares, [2 / 3, 0.0])
    # Without the answers of its own query, the first one's nearest are 20, 30 and 180 degrees away.
    shares = same_label_shares(rows, labels, np.array([0, 0, 2, 3, 4]), 3, chosen=np.array([0]))
    np.testing.assert_allclose(shares, [2 / 3])


def test_where_all_rows_are_equal_the_shares_are_those_of_chance():
    labels, groups = np.sort(np.random.default_rng(2).integers(0, 4, 50)), np.arange(50) // 2
    row = unit(np.random.default_rng(3).standard_normal((1, 64)))
    rows = np.repeat(row, 50, axis=0) * (1 + np.linspace(0, 1e-7, 50))[:, np.newaxis]
    shares = same_label_shares(rows, labels, groups, 10)
    np.testing.assert_allclose(shares, chance_shares(labels, groups), atol=1e-12)


def test_chance_by_hand():
    labels, groups = np.array([7, 7, 9, 7]), np.array([0, 0, 1, 2])
    np.testing.assert_allclose(chance_shares(labels, groups), [1 / 2, 1 / 2, 0.0, 2 / 3])


@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 99))
def test_with_all_others_as_neighbours_it_is_chance_and_the_order_of_rows_means_nothing(
    n, labels, seed
):
    rows, of_row, groups = spread_out(n, labels, seed)
    groups = groups // 2
    expected = chance_shares(of_row, groups)
    np.testing.assert_allclose(same_label_shares(rows, of_row, groups, n), expected, atol=1e-12)
    order = np.random.default_rng(seed).permutation(n)
    shares = same_label_shares(rows, of_row, groups, 3)
    moved = same_label_shares(rows[order], of_row[order], groups[order], 3)
    np.testing.assert_allclose(moved, shares[order], atol=1e-12)


def test_a_row_without_others_has_no_share():
    one = np.array([[1.0, 0.0]]), np.array([0]), np.array([0])
    assert np.isnan(same_label_shares(*one)).tolist() == [True]
    assert np.isnan(chance_shares(*one[1:])).tolist() == [True]
    none = np.empty((0, 2)), np.empty(0, dtype=int), np.empty(0, dtype=int)
    assert same_label_shares(*none).shape == chance_shares(*none[1:]).shape == (0,)


@pytest.mark.parametrize(("labels", "k"), [(3, 5), (4, 0)])
def test_what_does_not_fit_together_is_refused(labels, k):
    with pytest.raises(ValueError, match="must be"):
        same_label_shares(np.eye(4), np.arange(labels), np.arange(4), k)
