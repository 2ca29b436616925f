"""The map: every size of pool, seeded, neighbours kept together."""

import threading
from concurrent.futures import Future

import numpy as np
import pytest

from core.errors import Cancelled
from core.projection import load_umap, project, umap_projection
from core.projection.umap_projection import EPOCHS, FINDING, LOADING, PLACING
from core.watcher import Watcher


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clusters(n, groups, seed=0):
    """n distinct unit rows around `groups` directions that are at right angles."""
    rng = np.random.default_rng(seed)
    centres = np.eye(groups, 32)
    return unit(centres[np.arange(n) % groups] + 0.05 * rng.standard_normal((n, 32)))


@pytest.fixture(scope="module")
def rows():
    return clusters(90, 3)


@pytest.fixture(scope="module")
def points(rows):
    return project(rows, seed=1)


def test_near_rows_come_near(points):
    assert points.shape == (90, 2)
    assert points.dtype == np.float32
    for cluster in range(3):
        centre = points[cluster::3].mean(axis=0)
        inside = np.linalg.norm(points[cluster::3] - centre, axis=1).max()
        others = np.delete(points, np.s_[cluster::3], axis=0)
        assert np.linalg.norm(others - centre, axis=1).min() > inside


def test_the_seed_decides(rows, points):
    assert np.array_equal(project(rows, seed=1), points)
    assert not np.allclose(project(rows, seed=2), points)


def test_the_order_of_the_rows_does_not_matter(rows, points):
    order = np.random.default_rng(3).permutation(90)
    assert np.array_equal(project(rows[order], seed=1), points[order])


def test_equal_rows_stand_side_by_side_and_change_nothing_else(rows, points):
    doubled = np.concatenate([rows, rows[:5], rows[:5]])
    placed = project(doubled, seed=1)
    assert np.array_equal(placed[:90], points)
    extent = np.ptp(points, axis=0).max()
    for double in (placed[90:95], placed[95:]):
        apart = np.linalg.norm(double - points[:5], axis=1)
        assert (apart > 0.004 * extent).all()
        assert (apart < 0.02 * extent).all()
    assert len(np.unique(placed, axis=0)) == 100


def test_every_row_keeps_most_of_its_neighbours():
    from sklearn.manifold import trustworthiness

    rng = np.random.default_rng(5)
    angles = rng.uniform(0, 2 * np.pi, (400, 2))
    torus = np.column_stack([f(angles[:, i]) for f in (np.cos, np.sin) for i in (0, 1)])
    rows = unit(torus)
    assert trustworthiness(rows, project(rows), n_neighbors=10, metric="cosine") > 0.95


def test_two_maps_at_once(rows, points):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(project(rows, seed=1))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(other, points) for other in found)
    assert len(found) == 2


@pytest.mark.parametrize("n", [17, 18, 31])
def test_just_enough_rows_for_neighbourhoods(n):
    placed = project(clusters(n, 2))
    assert np.isfinite(placed).all()
    assert len(np.unique(placed, axis=0)) == n


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 15, 16])
def test_few_rows(n):
    placed = project(np.eye(n, 32, dtype=np.float32))
    assert placed.shape == (n, 2)
    assert placed.dtype == np.float32
    assert np.isfinite(placed).all()
    assert len(np.unique(placed, axis=0)) == n


def test_few_rows_are_laid_out_by_their_principal_components():
    # Three corners of an equilateral triangle with side sqrt(2), and two rows on a line.
    triangle = project(np.eye(3, dtype=np.float32))
    sides = [np.linalg.norm(triangle[i] - triangle[i - 1]) for i in range(3)]
    np.testing.assert_allclose(sides, 2**0.5, rtol=1e-5)
    pair = project(np.eye(2, 8, dtype=np.float32))
    np.testing.assert_allclose(np.abs(pair), [[0.5**0.5, 0], [0.5**0.5, 0]], atol=1e-6)


def test_one_row_many_times_is_a_visible_heap():
    placed = project(np.tile(np.eye(1, 16, dtype=np.float32), (100, 1)))
    assert len(np.unique(placed, axis=0)) == 100
    assert np.abs(placed).max() < 0.2


def test_rows_of_one_or_two_dimensions():
    angles = np.linspace(0, 3, 40)
    circle = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    placed = project(circle)
    before = np.linalg.norm(circle[0] - circle, axis=1)
    np.testing.assert_allclose(np.linalg.norm(placed[0] - placed, axis=1), before, atol=1e-5)
    assert project(np.array([[1.0], [-1.0], [1.0]])).shape == (3, 2)


def told(seen, **more):
    return Watcher(
        on_progress=lambda *step: seen.append(step), on_phase=lambda name: seen.append(name), **more
    )


def test_each_phase_is_named_and_counted(rows, points):
    seen = []
    assert np.array_equal(project(rows, seed=1, watcher=told(seen)), points)
    rounds = [(number, EPOCHS) for number in range(1, EPOCHS + 1)]
    assert seen == [FINDING, (90, 90), LOADING, PLACING, *rounds]


def test_it_is_cancelled_between_blocks_and_between_rounds(rows):
    seen = []
    with pytest.raises(Cancelled):
        project(rows, watcher=told(seen, cancelled=lambda: True))
    assert seen == [FINDING]
    with pytest.raises(Cancelled, match="The map was cancelled"):
        project(rows, watcher=told(seen, cancelled=lambda: PLACING in seen))
    assert seen[-1] == PLACING, "not one round is done any more"


def test_umap_is_loaded_once_and_again_only_after_a_failure(rows, points, monkeypatch):
    made = []

    def umap(*_):
        made.append("load")
        if len(made) == 1:
            raise ImportError("no numba")
        return np.zeros((32, 2), np.float32)

    monkeypatch.setattr(umap_projection, "_begun", [])
    monkeypatch.setattr(umap_projection, "_umap", umap)
    with pytest.raises(ImportError, match="no numba"):
        project(rows)
    first = load_umap()
    assert first.result(60) is None
    assert load_umap() is first
    assert made == ["load", "load"]


def test_a_map_can_be_cancelled_while_umap_is_loaded(rows, monkeypatch):
    seen = []
    monkeypatch.setattr(umap_projection, "load_umap", Future)  # which is never done
    with pytest.raises(Cancelled):
        project(rows, watcher=told(seen, cancelled=lambda: LOADING in seen))
    assert seen == [FINDING, (90, 90), LOADING]


@pytest.mark.parametrize(
    ("rows", "neighbours", "message"),
    [
        (np.ones(4), 15, "shape"),
        (np.full((4, 3), np.nan), 15, "finite"),
        (np.eye(4), 1, "at least 2"),
    ],
)
def test_wrong_input(rows, neighbours, message):
    with pytest.raises(ValueError, match=message):
        project(rows, neighbours=neighbours)
