"""Points on one spot become visible; the others stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.projection.umap_projection import SPACING, spread


def nearest_distance(points):
    apart = np.linalg.norm(points[:, np.newaxis] - points[np.newaxis], axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart.min()


def test_points_that_stand_alone_stay():
    points = np.random.default_rng(0).standard_normal((50, 2)).astype(np.float32)
    assert np.array_equal(spread(points), points)


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_spread(n):
    points = np.full((n, 2), 7, np.float32)
    assert np.array_equal(spread(points), points)


def test_a_group_fans_out_around_its_spot_and_stays_near():
    points = np.array([[0, 0]] * 7 + [[10, 0], [0, 10]], np.float32)
    moved = spread(points)
    assert np.array_equal(moved[[0, 7, 8]], points[[0, 7, 8]])
    assert nearest_distance(moved) > 0.9 * SPACING * 10
    assert np.linalg.norm(moved[:7], axis=1).max() < 0.02 * 10


def test_points_all_on_one_spot():
    moved = spread(np.full((200, 2), -3, np.float32))
    assert np.isfinite(moved).all()
    assert len(np.unique(moved, axis=0)) == 200


@given(st.integers(1, 80), st.integers(0, 1000))
def test_every_point_is_visible_and_close_to_its_place(n, seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-5, 5, (n, 2)).astype(np.float32)[rng.integers(0, n, 2 * n)]
    moved = spread(points)
    assert len(np.unique(moved, axis=0)) == 2 * n
    extent = np.ptp(points, axis=0).max() or 1.0
    assert np.abs(moved - points).max() <= SPACING * extent * np.sqrt(2 * n)
