"""Facility location chooses what F computed anew chooses, and 63 % of the best set at least."""

from itertools import combinations

import numpy as np
import pytest
from baselines_oracle import POOLS, greedily, some_closed
from hypothesis import assume, given
from hypothesis import strategies as st

from core.selection.baselines.facility_location import facility_location

seeds, weights = st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.3, 0.75, 1.0])


def objective(relevance, rows, lambda_d, to_cover):
    """F of a set, from its definition."""
    cosines = rows.astype(np.float64) @ rows.astype(np.float64).T

    def of(members):
        if not members:
            return 0.0
        near = [max(0.0, max(cosines[i, j] for j in members)) for i in to_cover]
        return lambda_d * sum(relevance[j] for j in members) + (1 - lambda_d) * sum(near)

    return of


@given(
    pool=st.sampled_from(sorted(POOLS)), seed=seeds, n=st.integers(1, 18), k=st.integers(0, 8),
    lambda_d=weights, closed=st.booleans(),
)  # fmt: skip
def test_equals_the_objective_computed_anew(pool, seed, n, k, lambda_d, closed):
    relevance, rows, _ = POOLS[pool](seed, n)
    excluded, groups = some_closed(seed, n) if closed else (np.zeros(n, bool), None)
    of = objective(relevance, rows, lambda_d, np.flatnonzero(~excluded))
    picked, values, clear = greedily(
        lambda before, i: of([*before, i]) - of(before), n, k, excluded, groups
    )
    assume(clear)
    chosen = facility_location(
        relevance, rows, k, lambda_d=lambda_d, excluded=excluded, groups=groups
    )
    assert chosen.indices.tolist() == picked
    np.testing.assert_allclose(chosen.values, values, atol=1e-12)


@given(
    pool=st.sampled_from(sorted(POOLS)), seed=seeds, n=st.integers(1, 9), k=st.integers(1, 4),
    lambda_d=weights,
)  # fmt: skip
def test_has_at_least_63_percent_of_the_best_set_where_no_relevance_is_negative(
    pool, seed, n, k, lambda_d
):
    relevance, rows, _ = POOLS[pool](seed, n)
    relevance = relevance.clip(0, None)
    of = objective(relevance, rows, lambda_d, range(n))
    chosen = facility_location(relevance, rows, k, lambda_d=lambda_d)
    best = max(of(list(members)) for members in combinations(range(n), min(k, n)))
    reached = of(chosen.indices.tolist())
    assert chosen.values.sum() == pytest.approx(reached, abs=1e-9)
    assert (1 - 1 / np.e) * best - 1e-9 <= reached <= best + 1e-9
    assert (np.diff(chosen.values) <= 1e-9).all()  # each pick adds less: F is submodular


def test_hand_worked_pool():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    chosen = facility_location([0.9, 0.9, 0.5, 0.8], rows, 4, lambda_d=0.0)
    # Alone row 0 covers 1 + 1 + 0 + 0.6, row 2 0 + 0 + 1 + 0.8, row 3 0.6 + 0.6 + 0.8 + 1. Beside
    # row 3, row 0 adds 0.4 + 0.4 and row 2 0.2.
    assert chosen.indices.tolist() == [3, 0, 2, 1]
    np.testing.assert_allclose(chosen.values, [3.0, 0.8, 0.2, 0.0], atol=1e-14)
    weighed = facility_location([0.9, 0.9, 0.5, 0.8], rows, 3, lambda_d=0.8)
    # Row 0: 0.72 + 0.2 * 2.6 = 1.24, row 3: 0.64 + 0.2 * 3 = 1.24, so the lowest index. Then row 1:
    # 0.72, row 2: 0.4 + 0.2 * (1 + 0.2), row 3: 0.64 + 0.2 * (0.8 + 0.4) = 0.88. Then row 1 again.
    assert weighed.indices.tolist() == [0, 3, 1]
    np.testing.assert_allclose(weighed.values, [1.24, 0.88, 0.72])


def test_a_negative_cosine_covers_nothing():
    chosen = facility_location([0.0, 0.0], [[1.0, 0.0], [-1.0, 0.0]], 2, lambda_d=0.0)
    assert chosen.values.tolist() == [1.0, 1.0]
