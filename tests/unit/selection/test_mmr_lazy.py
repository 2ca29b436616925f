"""The evaluation that saves passes chooses what brute force chooses."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selection_oracle import (
    brute_force,
    duplicated_pool,
    random_pool,
    relevance_of,
    tied_pool,
    unit,
)

from core.selection import mmr as module
from core.selection.bounds import least_cosines
from core.selection.mmr import greedy, mmr
from core.selection.weighing import Values

POOLS = {"random": random_pool, "duplicated": duplicated_pool, "tied": tied_pool}
LAMBDAS = [0.0, 0.5, 0.75, 0.8, 0.9, 0.99, 1.0]


@contextmanager
def small_pools_are_large(few=3):
    """The bounds are tried on pools that brute force can follow, at every lambda_d."""
    with patch.multiple(
        module, _FEW=few, _BOUND_FROM_ROWS=1, _BOUND_FROM_LAMBDA_D=0.0, _GATHERED=1.0
    ):
        yield


def plain(values, rows, k, lambda_d, closed=None):
    closed = np.zeros(len(rows), dtype=bool) if closed is None else closed
    first = int(np.argmax(np.where(closed, -np.inf, values)))
    weighable = Values.of(np.asarray(values, dtype=np.float64), None, 1.0)
    return greedy(rows, weighable, closed, first, k, lambda_d)


@given(
    pool=st.sampled_from(sorted(POOLS)),
    seed=st.integers(0, 10_000),
    n=st.integers(2, 90),
    k=st.integers(1, 4),
    lambda_d=st.sampled_from(LAMBDAS) | st.floats(0, 1),
    lambda_b=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    share_excluded=st.sampled_from([0.0, 0.3]),
)
def test_equals_brute_force(pool, seed, n, k, lambda_d, lambda_b, share_excluded):
    relevance, rows, query = POOLS[pool](seed, n)
    generator = np.random.default_rng(seed)
    bias = -generator.integers(1, 9, size=n) / 4
    excluded = generator.random(n) < share_excluded
    with small_pools_are_large():
        lazy = mmr(
            relevance, rows, k, lambda_d=lambda_d, lambda_b=lambda_b, quality_bias=bias,
            excluded=excluded, query=query,
        )  # fmt: skip
    expected = brute_force(relevance, rows, k, lambda_d, lambda_b, bias, excluded)
    assert lazy.indices.tolist() == expected


@given(seed=st.integers(0, 10_000), lambda_d=st.sampled_from(LAMBDAS), d=st.integers(2, 6))
def test_equals_brute_force_where_rounding_is_largest(seed, lambda_d, d):
    # Rows at, near and opposite the query: where the bound's square roots lose most digits.
    generator = np.random.default_rng(seed)
    query = unit(generator.standard_normal((1, d)))[0]
    scale = 10.0 ** generator.integers(-8, 0, size=(60, 1))
    side = generator.choice([-1.0, 1.0], size=(60, 1))
    rows = unit(side * query + scale * generator.standard_normal((60, d))).astype(np.float32)
    rows[::7] = query
    relevance = relevance_of(query.astype(np.float32).astype(np.float64), rows)
    with small_pools_are_large():
        lazy = mmr(relevance, rows, 4, lambda_d=lambda_d, query=query.astype(np.float32))
    assert lazy.indices.tolist() == brute_force(relevance, rows, 4, lambda_d)


@pytest.mark.parametrize("lambda_d", LAMBDAS)
@pytest.mark.parametrize("pool", sorted(POOLS))
def test_equals_plain_passes_and_brute_force_on_a_large_pool(pool, lambda_d):
    relevance, rows, query = POOLS[pool](5, 12_000)
    lazy = mmr(relevance, rows, 4, lambda_d=lambda_d, query=query)
    every_pass = plain(relevance, rows, 4, lambda_d)
    assert lazy.indices.tolist() == every_pass.indices.tolist()
    np.testing.assert_array_equal(lazy.values, every_pass.values)
    np.testing.assert_array_equal(lazy.redundancy, every_pass.redundancy)
    assert lazy.indices.tolist() == brute_force(relevance, rows, 4, lambda_d)


def passes_over(n, work):
    """How many times all n rows are read for their cosines."""
    read = []
    fast = module.fast_cosines

    def counted(embeddings, index):
        read.append(len(embeddings))
        return fast(embeddings, index)

    with patch.object(module, "fast_cosines", counted):
        work()
    return read.count(n)


def test_a_high_lambda_d_reads_the_rows_not_once_and_without_the_query_once():
    relevance, rows, query = random_pool(6, 12_000, 48)
    with_query = passes_over(12_000, lambda: mmr(relevance, rows, 6, lambda_d=0.9, query=query))
    assert with_query == 0
    assert passes_over(12_000, lambda: mmr(relevance, rows, 6, lambda_d=0.9)) == 1
    assert passes_over(12_000, lambda: plain(relevance, rows, 6, 0.9)) == 5


def test_a_query_that_is_no_unit_vector_bounds_nothing():
    relevance, rows, query = random_pool(7, 80)
    with small_pools_are_large():
        chosen = mmr(3 * relevance, rows, 4, lambda_d=0.8, query=3 * query)
    assert chosen.indices.tolist() == brute_force(3 * relevance, rows, 4, 0.8)


@given(seed=st.integers(0, 10_000), d=st.integers(2, 5))
def test_no_cosine_is_below_its_bound(seed, d):
    generator = np.random.default_rng(seed)
    query = unit(generator.standard_normal((1, d)))[0]
    spread = 10.0 ** generator.integers(-6, 2, size=(40, 1))
    rows = unit(query * generator.choice([-1, 1]) + spread * generator.standard_normal((40, d)))
    rows = rows.astype(np.float32)
    relevance = rows.astype(np.float64) @ query
    for row in range(0, 40, 8):
        cosines = rows.astype(np.float64) @ rows[row].astype(np.float64)
        # Rows of float32 are a hair longer or shorter than 1, so a cosine can be a hair below -1.
        assert (least_cosines(relevance, relevance[row]) <= np.maximum(cosines, -1)).all()


def test_the_bound_is_the_cosine_of_the_two_angles_together():
    angles = np.radians([0.0, 30.0, 60.0, 90.0, 150.0])
    bounds = least_cosines(np.cos(angles), np.cos(np.radians(60.0)))
    expected = [np.cos(np.radians(60 + x)) for x in (0, 30, 60, 90)]
    # Rounding's margin costs the more the nearer a row is to the query.
    np.testing.assert_allclose(bounds[:4], expected, atol=6e-3)
    assert bounds[4] == -1.0
