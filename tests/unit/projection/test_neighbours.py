"""Exact neighbours against a sort of all cosines."""

import numpy as np
import pytest

from core.projection import umap_projection
from core.projection.umap_projection import exact_neighbours, most_similar


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("n", "k", "block"), [(50, 7, 512), (50, 7, 8), (33, 33, 16), (5, 1, 2), (300, 7, 64)]
)
def test_equal_brute_force(n, k, block, monkeypatch):
    monkeypatch.setattr(umap_projection, "BLOCK", block)
    rows = unit(np.random.default_rng(n).standard_normal((n, 12)))
    done = []
    nearest, distances = exact_neighbours(rows, k, done.append)

    cosines = rows.astype(np.float64) @ rows.T.astype(np.float64)
    for row in range(n):
        others = sorted(set(range(n)) - {row}, key=lambda i: -cosines[row, i])
        assert nearest[row].tolist() == [row, *others[: k - 1]]
    expected = 1 - np.take_along_axis(cosines, nearest, axis=1)
    np.testing.assert_allclose(distances, np.maximum(expected, 0), atol=1e-6)
    assert (distances[:, 0] == 0).all()
    assert (distances >= 0).all()
    assert done == [*range(block, n, block), n]


def test_each_row_is_its_own_nearest_even_among_near_doubles():
    rows = np.repeat(unit(np.random.default_rng(0).standard_normal((3, 8))), 20, axis=0)
    rows *= 1 + np.linspace(0, 5e-7, 60, dtype=np.float32)[:, np.newaxis]
    nearest, _ = exact_neighbours(rows, 4, lambda done: None)
    assert nearest[:, 0].tolist() == list(range(60))


@pytest.mark.parametrize(("n", "k", "block"), [(1, 1, 4), (40, 1, 7), (200, 9, 64), (30, 30, 512)])
def test_the_most_similar_of_others_against_a_sort(n, k, block, monkeypatch):
    monkeypatch.setattr(umap_projection, "BLOCK", block)
    rng = np.random.default_rng(n)
    rows, queries = unit(rng.standard_normal((n, 12))), unit(rng.standard_normal((70, 12)))
    cosines = queries.astype(np.float64) @ rows.T.astype(np.float64)
    ends = []
    for start, stop, found, values in most_similar(queries, rows, k):
        best = np.argsort(-cosines[start:stop], axis=1)[:, :k]
        assert found.tolist() == best.tolist()
        np.testing.assert_allclose(
            values, np.take_along_axis(cosines[start:stop], best, axis=1), atol=1e-6
        )
        ends.append((start, stop))
    assert ends == [(start, min(start + block, 70)) for start in range(0, 70, block)]


def test_rows_of_float64_in_any_memory_order_are_taken():
    rows = np.asfortranarray(unit(np.random.default_rng(1).standard_normal((40, 8))), np.float64)
    ((_, _, found, _),) = most_similar(rows, rows, 1)
    assert found[:, 0].tolist() == list(range(40))
