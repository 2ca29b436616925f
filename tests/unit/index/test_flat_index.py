"""The quality column: one exact index answers every lambda_b."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index import INDEXES


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_worked_by_hand():
    rows = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    index = INDEXES["flat"].build(rows, np.array([-4.0, -1.0, -2.0]))
    query = np.array([1.0, 0.0])

    # relevance 1, 0, 0.6; at one half: -1.5, -0.5, -0.7
    assert index.search(query, 3, lambda_b=1.0)[0].tolist() == [0, 2, 1]
    indices, values = index.search(query, 3, lambda_b=0.5)
    assert indices.tolist() == [1, 2, 0]
    np.testing.assert_allclose(values, [-0.5, -0.7, -1.5], atol=1e-6)
    indices, values = index.search(query, 3, lambda_b=0.0)
    assert indices.tolist() == [1, 2, 0]
    assert values.tolist() == [-1.0, -2.0, -4.0]


@given(st.integers(1, 200), st.integers(0, 210), st.floats(0, 1), st.integers(0, 10_000))
def test_values_equal_brute_force(n, c, lambda_b, seed):
    rng = np.random.default_rng(seed)
    rows = unit(rng.standard_normal((n, 8)))
    rows = rows[rng.integers(0, n, n)]  # doubles
    bias = rng.choice([-1.0, -2.0, -3.5], n)
    query = unit(rng.standard_normal((1, 8)))[0]
    expected = lambda_b * (rows.astype(np.float64) @ query) + (1 - lambda_b) * bias

    indices, values = INDEXES["flat"].build(rows, bias).search(query, c, lambda_b=lambda_b)

    np.testing.assert_allclose(values, expected[indices], atol=1e-5)
    np.testing.assert_allclose(values, np.sort(expected)[::-1][: min(c, n)], atol=1e-5)
    assert len(set(indices.tolist())) == min(c, n)


@given(st.integers(2, 400), st.integers(1, 400), st.integers(1, 5), st.integers(0, 10_000))
def test_ties_at_the_border_go_to_the_lowest_index(n, c, levels, seed):
    # Values that float32 represents exactly, so that equal means equal.
    bias = np.random.default_rng(seed).integers(-levels, 0, n).astype(np.float64)
    index = INDEXES["flat"].build(np.tile([1.0, 0.0], (n, 1)), bias)
    expected = sorted(range(n), key=lambda i: (-bias[i], i))[:c]
    assert index.search(np.array([0.0, 1.0]), c, lambda_b=0.5)[0].tolist() == expected


def test_without_bias_only_relevance_is_answered():
    index = INDEXES["flat"].build(np.eye(3))
    assert not index.biased
    assert index.search(np.eye(3)[1], 1, lambda_b=1.0)[0].tolist() == [1]
    with pytest.raises(ValueError, match="quality bias"):
        index.search(np.eye(3)[1], 1, lambda_b=0.5)
