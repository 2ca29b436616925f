"""The evaluation that saves passes chooses what brute force chooses, and does save them."""

import functools
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

from core.selection import cosines, pruning
from core.selection import greedy as greedy_module
from core.selection.cosines import least_cosines
from core.selection.greedy import Greedy, Values
from core.selection.mmr import mmr


def clustered_pool(seed, n, d=24):
    """Few tight clusters, one of them at the query: each pick makes many rows redundant."""
    generator = np.random.default_rng(seed)
    centres = unit(generator.standard_normal((max(2, n // 20), d)))
    spread = 10.0 ** generator.integers(-3, 0, size=(n, 1))
    near = centres[generator.integers(len(centres), size=n)]
    rows = unit(near + spread * generator.standard_normal((n, d)) / np.sqrt(d)).astype(np.float32)
    query = unit(centres[:1] + 0.1 * generator.standard_normal((1, d)))[0].astype(np.float32)
    return relevance_of(query, rows), rows, query


def opposed_pool(seed, n, d=8):
    """Every other row is the opposite of the one before it."""
    relevance, rows, query = random_pool(seed, n, d)
    rows[1::2] = -rows[0 : 2 * (n // 2) : 2]
    return relevance_of(query, rows), rows, query


POOLS = {
    "random": random_pool,
    "duplicated": duplicated_pool,
    "tied": tied_pool,
    "clustered": clustered_pool,
    "opposed": opposed_pool,
}
LAMBDAS = [0.0, 0.25, 0.5, 0.75, 0.8, 0.9, 0.99, 1.0]


@contextmanager
def small_pools_are_large(few=3, gathered=1.0):
    """Everything is tried on pools that brute force can follow, at every lambda_d."""
    with (
        patch.multiple(
            pruning,
            _few=lambda k, every=1: few,
            _BOUND_FROM_ROWS=1,
            _BOUND_FROM_LAMBDA_D=0.0,
            _SAMPLED=2,
            _GATHERED=gathered,
        ),
        patch.object(cosines, "_CACHED", 0),
    ):
        yield


def plain(values, rows, k, lambda_d):
    weighable = Values.of(np.asarray(values, dtype=np.float64), None, 1.0)
    nothing_closed = np.zeros(len(rows), dtype=bool)
    return Greedy(rows, weighable, nothing_closed, [int(np.argmax(values))], lambda_d).finish(k)


@given(
    pool=st.sampled_from(sorted(POOLS)),
    seed=st.integers(0, 10_000),
    n=st.integers(2, 120),
    k=st.integers(1, 7),
    lambda_d=st.sampled_from(LAMBDAS) | st.floats(0, 1),
    lambda_b=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    share_excluded=st.sampled_from([0.0, 0.3, 0.9]),
    few=st.sampled_from([1, 3, 12]),
    gathered=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_equals_brute_force(pool, seed, n, k, lambda_d, lambda_b, share_excluded, few, gathered):
    relevance, rows, query = POOLS[pool](seed, n)
    generator = np.random.default_rng(seed)
    bias = -generator.integers(1, 9, size=n) / 4
    excluded = generator.random(n) < share_excluded
    with small_pools_are_large(few, gathered):
        chosen = mmr(
            relevance, rows, k, lambda_d=lambda_d, lambda_b=lambda_b, quality_bias=bias,
            excluded=excluded, query=query,
        )  # fmt: skip
    expected = brute_force(relevance, rows, k, lambda_d, lambda_b, bias, excluded)
    assert chosen.indices.tolist() == expected


@pytest.mark.parametrize("pool", sorted(POOLS))
def test_equals_brute_force_where_the_most_relevant_are_excluded(pool):
    for seed in range(8):
        relevance, rows, query = POOLS[pool](seed, 60)
        excluded = relevance >= np.sort(relevance)[20]
        with small_pools_are_large():
            chosen = mmr(relevance, rows, 5, lambda_d=0.75, excluded=excluded, query=query)
        expected = brute_force(relevance, rows, 5, 0.75, excluded=excluded)
        assert chosen.indices.tolist() == expected


@given(
    pool=st.sampled_from(sorted(POOLS)),
    seed=st.integers(0, 10_000),
    n=st.integers(13, 120),
    lambda_d=st.sampled_from(LAMBDAS) | st.floats(0, 1),
    gathered=st.sampled_from([0.1, 1.0]),
)
def test_equals_brute_force_where_the_relevance_is_no_cosine(pool, seed, n, lambda_d, gathered):
    _, rows, _ = POOLS[pool](seed, n)
    relevance = np.random.default_rng(seed).integers(-9, 9, size=n) / 4
    with small_pools_are_large(gathered=gathered):
        chosen = mmr(relevance, rows, 5, lambda_d=lambda_d)
    assert chosen.indices.tolist() == brute_force(relevance, rows, 5, lambda_d)


@pytest.mark.parametrize("off", [-1.0, -0.01, 0.003, 0.01, 0.03, 0.1, 1.0])
@pytest.mark.parametrize("pool", sorted(POOLS))
def test_a_wrong_guess_changes_nothing(pool, off):
    guessed = pruning._guessed

    def wrongly(race, k, most, every=1):
        guess = guessed(race, k, most, every)
        return guess and guess._replace(floor=guess.floor + off, proven=False)

    for seed in range(6):
        relevance, rows, query = POOLS[pool](seed, 30)
        for lambda_d in (0.25, 0.5, 0.75):
            with small_pools_are_large(), patch.object(pruning, "_guessed", wrongly):
                chosen = mmr(relevance, rows, 5, lambda_d=lambda_d, query=query)
            assert chosen.indices.tolist() == brute_force(relevance, rows, 5, lambda_d)


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


@functools.cache
def large_pool(pool):
    return POOLS[pool](5, 12_000)


@pytest.mark.parametrize("lambda_d", [0.0, 0.5, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("pool", sorted(POOLS))
def test_equals_plain_passes_and_brute_force_on_a_large_pool(pool, lambda_d):
    relevance, rows, query = large_pool(pool)
    chosen = mmr(relevance, rows, 4, lambda_d=lambda_d, query=query)
    every_pass = plain(relevance, rows, 4, lambda_d)
    assert chosen.indices.tolist() == every_pass.indices.tolist()
    np.testing.assert_array_equal(chosen.values, every_pass.values)
    np.testing.assert_array_equal(chosen.redundancy, every_pass.redundancy)
    assert chosen.indices.tolist() == brute_force(relevance, rows, 4, lambda_d)


def rows_read(work):
    """How many rows each pass reads for their cosines with a pick."""
    read = []
    fast = greedy_module.fast_cosines

    def counted(rows, vector):
        read.append(len(rows))
        return fast(rows, vector)

    with patch.object(greedy_module, "fast_cosines", counted):
        work()
    return read


@pytest.mark.parametrize(("lambda_d", "passes"), [(0.9, 1), (0.75, 1), (0.5, 3), (0.25, 3)])
def test_the_fewer_passes_the_higher_lambda_d(lambda_d, passes):
    relevance, rows, _ = random_pool(6, 40_000, 48)
    read = rows_read(lambda: mmr(relevance, rows, 6, lambda_d=lambda_d))
    assert read.count(40_000) <= passes
    assert sum(read) <= (passes + 0.5) * 40_000
    assert rows_read(lambda: plain(relevance, rows, 6, lambda_d)) == [40_000] * 5


def test_with_the_query_a_high_lambda_d_reads_few_rows_at_all():
    relevance, rows, query = random_pool(6, 60_000, 48)
    read = rows_read(lambda: mmr(relevance, rows, 6, lambda_d=0.95, query=query))
    assert sum(read) < 60_000 / 4


@pytest.mark.parametrize(
    ("n", "after_passes"),
    [(3_000, [1]), (13_000, [1, 2, 3]), (50_000, [1, 2, 3, 4, 6, 9, 13, 19, 28, 42])],
)
def test_many_picks_are_not_preceded_by_as_many_guesses(n, after_passes):
    relevance, rows, _ = random_pool(9, n)
    guesses = []

    def nothing(race, k, most, every=1):
        guesses.append(len(race.indices) - 1)

    with patch.object(pruning, "_guessed", nothing):
        read = rows_read(lambda: mmr(relevance, rows, 60, lambda_d=0.5))
    assert read == [n] * 59
    assert guesses == after_passes


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
