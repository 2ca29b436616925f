"""HNSW and IVF: doubles are stored once, the bias is left aside."""

import numpy as np
import pytest

from core.index import INDEXES, measure_recall


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(params=["hnsw", "ivf"])
def kind(request):
    return request.param


def test_many_doubles_do_not_cut_the_graph(kind):
    rng = np.random.default_rng(0)
    distinct = unit(rng.standard_normal((400, 16)))
    rows = np.concatenate([np.repeat(distinct[:4], 500, axis=0), distinct[4:]])
    index = INDEXES[kind].build(rows)
    # A query near a lonely row has to find it among 2,000 doubles of others.
    found = [int(index.search(distinct[i], 1)[0][0]) for i in range(4, 400)]
    assert np.mean(np.array(found) == np.arange(2000, 2396)) >= 0.95
    assert measure_recall(index, rows, unit(rng.standard_normal((20, 16))), 30) >= 0.9


def test_a_quality_bias_changes_nothing(kind):
    rng = np.random.default_rng(1)
    rows = unit(rng.standard_normal((200, 8)))
    plain, given = INDEXES[kind].build(rows), INDEXES[kind].build(rows, rng.standard_normal(200))
    assert not given.biased
    for before, after in zip(plain.search(rows[3], 20), given.search(rows[3], 20), strict=True):
        assert np.array_equal(before, after)


def test_recall_does_not_fall_when_many_candidates_are_asked_for():
    rng = np.random.default_rng(2)
    rows, queries = unit(rng.standard_normal((4000, 16))), unit(rng.standard_normal((10, 16)))
    index = INDEXES["ivf"].build(rows)
    assert measure_recall(index, rows, queries, 1000) >= 0.95
