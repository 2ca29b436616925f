"""PGRA's second stage against hand-worked cases and a plain computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.selection.task_states import Similarity, rerank

ALL3 = np.arange(3)


def test_dot_products_and_their_softmax():
    states = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    found = rerank(np.array([1.0, 0.0]), states, ALL3, 3, similarity="dot")
    assert found.indices.tolist() == [0, 1, 2]
    assert found.relevance.tolist() == [2.0, 1.0, 0.0]
    np.testing.assert_allclose(found.values, [0.6652, 0.2447, 0.0900], atol=5e-5)


def test_dot_prefers_length_and_cosine_direction():
    states = np.array([[1.0, 0.0], [3.0, 3.0]])
    query, both = np.array([1.0, 0.0]), np.arange(2)
    assert rerank(query, states, both, 1, similarity="dot").indices.tolist() == [1]
    assert rerank(query, states, both, 1).indices.tolist() == [0]


def test_centred_takes_the_pools_mean_away_and_not_the_candidates():
    states = np.array([[5.0, 1.0], [5.0, -1.0], [7.0, 0.0], [np.nan, np.nan]])
    query = np.array([6.0, 1.0])
    mean = states[:3].mean(axis=0)
    centred, towards = states[:2] - mean, query - mean
    cosines = centred @ towards / np.linalg.norm(centred, axis=1) / np.linalg.norm(towards)
    found = rerank(query, states, np.array([0, 1]), 2, similarity="centred")
    np.testing.assert_allclose(found.relevance, np.sort(cosines)[::-1], atol=1e-12)
    known = rerank(query, states, np.array([0, 1]), 2, similarity="centred", mean=mean)
    np.testing.assert_array_equal(known.relevance, found.relevance)


@pytest.mark.parametrize("similarity", Similarity)
def test_large_scores_do_not_overflow(similarity):
    states = np.array([[1e4, 0.0], [0.0, 1e4], [1e4, 1.0]], dtype=np.float32)
    found = rerank(np.array([1e4, 0.0], dtype=np.float32), states, ALL3, 3, similarity=similarity)
    assert np.isfinite(found.values).all()
    assert found.values.sum() == pytest.approx(1.0)


def test_a_row_of_zeros_is_like_nothing():
    found = rerank(np.array([0.0, 0.0]), np.eye(2), np.arange(2), 2)
    assert found.relevance.tolist() == [0.0, 0.0]
    assert found.values.tolist() == [0.5, 0.5]
    found = rerank(np.array([1.0, 0.0]), np.array([[0.0, 0.0], [-1.0, 0.0]]), np.arange(2), 2)
    assert found.relevance.tolist() == [0.0, -1.0]


@pytest.mark.parametrize("d", [0, 1, 3, 4])
def test_as_many_as_asked_and_there_are(d):
    found = rerank(np.ones(2), np.eye(3, 2), ALL3, d)
    assert len(found.indices) == min(d, 3)
    nothing = rerank(np.ones(2), np.empty((0, 2)), np.empty(0, dtype=np.int64), d)
    assert nothing.indices.tolist() == nothing.values.tolist() == []


@given(
    states=arrays(np.float32, (9, 5), elements=st.floats(-3, 3, width=32)),
    candidates=st.permutations(range(9)).map(lambda order: np.array(order[:6])),
    d=st.integers(0, 7),
    similarity=st.sampled_from(list(Similarity)),
)
def test_it_is_the_plain_computation(states, candidates, d, similarity):
    query = states[0] + 1
    rows, towards = states.astype(np.float64), query.astype(np.float64)
    if similarity == "centred":
        rows, towards = rows - rows.mean(axis=0), towards - states.mean(axis=0, dtype=np.float64)
    if similarity != "dot":
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        towards = towards / (np.linalg.norm(towards) or 1.0)
    scores = {int(i): float(rows[i] @ towards) for i in candidates}
    powers = {i: np.exp(score - max(scores.values())) for i, score in scores.items()}
    found = rerank(query, states, candidates, d, similarity=similarity)
    assert len(found.indices) == min(d, 6)
    np.testing.assert_allclose(
        found.relevance, sorted(scores.values(), reverse=True)[:d], atol=1e-6
    )
    for index, value in zip(found.indices.tolist(), found.values.tolist(), strict=True):
        assert value == pytest.approx(powers[index] / sum(powers.values()), abs=1e-6)


def test_equal_states_have_equal_bits_and_come_in_the_order_of_their_positions():
    generator = np.random.default_rng(0)
    states = np.repeat(generator.normal(size=(40, 37)), 5, axis=0).astype(np.float32)
    order = generator.permutation(200)
    found = rerank(generator.normal(size=37), states, order, 200)
    for start in range(0, 200, 5):
        group = found.indices[start : start + 5]
        assert group.tolist() == list(range(group[0], group[0] + 5))
        assert len(set(found.values[start : start + 5].tolist())) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query_state": np.ones(3)}, "shape"),
        ({"candidates": np.array([0, 0])}, "twice"),
        ({"candidates": np.array([3])}, "below 3"),
        ({"candidates": np.array([-1])}, "below 3"),
        ({"d": -1}, "0 or more"),
        ({"similarity": "near"}, "near"),
        ({"query_state": np.array([np.nan, 1.0])}, "not finite"),
        ({"states": np.array([[np.inf, 0.0], [0.0, 1.0], [1.0, 1.0]])}, "not finite"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    usual = {"query_state": np.ones(2), "states": np.ones((3, 2)), "candidates": ALL3, "d": 1}
    with pytest.raises(ValueError, match=message):
        rerank(**(usual | given))
