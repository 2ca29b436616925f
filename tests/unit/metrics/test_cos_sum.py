import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import cos_sum
from core.metrics.cos_sum import cos_sum_from

QUERY = [1.0, 0.0]


def test_by_hand():
    # (0.8, 0.6) and (0.6, -0.8) sum to (1.4, -0.2), of length sqrt(2).
    assert cos_sum([[0.8, 0.6], [0.6, -0.8]], QUERY) == pytest.approx(1.4 / math.sqrt(2))
    assert cos_sum([[0.8, 0.6]], QUERY) == pytest.approx(0.8)
    assert cos_sum_from([0.8, 0.6], [[0.8, 0.6], [0.6, -0.8]]) == pytest.approx(0.98994949)


def test_its_ends():
    assert cos_sum([[0.6, 0.8], [0.6, -0.8]], QUERY) == 1
    assert cos_sum([[0.0, 1.0], [0.0, 1.0]], QUERY) == 0
    assert cos_sum([[-1.0, 0.0]] * 3, QUERY) == -1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_vanishes_has_a_cosine_of_zero(dtype):
    turn = 2 * np.pi / 3 * np.arange(3)
    star = np.column_stack([np.cos(turn), np.sin(turn)]).astype(dtype)
    assert cos_sum(star, QUERY) == 0
    assert cos_sum([[1.0, 0.0], [-1.0, 0.0]], QUERY) == 0


def test_an_empty_context_has_none():
    assert math.isnan(cos_sum(np.empty((0, 2)), QUERY))
    assert math.isnan(cos_sum_from([], np.empty((0, 2))))


@given(st.integers(0, 1000), st.integers(1, 9))
def test_equals_the_cosine_of_the_sum_in_any_order_and_for_any_length_of_the_query(seed, k):
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((k, 7))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    query = generator.standard_normal(7)
    total = sum(rows)
    expected = np.dot(total, query) / (np.linalg.norm(total) * np.linalg.norm(query))
    assert cos_sum(rows, query) == pytest.approx(expected, abs=1e-9)
    assert cos_sum(rows[::-1], 1e3 * query) == pytest.approx(expected, abs=1e-9)
    relevance = rows @ query / np.linalg.norm(query)
    assert cos_sum_from(relevance, rows) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("rows", "query", "message"),
    [
        ([1.0, 0.0], QUERY, "embeddings"),
        ([[1.0, np.nan]], QUERY, "embeddings"),
        ([[1.0, 0.0]], [1.0, 0.0, 0.0], "query of shape"),
        ([[1.0, 0.0]], [1.0, np.inf], "query of shape"),
        ([[1.0, 0.0]], [0.0, 0.0], "zero vector"),
    ],
)
def test_what_cannot_be_meant_is_refused(rows, query, message):
    with pytest.raises(ValueError, match=message):
        cos_sum(rows, query)


@pytest.mark.parametrize("relevance", [[0.5, 0.5], [np.nan], [[0.5]]])
def test_a_relevance_that_cannot_be_meant_is_refused(relevance):
    with pytest.raises(ValueError, match="relevance of shape"):
        cos_sum_from(relevance, [[1.0, 0.0]])
