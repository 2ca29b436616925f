"""A query's point, worked by hand."""

import numpy as np
import pytest

from core.projection import place, place_all, umap_projection

EMBEDDINGS = np.array([[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0], [0, 0, -1]], np.float32)
POINTS = np.array([[0, 0], [10, 0], [10, 10], [-50, 50]], np.float32)


def test_the_nearest_count_by_similarity_over_distance():
    query = np.array([0.8, 0.6, 0.0], np.float32)
    # cosines 0.8, 0.6, 0.96: weights 4, 1.5, 24
    expected = (4 * POINTS[0] + 1.5 * POINTS[1] + 24 * POINTS[2]) / 29.5
    np.testing.assert_allclose(place(query, EMBEDDINGS, POINTS, 3), expected, atol=1e-4)
    # the fourth has cosine 0 and no weight
    np.testing.assert_allclose(place(query, EMBEDDINGS, POINTS, 4), expected, atol=1e-4)
    np.testing.assert_allclose(place(query, EMBEDDINGS, POINTS, 99), expected, atol=1e-4)
    np.testing.assert_allclose(place(query, EMBEDDINGS, POINTS, 1), POINTS[2], atol=1e-6)


def test_a_query_of_the_pool_falls_on_its_own_point():
    for row, point in zip(EMBEDDINGS, POINTS, strict=True):
        np.testing.assert_allclose(place(row, EMBEDDINGS, POINTS), point, atol=1e-3)


def test_doubles_share_the_weight():
    embeddings, points = EMBEDDINGS[[0, 0, 1]], np.array([[0, 0], [2, 0], [9, 9]], np.float32)
    placed = place(EMBEDDINGS[0], embeddings, points)
    np.testing.assert_allclose(placed, [1, 0], atol=1e-3)


def test_where_nothing_is_similar_the_weights_are_equal():
    placed = place(np.array([0.0, 0.0, 1.0]), EMBEDDINGS, POINTS, 3)
    np.testing.assert_allclose(placed, POINTS[:3].mean(axis=0), atol=1e-5)


@pytest.mark.parametrize(
    ("query", "embeddings", "points", "neighbours"),
    [
        (np.ones(2), EMBEDDINGS, POINTS, 5),
        (np.ones(3), EMBEDDINGS, POINTS[:3], 5),
        (np.ones(3), EMBEDDINGS, POINTS[:, :1], 5),
        (np.ones(3), EMBEDDINGS, POINTS, 0),
        (np.ones(3), EMBEDDINGS[:0], POINTS[:0], 5),
    ],
)
def test_wrong_input(query, embeddings, points, neighbours):
    with pytest.raises(ValueError, match="must be|at least one"):
        place(query, embeddings, points, neighbours)


def test_many_at_once_are_placed_as_each_alone(monkeypatch):
    monkeypatch.setattr(umap_projection, "BLOCK", 64)
    generator = np.random.default_rng(4)
    rows = generator.standard_normal((104, 6)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    laid = generator.standard_normal((30, 2)).astype(np.float32)
    done = []
    together = place_all(rows[30:], rows[:30], laid, after_block=done.append)
    alone = [place(row, rows[:30], laid) for row in rows[30:]]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert done == [64, 74]
    assert place_all(rows[:0], rows[:30], laid).shape == (0, 2)
