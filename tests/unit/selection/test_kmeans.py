"""One per cluster: the most relevant of each, then the most relevant of the rest."""

import numpy as np
import pytest
from baselines_oracle import POOLS, some_closed
from hypothesis import given
from hypothesis import strategies as st

from core.selection.baselines.kmeans import one_per_cluster


def brute_force(relevance, clusters, k, excluded, groups):
    """Down the list by relevance, twice: first what has a new cluster, then what is left."""
    order = [i for i in np.argsort(-np.round(relevance, 10), kind="stable") if not excluded[i]]
    picked, used, gone = [], set(), set()
    for new_only in (True, False):
        for i in order:
            if groups[i] not in gone and not (new_only and clusters[i] in used):
                picked.append(int(i))
                used.add(clusters[i])
                gone.add(groups[i])
    return picked[:k]


@given(
    pool=st.sampled_from(sorted(POOLS)), seed=st.integers(0, 10_000), n=st.integers(1, 24),
    k=st.integers(0, 12), of=st.integers(1, 9), closed=st.booleans(),
)  # fmt: skip
def test_equals_brute_force(pool, seed, n, k, of, closed):
    relevance, rows, _ = POOLS[pool](seed, n)
    clusters = np.random.default_rng(seed).integers(-2, of, size=n)
    excluded, groups = some_closed(seed, n) if closed else (np.zeros(n, bool), np.arange(n))
    chosen = one_per_cluster(
        relevance, rows, k, clusters=clusters, excluded=excluded, groups=groups
    )
    assert chosen.indices.tolist() == brute_force(relevance, clusters, k, excluded, groups)
    np.testing.assert_array_equal(chosen.values, relevance[chosen.indices])


def test_hand_worked_pool():
    relevance = [0.9, 0.8, 0.7, 0.6, 0.7]
    chosen = one_per_cluster(relevance, np.eye(5), 5, clusters=[3, 3, 0, 0, 0])
    assert chosen.indices.tolist() == [0, 2, 1, 4, 3]
    without = one_per_cluster(
        relevance, np.eye(5), 2, clusters=[3, 3, 0, 0, 0], excluded=np.arange(5) == 2
    )
    assert without.indices.tolist() == [0, 4]


@pytest.mark.parametrize("clusters", [[0, 1], [0.0, 1, 2, 3], list("abcd"), np.zeros((4, 1), int)])
def test_clusters_that_are_no_numbers_of_the_rows(clusters):
    with pytest.raises(ValueError, match=r"clusters have shape .*; give integers \(4,\)"):
        one_per_cluster(np.ones(4), np.eye(4), 2, clusters=clusters)
